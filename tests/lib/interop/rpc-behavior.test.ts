import { describe, expect, it } from 'vitest';
import { applyBehavior, parseRpcBehavior } from '@/lib/interop/rpc-behavior';

function outcome(values: readonly string[], server = { hostname: 'b1', attempt: 0 }) {
  const parsed = parseRpcBehavior(values);
  if (!parsed.ok) throw new Error(parsed.reason);
  return applyBehavior(parsed.options, server);
}

describe('rpc-behavior', () => {
  it('applies options in their order until one of them ends the RPC', () => {
    expect(outcome([])).toEqual({ delayMs: 0, code: 0 });
    expect(outcome(['sleep-2,error-code-14'])).toEqual({ delayMs: 2000, code: 14 });
    expect(outcome(['sleep-2', 'sleep-1', 'keep-open', 'error-code-2'])).toEqual({
      ...{ delayMs: 3000, code: null },
    });
    expect(outcome(['error-code-0,error-code-15'])).toEqual({ delayMs: 0, code: 15 });
  });

  it('applies an option with a hostname at that server alone', () => {
    const behavior = ['hostname=b1 error-code-2'];
    expect(outcome(behavior)).toEqual({ delayMs: 0, code: 2 });
    expect(outcome(behavior, { hostname: 'b2', attempt: 0 })).toEqual({ delayMs: 0, code: 0 });
  });

  it.each(['succeed', 'success'])('lets one attempt of several %s', (word) => {
    const behavior = [`${word}-on-retry-attempt-3,error-code-14`];
    expect(outcome(behavior, { hostname: 'b1', attempt: 2 }).code).toBe(14);
    expect(outcome(behavior, { hostname: 'b1', attempt: 3 }).code).toBe(0);
  });

  it.each([
    ...['', 'sleep', 'sleep-', 'sleep--1', 'sleep-99999', 'error-code-17', 'error-code-x', 'keep-open-1'],
    ...['hostname=b1', 'hostname= keep-open', 'succeed-on-retry-attempt', 'keep-open,'],
  ])('reports the option %j with what is expected', (text) => {
    expect(parseRpcBehavior([text])).toEqual({
      ok: false,
      reason: expect.stringMatching(/^rpc-behavior: expected one of sleep-N, .*, got ".*"$/),
    });
  });
});
