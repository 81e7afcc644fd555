import { expect, it } from 'vitest';
import type { FailoverChange } from '@/lib/api/failover';
import { addChange, formatChangesText, parseChangesText } from '@/lib/view-model/failover/failover-changes';

const dead: FailoverChange = {
  kind: 'condition',
  at: 3,
  target: { priority: 0, address: 'a:1' },
  to: 'dead',
};
const factor: FailoverChange = { kind: 'factor', at: 5, percent: 120 };

it('changes are the same after their way through the address', () => {
  expect(parseChangesText(formatChangesText([dead, factor]))).toEqual([dead, factor]);
  expect(formatChangesText([])).toBe('');
});

it.each([
  '',
  'x',
  '{}',
  '[',
  '[1]',
  '[{"kind":"condition","at":-1,"target":{},"to":"dead"}]',
  '[{"kind":"condition","at":1,"target":{},"to":"gone"}]',
  '[{"kind":"weight","at":1,"target":{"priority":"0"},"weight":1}]',
  'null',
])('what is none is left out: %s', (text) => expect(parseChangesText(text)).toEqual([]));

it('what is good among what is not is kept', () => {
  expect(parseChangesText(JSON.stringify([null, dead, { kind: 'weight' }]))).toEqual([dead]);
});

it('the same done anew in the same second replaces what was done; in another second it is one more', () => {
  const healed: FailoverChange = { ...dead, to: 'healthy' };
  expect(addChange([dead, factor], healed)).toEqual([factor, healed]);
  expect(addChange([dead], { ...healed, at: 9 })).toHaveLength(2);
  expect(addChange([dead], { ...dead, target: { priority: 0 } })).toHaveLength(2);
});
