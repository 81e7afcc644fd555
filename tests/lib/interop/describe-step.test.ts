import { expect, it } from 'vitest';
import { describeStep } from '@/lib/interop/describe-step';

const step = {
  ...{ case: 'ping_pong', step: 2, of: 3, title: 'Every backend receives RPCs' },
  ...{ expected: 'only a1 and a2 answer, no RPC fails', seen: '40 RPCs: 40 by a1, 0 failed' },
};

it('states what a step saw, what it expected if it fails, and the verdict of the case', () => {
  expect(describeStep({ ...step, outcome: 'holds' })).toBe(
    'ping_pong 2/3: Every backend receives RPCs; seen 40 RPCs: 40 by a1, 0 failed',
  );
  const verdict = { verdict: 'rejects', reason: 'NACK of CDS' } as const;
  expect(describeStep({ ...step, outcome: 'fails', verdict })).toBe(
    'ping_pong 2/3: Every backend receives RPCs; expected only a1 and a2 answer, no RPC fails, seen 40 RPCs: 40 by a1, 0 failed; the client rejects the case',
  );
});
