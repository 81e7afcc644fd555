import { describe, expect, it } from 'vitest';
import { decideHeaderMutation } from '@/lib/requests/filters/header-changes';
import type { HeaderValue } from '@/lib/requests/request';
import { type FilterCase, filterRequest } from './filter-requests';

function headerAfter(of: FilterCase, name = 'x'): string {
  const decision = decideHeaderMutation(filterRequest(of));
  if (decision.kind !== 'passes' || decision.find === undefined) throw new Error(`it ${decision.kind}`);
  const value: HeaderValue = decision.find(name);
  return value.kind === 'value' ? value.values.join(' and ') : value.kind;
}

const mutate = (...requestMutations: readonly object[]) => ({ mutations: { requestMutations } });
const append = (value: string, appendAction?: string, more: object = {}) => ({
  append: { header: { key: 'x', value }, ...(appendAction && { appendAction }), ...more },
});
const remove = { remove: 'x' };
const old = { headers: ['x: old'] };

describe('header mutations', () => {
  it.each<readonly [sentence: string, mutation: object, of: FilterCase, expected: string]>([
    ['remove the specified header if it exists', remove, old, 'absent'],
    ['remove the specified header in any case', { remove: 'X' }, old, 'absent'],
    [
      'remove those that the key matcher matches',
      { removeOnMatch: { keyMatcher: { prefix: 'x' } } },
      old,
      'absent',
    ],
    ['APPEND_IF_EXISTS_OR_ADD: a duplicate header', append('new'), old, 'old and new'],
    ['APPEND_IF_EXISTS_OR_ADD: a new header', append('new'), {}, 'new'],
    ['ADD_IF_ABSENT: a no-op if it exists', append('new', 'ADD_IF_ABSENT'), old, 'old'],
    ['ADD_IF_ABSENT: a new header', append('new', 'ADD_IF_ABSENT'), {}, 'new'],
    [
      'OVERWRITE_IF_EXISTS_OR_ADD discards existing values',
      append('new', 'OVERWRITE_IF_EXISTS_OR_ADD'),
      old,
      'new',
    ],
    [
      'OVERWRITE_IF_EXISTS is a no-op if it does not exist',
      append('new', 'OVERWRITE_IF_EXISTS'),
      {},
      'absent',
    ],
    ['OVERWRITE_IF_EXISTS discards existing values', append('new', 'OVERWRITE_IF_EXISTS'), old, 'new'],
    ['append false replaces', { append: { header: { key: 'x', value: 'new' }, append: false } }, old, 'new'],
    ['custom headers with empty values are dropped', append('', 'OVERWRITE_IF_EXISTS_OR_ADD'), old, 'old'],
    [
      'unless keep_empty_value is set',
      append('', 'OVERWRITE_IF_EXISTS_OR_ADD', { keepEmptyValue: true }),
      old,
      '',
    ],
    ['%% is a percent sign', append('50%%'), {}, '50%'],
    ['a command operator is not evaluated', append('%REQ(y)%'), {}, 'depends'],
  ])('%s', (_, mutation, of, expected) => {
    expect(headerAfter({ ...of, config: mutate(mutation) })).toBe(expected);
  });

  it('of the filter are applied first, then from the most specific level, or to it', () => {
    const set = (value: string) => mutate(append(value, 'OVERWRITE_IF_EXISTS_OR_ADD'));
    const overrides = [set('route'), set('host')];
    expect(headerAfter({ config: set('own'), overrides })).toBe('host');
    const config = { ...set('own'), mostSpecificHeaderMutationsWins: true };
    expect(headerAfter({ config, overrides })).toBe('route');
  });

  it('of query parameters leave the path open', () => {
    const config = { mutations: { queryParameterMutations: [{ remove: 'q' }] } };
    expect(headerAfter({ config }, ':path')).toBe('depends');
  });
});
