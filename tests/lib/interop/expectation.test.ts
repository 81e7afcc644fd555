import { describe, expect, it } from 'vitest';
import { formatDuration } from '@/lib/format/duration';
import {
  assess,
  type ConnectionSecurity,
  describeExpectation,
  type Expectation,
  type Measured,
} from '@/lib/interop/expectation';
import { CDS } from '@/lib/xds/resource-type';

type Counts = Readonly<Record<string, number>>;

function block(
  peers: Counts,
  { failed = 0, methods = {} as Readonly<Record<string, Counts>> } = {},
): Measured {
  const list = (counts: Counts) => Object.entries(counts).map(([peer, count]) => ({ peer, count }));
  return {
    kind: 'block',
    block: {
      ...{ requested: 40, timeoutMs: 10_000, tookMs: 400, failed, peers: list(peers) },
      methods: Object.entries(methods).map(([method, counts]) => ({ method, peers: list(counts) })),
    },
  };
}

function counts(before: Counts, after: Counts, started = 0, method = 'UNARY_CALL'): Measured {
  const of = (codes: Counts, count: number) => [
    {
      ...{ method, started: count },
      ended: Object.entries(codes).map(([code, each]) => ({ code: Number(code), count: each })),
    },
  ];
  return { kind: 'counts', before: of(before, 0), after: of(after, started) };
}

const only: Expectation = { kind: 'only', backends: ['a1', 'a2'] };
const shares: Expectation = { kind: 'shares', rpcs: 100, counts: { a1: 20, b1: 80 }, tolerance: 5 };
const byMethod: Expectation = { kind: 'by-method', methods: { EmptyCall: ['b1'], UnaryCall: ['a1'] } };
const one: Expectation = { kind: 'one-backend', rpcs: 100 };
const none: Expectation = { kind: 'none-succeed', overMs: 1_500 };
const half: Expectation = {
  ...{ kind: 'status', type: 'UNARY_CALL', code: 16, share: 0.5, tolerance: 0.1, overMs: 4_000 },
};
const inFlight: Expectation = { kind: 'in-flight', type: 'UNARY_CALL', count: 500 };
const csds: Expectation = { kind: 'csds', resources: [{ typeUrl: CDS.typeUrl, name: 'a' }] };
const mtls: Expectation = { kind: 'required-security', security: 'mtls' };
const report = (name: string, status: string): Measured => ({
  kind: 'csds',
  rows: [{ typeUrl: CDS.typeUrl, name, status }],
});
const required = (...securities: readonly ConnectionSecurity[]): Measured => ({
  kind: 'required-security',
  backends: securities.map((security, index) => ({ name: `a${index + 1}`, security })),
});
const noFailures: Expectation = { kind: 'no-failures' };

const table: readonly [string, Expectation, Measured, boolean][] = [
  ['exactly the backends', only, block({ a1: 20, a2: 20 }), true],
  ['a backend more', only, block({ a1: 20, a2: 19, b1: 1 }), false],
  ['a backend less', only, block({ a1: 40 }), false],
  ['a failure', only, block({ a1: 20, a2: 19 }, { failed: 1 }), false],
  ['shares within the tolerance', shares, block({ a1: 24, b1: 76 }), true],
  ['shares beyond the tolerance', shares, block({ a1: 26, b1: 74 }), false],
  ['a share of another backend', shares, block({ a1: 20, b1: 79, c1: 1 }), false],
  [
    'methods at their backends',
    byMethod,
    block({ a1: 20, b1: 20 }, { methods: { EmptyCall: { b1: 20 }, UnaryCall: { a1: 20 } } }),
    true,
  ],
  [
    'a method at two backends',
    byMethod,
    block({ a1: 20, b1: 20 }, { methods: { EmptyCall: { b1: 19, a1: 1 }, UnaryCall: { a1: 20 } } }),
    false,
  ],
  ['a method without RPCs', byMethod, block({ b1: 40 }, { methods: { EmptyCall: { b1: 40 } } }), false],
  ['one backend', one, block({ a2: 100 }), true],
  ['two backends', one, block({ a2: 99, a1: 1 }), false],
  ['the backend of before, if another is expected', { ...one, isOther: true }, block({ a1: 100 }), false],
  ['another backend', { ...one, isOther: true }, block({ a2: 100 }), true],
  ['no success meanwhile', none, counts({ 0: 100 }, { 0: 100, 14: 30 }), true],
  ['nothing ended meanwhile', none, counts({}, {}), true],
  ['a success meanwhile', none, counts({ 0: 100 }, { 0: 101 }), false],
  ['half with the status', half, counts({ 0: 50, 16: 7 }, { 0: 100, 16: 60 }), true],
  ['all with the status', half, counts({ 0: 50, 16: 7 }, { 0: 50, 16: 100 }), false],
  ['nothing ended, of which a share is expected', half, counts({}, {}), false],
  ['the limit in flight', inFlight, counts({}, { 0: 100, 14: 20 }, 620), true],
  ['less in flight', inFlight, counts({}, { 0: 100 }, 570), false],
  ['more in flight', inFlight, counts({}, { 0: 100 }, 606), false],
  ['no failure ever', noFailures, counts({}, { 0: 100 }), true],
  ['a report of the resource', csds, report('a', 'ACKED'), true],
  ['a report of a resource that is not ACKED', csds, report('a', 'REQUESTED'), false],
  ['a report of another resource', csds, report('b', 'ACKED'), false],
  ['no report', csds, { kind: 'csds', rows: [] }, false],
  ['the security of each backend', mtls, required('mtls', 'mtls'), true],
  ['a backend without it', mtls, required('mtls', 'tls'), false],
  ['a failure long ago', noFailures, counts({ 14: 1 }, { 0: 100, 14: 1 }), false],
];

describe('assess', () => {
  it.each(table)('%s', (_, expectation, measured, holds) => {
    const found = assess(expectation, measured, ['a1']);
    expect(found.holds).toBe(holds);
    expect(found.seen).not.toBe('');
  });
});

it('states what is expected and what was seen', () => {
  expect(describeExpectation(only)).toBe('only a1 and a2 answer, no RPC fails');
  expect(assess(only, block({ a1: 39 }, { failed: 1 })).seen).toBe('40 RPCs: 39 by a1, 1 failed');
  expect(describeExpectation(half)).toBe(
    `40% to 60% of the UNARY_CALL RPCs that end in ${formatDuration(4_000)} are UNAUTHENTICATED`,
  );
  expect(assess(half, counts({ 0: 1 }, { 0: 3, 16: 2 }, 5)).seen).toBe(
    'UNARY_CALL: 5 started, 2 OK, 2 UNAUTHENTICATED',
  );
  expect(describeExpectation(csds)).toBe('CSDS of the client reports CDS "a", each ACKED');
  expect(assess(csds, report('a', 'NACKED')).seen).toBe('CDS "a" NACKED');
  expect(describeExpectation(mtls)).toBe('every backend requires TLS with a certificate of the client');
  expect(assess(mtls, required('plaintext')).seen).toBe('a1: plaintext');
});
