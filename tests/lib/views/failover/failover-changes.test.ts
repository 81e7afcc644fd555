import { expect, it } from 'vitest';
import type { Change } from '@/lib/lb/simulator/change';
import { addChange, formatChangesText, parseChangesText } from '@/lib/views/failover/failover-changes';

const dead: Change = {
  kind: 'condition',
  at: 3,
  target: { priority: 0, address: 'a:1' },
  to: 'dead',
};
const factor: Change = { kind: 'factor', at: 5, percent: 120 };

it('changes are preserved in the URL', () => {
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

it('valid changes are kept among invalid ones', () => {
  expect(parseChangesText(JSON.stringify([null, dead, { kind: 'weight' }]))).toEqual([dead]);
});

it('a change replaces one of the same target and second, and is added in another second', () => {
  const healed: Change = { ...dead, to: 'healthy' };
  expect(addChange([dead, factor], healed)).toEqual([factor, healed]);
  expect(addChange([dead], { ...healed, at: 9 })).toHaveLength(2);
  expect(addChange([dead], { ...dead, target: { priority: 0 } })).toHaveLength(2);
});
