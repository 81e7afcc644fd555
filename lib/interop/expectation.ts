import { formatCount } from '../format/count';
import { formatDuration } from '../format/duration';
import type { RpcType } from '../observation/rpc-types';
import type { MethodCounts, RpcBlock } from '../observation/test-client';
import { formatResourceType } from '../xds/resource-type';
import { formatStatusCode } from '../xds/status-code';
import { describeBlock, describeCounts } from './describe-test-client';

/** The methods of TestService, as GetClientStats names them. */
export type TestMethod = 'EmptyCall' | 'UnaryCall';

export type Expectation =
  /** Exactly these backends answer a block of RPCs, and none fails. */
  | { readonly kind: 'only'; readonly backends: readonly string[]; readonly rpcs?: number }
  /** The backends answer these numbers of RPCs, each with the tolerance, and none fails. */
  | {
      readonly kind: 'shares';
      readonly rpcs: number;
      readonly counts: Readonly<Record<string, number>>;
      readonly tolerance: number;
    }
  /** Exactly these backends answer the RPCs of each method, and none fails. */
  | { readonly kind: 'by-method'; readonly methods: Readonly<Record<TestMethod, readonly string[]>> }
  /** One backend answers all RPCs. `isOther`: not one that answered in the step before. */
  | { readonly kind: 'one-backend'; readonly rpcs: number; readonly isOther?: true }
  /** No RPC of any type succeeds. */
  | { readonly kind: 'none-succeed'; readonly overMs: number }
  /** Of the RPCs that end, this share has the status, with the tolerance. */
  | {
      readonly kind: 'status';
      readonly type: RpcType;
      readonly code: number;
      readonly share: number;
      readonly tolerance: number;
      readonly overMs: number;
    }
  /** RPCs that have started and not ended. */
  | { readonly kind: 'in-flight'; readonly type: RpcType; readonly count: number }
  /** No RPC has failed since the client started: all of them wait until the channel is ready. */
  | { readonly kind: 'no-failures' }
  /** The client reports these resources by CSDS, as ACKED. */
  | { readonly kind: 'csds'; readonly resources: readonly ReportedRow[] }
  /** Every backend accepts connections of this security alone. */
  | { readonly kind: 'required-security'; readonly security: ConnectionSecurity };

interface ReportedRow {
  readonly typeUrl: string;
  readonly name: string;
}

/** `tls`: TLS, without a certificate of the client. `mtls`: the client needs a certificate. */
export type ConnectionSecurity = 'plaintext' | 'tls' | 'mtls';

/** What has to be measured to assess an expectation. */
type Measurement =
  | { readonly kind: 'block'; readonly rpcs: number }
  /** The counts at the begin and at the end of a time. */
  | { readonly kind: 'counts'; readonly overMs: number }
  | { readonly kind: 'csds' | 'required-security' };

export type Measured =
  | { readonly kind: 'block'; readonly block: RpcBlock }
  | {
      readonly kind: 'counts';
      readonly before: readonly MethodCounts[];
      readonly after: readonly MethodCounts[];
    }
  /** What the client under test reports; no rows if it reports no xDS client with the node of the run. */
  | { readonly kind: 'csds'; readonly rows: readonly (ReportedRow & { readonly status: string })[] }
  | { readonly kind: 'required-security'; readonly backends: readonly BackendSecurity[] };

interface BackendSecurity {
  readonly name: string;
  readonly security: ConnectionSecurity;
}

interface Assessment {
  readonly holds: boolean;
  readonly seen: string;
}

const usualRpcs = 40;
/** RPCs in flight may be below a limit by this share, and above it by a fifth of that: other calls end meanwhile. */
const inFlightTolerance = 0.05;

