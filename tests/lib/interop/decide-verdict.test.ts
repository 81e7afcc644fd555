import { describe, expect, it } from 'vitest';
import { combineVerdicts, decideVerdict, type RunEvidence } from '@/lib/interop/decide-verdict';

const failed = {
  title: 'Secondary after the primary stops',
  expected: 'only b1 receives RPCs',
  seen: '40 RPCs: 0 failed',
  preceded: 'ACK of EDS, 30.0 s before',
  isUnchanged: false,
};
const nack = { resourceType: 'CDS', errorDetail: 'no supported load balancing policy' };
const exit = { text: 'exit code 2: panic', hadRpc: true };

const flags = { environment: { GRPC_A: 'true', GRPC_B: '1' }, without: 'only a1 answers' };

const table: readonly [string, RunEvidence, string, RegExp][] = [
  ['every assertion held', {}, 'works', /^$/],
  [
    'an assertion did not hold',
    { failed },
    'fails',
    /expected only b1 receives RPCs; seen 40 RPCs: 0 failed/,
  ],
  [
    'every assertion held with flags that the client needs',
    { flags },
    'by-flag',
    /^works with GRPC_A=true GRPC_B=1; without: only a1 answers$/,
  ],
  ['flags change nothing', { flags, failed }, 'fails', /Secondary/],
  ['nothing changed', { failed: { ...failed, isUnchanged: true } }, 'ignored', /Secondary/],
  ['a NACK explains it', { failed, nack }, 'rejects', /^NACK of CDS: no supported/],
  ['a NACK that changes nothing', { nack }, 'works', /^$/],
  ['the program lacks it', { failed, nack, unable: 'no policy' }, 'unable', /^no policy$/],
  ['a program that was listed as unable works', { unable: 'no policy' }, 'works', /^$/],
  ['the client ended later', { failed, exit }, 'fails', /exit code 2: panic/],
  ['the client ended after all held', { exit }, 'fails', /exit code 2/],
  [
    'the client ended at its start',
    { exit: { ...exit, hadRpc: false } },
    'inconclusive',
    /before its first RPC/,
  ],
  [
    'the rate was low',
    { failed, rate: { asked: 100, measured: 79 } },
    'inconclusive',
    /expected 100 .* 79\.0/,
  ],
  ['the rate was sufficient', { failed, rate: { asked: 100, measured: 80 } }, 'fails', /Secondary/],
  ['the rate was low, and all held', { rate: { asked: 100, measured: 10 } }, 'works', /^$/],
  ['the servers were late', { failed, delayMs: 2_500 }, 'inconclusive', /2500 ms: the machine is busy/],
  ['the servers were a little late', { failed, delayMs: 1_500 }, 'fails', /Secondary/],
  ['a port was taken', { failed, obstacle: 'port 80 is in use' }, 'inconclusive', /port 80/],
];

describe('decideVerdict', () => {
  it.each(table)('%s', (_, evidence, verdict, reason) => {
    expect(decideVerdict(evidence)).toEqual({ verdict, reason: expect.stringMatching(reason) });
  });
});

describe('combineVerdicts', () => {
  it('calls a case flaky if some of its runs work and some do not', () => {
    expect(combineVerdicts([])).toBe('not-run');
    expect(combineVerdicts(['works', 'works'])).toBe('works');
    expect(combineVerdicts(['works', 'fails'])).toBe('flaky');
    expect(combineVerdicts(['fails', 'rejects'])).toBe('fails');
    expect(combineVerdicts(['works', 'inconclusive'])).toBe('works');
  });
});
