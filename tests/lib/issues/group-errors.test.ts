import { expect, it } from 'vitest';
import { groupErrors } from '@/lib/issues/group-errors';

const minute = 60_000;

/** Errors of a cluster, as in "cart 2-5 web batch": from minute 2 to 5, at these clients. */
function errorsOf(text: string) {
  const [clusterName = '', minutes = '', ...clients] = text.split(' ');
  const [from = 0, to] = minutes.split('-').map((each) => Number(each) * minute);
  return { clusterName, from, to: minutes.includes('-') ? to : undefined, clients };
}

it.each([
  [
    'that begin together at one client',
    ['cart 10 web', 'search 11 web', 'users 12 web'],
    ['cart search users'],
  ],
  ['in the order in which they began', ['cart 11 web', 'search 10 web'], ['search cart']],
  ['that begin one after the other', ['cart 10 web', 'search 14 web'], ['cart', 'search']],
  ['of other clients', ['cart 10 web', 'search 10 batch'], ['cart', 'search']],
  ['of some clients in common', ['cart 10 web batch', 'search 10 batch admin'], ['cart search']],
  ['of which one has ended', ['cart 10-12 web', 'search 10 web'], ['cart', 'search']],
  ['that both have ended', ['cart 10-12 web', 'search 10-14 web'], ['cart search']],
])('groups clusters %s', (_title, texts, expected) => {
  const groups = groupErrors(texts.map(errorsOf));
  expect(groups.map((group) => group.map(({ clusterName }) => clusterName).join(' '))).toEqual(expected);
});