export function measurementOf(expectation: Expectation): Measurement {
  switch (expectation.kind) {
    case 'only':
      return { kind: 'block', rpcs: expectation.rpcs ?? usualRpcs };
    case 'shares':
    case 'one-backend':
      return { kind: 'block', rpcs: expectation.rpcs };
    case 'by-method':
      return { kind: 'block', rpcs: usualRpcs };
    case 'none-succeed':
    case 'status':
      return { kind: 'counts', overMs: expectation.overMs };
    case 'in-flight':
    case 'no-failures':
      return { kind: 'counts', overMs: 0 };
    case 'csds':
    case 'required-security':
      return { kind: expectation.kind };
  }
}

/** `usedBefore`: the backends that answered in the step before. */
export function assess(
  expectation: Expectation,
  measured: Measured,
  usedBefore: readonly string[] = [],
): Assessment {
  switch (measured.kind) {
    case 'block':
      return {
        holds: blockHolds(expectation, measured.block, usedBefore),
        seen: describeSeenBlock(expectation, measured.block),
      };
    case 'counts':
      return assessCounts(expectation, measured);
    case 'csds':
      return assessReport(expectation, measured.rows);
    case 'required-security': {
      const { backends } = measured;
      const holds =
        expectation.kind === 'required-security' &&
        backends.every(({ security }) => security === expectation.security);
      const seen = backends.map(({ name, security }) => `${name}: ${securities[security]}`);
      return { holds, seen: seen.join(', ') };
    }
  }
}

/** As in "only a1 and a2 receive RPCs, none fails". */
export function describeExpectation(expectation: Expectation): string {
  switch (expectation.kind) {
    case 'only':
      return `only ${listNames(expectation.backends)} answer${expectation.backends.length === 1 ? 's' : ''}, no RPC fails`;
    case 'shares': {
      const { rpcs, counts, tolerance } = expectation;
      const shares = Object.entries(counts).map(([name, count]) => `${formatCount(count)} by ${name}`);
      return `of ${formatCount(rpcs)} RPCs ${shares.join(', ')}, each ±${tolerance}, none fails`;
    }
    case 'by-method':
      return `${Object.entries(expectation.methods)
        .map(([method, backends]) => `${method} only by ${listNames(backends)}`)
        .join(', ')}, no RPC fails`;
    case 'one-backend':
      return `${formatCount(expectation.rpcs)} RPCs by one ${expectation.isOther ? 'other ' : ''}backend, none fails`;
    case 'none-succeed':
      return `no RPC succeeds in ${formatDuration(expectation.overMs)}`;
    case 'status': {
      const { type, code, share, tolerance, overMs } = expectation;
      const range = `${Math.round(100 * (share - tolerance))}% to ${Math.round(100 * Math.min(1, share + tolerance))}%`;
      return `${range} of the ${type} RPCs that end in ${formatDuration(overMs)} are ${formatStatusCode(code)}`;
    }
    case 'in-flight':
      return `${formatCount(expectation.count)} RPCs of ${expectation.type} in flight, at most 5% fewer or 1% more`;
    case 'no-failures':
      return 'no RPC has failed since the client started';
    case 'csds':
      return `CSDS of the client reports ${listNames(expectation.resources.map(nameRow))}, each ACKED`;
    case 'required-security':
      return `every backend requires ${securities[expectation.security]}`;
  }
}

const securities: Readonly<Record<ConnectionSecurity, string>> = {
  plaintext: 'plaintext',
  tls: 'TLS without a certificate of the client',
  mtls: 'TLS with a certificate of the client',
};

function nameRow({ typeUrl, name }: ReportedRow): string {
  return `${formatResourceType(typeUrl)} "${name}"`;
}

function assessReport(
  expectation: Expectation,
  rows: Extract<Measured, { readonly kind: 'csds' }>['rows'],
): Assessment {
  const isReported = (each: ReportedRow) =>
    rows.some(
      ({ typeUrl, name, status }) => typeUrl === each.typeUrl && name === each.name && status === 'ACKED',
    );
  const holds = expectation.kind === 'csds' && expectation.resources.every(isReported);
  const seen = rows.map((row) => `${nameRow(row)} ${row.status}`);
  return { holds, seen: seen.join(', ') || 'no resources of the node' };
}

