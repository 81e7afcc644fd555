import { expect, it } from 'vitest';
import { describeChecks } from '@/lib/views/issues/describe-checks';

const partly = (...of: readonly (readonly [unchecked: number, listeners: number])[]) => ({
  total: of.length,
  items: of.map(([unchecked, listeners]) => ({ clientId: 'c1', nodeId: 'edge', unchecked, listeners })),
});

it.each([
  [
    '37 of 100 listeners of edge are not checked',
    { checked: 1, total: 1, asOf: 100_000, partly: partly([37, 100]) },
  ],
  [
    'not all listeners of 2 clients are checked',
    { checked: 2, total: 2, asOf: 100_000, partly: partly([37, 100], [1, 2]) },
  ],
  ['', { checked: 3, total: 3, asOf: 95_000 }],
  ['', { checked: 0, total: 0 }],
  ['the config of 2 of 3 clients is checked', { checked: 2, total: 3, asOf: 100_000 }],
  ['some of the config is checked as it was 40 s ago', { checked: 3, total: 3, asOf: 60_000 }],
])('states %j', (text, checks) => {
  expect(describeChecks({ partly: partly(), ...checks }, 100_000)).toBe(text);
});
