import { expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { PendingIssues } from '@/server/forwarding/pending-issues';

const [rejected, absent] = [
  { id: 'i1', title: 'Cluster cart is rejected' },
  { id: 'i2', title: 'Listener shop does not exist' },
];

it('takes what differs from what is written, once, and nothing while the issues are not known', () => {
  const pending = new PendingIssues(
    new Map([
      ['a', JSON.stringify([rejected])],
      ['b', JSON.stringify([rejected])],
    ]),
  );
  const take = (...found: Parameters<typeof pending.take>) => runSteps(pending.take(...found));
  expect(take(undefined)).toBe(undefined);
  const found = new Map([
    ['a', [rejected]],
    ['c', [rejected, absent]],
  ]);
  expect(take(found)).toEqual({
    changed: new Map([['c', JSON.stringify([rejected, absent])]]),
    removed: ['b'],
  });
  expect(take(found)).toBe(undefined);
  expect(take(new Map(found))).toBe(undefined);
  expect(take(undefined)).toBe(undefined);
  expect(take(new Map())).toEqual({ changed: new Map(), removed: ['a', 'c'] });
});