function blockHolds(expectation: Expectation, block: RpcBlock, usedBefore: readonly string[]): boolean {
  const { failed, peers, methods } = block;
  if (failed > 0) return false;
  const names = peers.map(({ peer }) => peer);
  switch (expectation.kind) {
    case 'only':
      return isSameSet(names, expectation.backends);
    case 'shares': {
      const { counts, tolerance } = expectation;
      const known = new Map(peers.map(({ peer, count }) => [peer, count]));
      const isNear = ([name, count]: [string, number]) =>
        Math.abs((known.get(name) ?? 0) - count) <= tolerance;
      return Object.entries(counts).every(isNear) && names.every((name) => Object.hasOwn(counts, name));
    }
    case 'by-method':
      return Object.entries(expectation.methods).every(([method, backends]) => {
        const own = methods.find((each) => each.method === method)?.peers ?? [];
        return isSameSet(
          own.map(({ peer }) => peer),
          backends,
        );
      });
    case 'one-backend':
      return names.length === 1 && !(expectation.isOther && names.some((name) => usedBefore.includes(name)));
    default:
      return false;
  }
}

function describeSeenBlock(expectation: Expectation, block: RpcBlock): string {
  if (expectation.kind !== 'by-method') return describeBlock(block);
  const methods = block.methods.map(
    ({ method, peers }) => `${method} by ${listNames(peers.map(({ peer }) => peer))}`,
  );
  return [...methods, `${formatCount(block.failed)} failed`].join(', ');
}

function assessCounts(
  expectation: Expectation,
  { before, after }: Extract<Measured, { readonly kind: 'counts' }>,
): Assessment {
  switch (expectation.kind) {
    case 'none-succeed': {
      const ended = after.map((each) => differenceOf(each, before));
      return { holds: ended.every((each) => endedWith(each, 0) === 0), seen: describeAll(ended) };
    }
    case 'status': {
      const { type, code, share, tolerance } = expectation;
      const own = after.filter(({ method }) => method === type).map((each) => differenceOf(each, before));
      const total = own.reduce((sum, each) => sum + countEnded(each), 0);
      const found = own.reduce((sum, each) => sum + endedWith(each, code), 0);
      return { holds: total > 0 && Math.abs(found / total - share) <= tolerance, seen: describeAll(own) };
    }
    case 'in-flight': {
      const { type, count } = expectation;
      const own = after.find(({ method }) => method === type);
      const inFlight = own === undefined ? 0 : own.started - countEnded(own);
      const holds =
        inFlight >= count * (1 - inFlightTolerance) && inFlight <= count * (1 + inFlightTolerance / 5);
      return { holds, seen: `${formatCount(inFlight)} RPCs of ${type} in flight` };
    }
    case 'no-failures': {
      const failed = after.reduce((sum, each) => sum + countEnded(each) - endedWith(each, 0), 0);
      return { holds: failed === 0, seen: describeAll(after) };
    }
    default:
      return { holds: false, seen: describeAll(after) };
  }
}

function differenceOf(after: MethodCounts, all: readonly MethodCounts[]): MethodCounts {
  const before = all.find(({ method }) => method === after.method);
  if (before === undefined) return after;
  const ended = after.ended
    .map(({ code, count }) => ({ code, count: count - endedWith(before, code) }))
    .filter(({ count }) => count > 0);
  return { method: after.method, started: after.started - before.started, ended };
}

function endedWith({ ended }: MethodCounts, code: number): number {
  return ended.find((each) => each.code === code)?.count ?? 0;
}

export function countEnded({ ended }: MethodCounts): number {
  return ended.reduce((sum, { count }) => sum + count, 0);
}

function describeAll(counts: readonly MethodCounts[]): string {
  return counts.map(describeCounts).join('; ') || 'no RPCs';
}

function isSameSet(found: readonly string[], wanted: readonly string[]): boolean {
  return found.length === wanted.length && wanted.every((name) => found.includes(name));
}

/** "a1", "a1 and a2", "a1, a2 and b1". */
function listNames(names: readonly string[]): string {
  if (names.length < 2) return names[0] ?? 'none';
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
