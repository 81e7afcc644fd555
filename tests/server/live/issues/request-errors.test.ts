import { describe, expect, it } from 'vitest';
import type { ClientReport, ClientState } from '@/lib/observation/client-state';
import { noRequests, packRequests, type RequestCounts } from '@/lib/observation/packed-requests';
import { buildLoadIssue } from '@/lib/views/issues/build-load-issue';
import { KnownErrors, requestErrorsEntry } from '@/server/live/issues/known-errors';
import { RequestErrors } from '@/server/live/issues/request-errors';
import { sampleNode } from '../../../support/builders/observation-samples';
import { tempDataDir } from '../../../support/recorder-temp-dir';
import { openKept } from '../../../support/test-state';

const minute = 60_000;
/** Ten seconds into a minute. */
const now = 1_000 * minute + 10_000;

function client(
  clientId: string,
  vantage: 'channelz' | 'envoy-admin',
  scope = '',
  sourceId = vantage,
): ClientState {
  const report: ClientReport = {
    ...{ sourceId, vantage, side: 'client', firstSeenAt: 0, lastChangedAt: 0 },
    ...{ goneAt: null, goneReason: '', resources: new Map() },
  };
  const node = sampleNode(clientId);
  return { clientId, node, nodeSourceId: sourceId, scope, seq: 1, reports: new Map([[sourceId, report]]) };
}

/** `minutes`: for each of the newest minutes, the oldest first. */
async function findErrors(
  clients: readonly ClientState[],
  failing: Readonly<Record<string, readonly (Partial<RequestCounts> | undefined)[]>>,
  ofAll = 0,
  {
    at = now,
    dataDir = tempDataDir(),
    restartedAt,
    overTcp = [],
  }: { at?: number; dataDir?: string; restartedAt?: number; overTcp?: readonly string[] } = {},
) {
  const minutesOf = (all: readonly (Partial<RequestCounts> | undefined)[]) =>
    all.flatMap((counts, index) => {
      const from = Math.floor(at / minute) * minute - (all.length - 1 - index) * minute;
      const failedAt = (counts?.failed ?? 0) > 0 ? from + 3_000 : undefined;
      return counts === undefined ? [] : [{ from, counts: { ...noRequests, ...counts }, failedAt }];
    });
  const requests = packRequests({
    failing: new Map(Object.entries(failing).map(([name, all]) => [name, minutesOf(all)])),
    served: new Map(),
    all: minutesOf([{ completed: ofAll }]),
    overTcp: new Set(overTcp),
    allConnections: minutesOf([{ completed: 100 }]),
    restartedAt,
  });
  const live = { world: new Map(clients.map((each) => [each.clientId, each])) };
  const kept = await openKept(requestErrorsEntry, dataDir);
  const found = new RequestErrors({ live, requestsOf: () => requests, known: new KnownErrors(kept) }).find(
    at,
    true,
  );
  // Waits for what is being stored.
  await kept.change((same) => same);
  return found;
}

describe('failed requests by the counters of clients', () => {
  const envoy = client('edge', 'envoy-admin');

  it('are an issue from 5% and five within a minute on, as of load reports', async () => {
    expect(await findErrors([envoy], { cart: [{ completed: 100, failed: 4 }] })).toEqual([]);
    expect(await findErrors([envoy], { cart: [{ completed: 101, failed: 5 }] })).toEqual([]);
    expect(await findErrors([envoy], { cart: [{ completed: 100, failed: 5 }] }, 200)).toMatchObject([
      {
        ...{ clusterName: 'cart', from: 1_000 * minute + 3_000, to: undefined, clients: ['edge'] },
        measured: { errors: 5, completed: 100, ofAll: 200 },
      },
    ]);
  });

  it('end when none has failed for two minutes', async () => {
    const failed = { completed: 10, failed: 10 };
    const fine = { completed: 10 };
    expect(await findErrors([envoy], { cart: [failed, fine, fine] })).toMatchObject([{ to: undefined }]);
    expect(await findErrors([envoy], { cart: [failed, fine, fine, fine] })).toMatchObject([
      { to: 998 * minute },
    ]);
  });

  it('are of the client of a process whose target it is', async () => {
    const clients = [client('a', 'channelz', 'xds:/shop'), client('b', 'channelz', 'xds:/cart')];
    expect(
      await findErrors(clients, { 'xds:///cart': [{ completed: 261, failed: 160 }] }, 261),
    ).toMatchObject([
      { clusterName: 'xds:///cart', clients: ['b'], measured: { errors: 160, completed: 261 } },
    ]);
  });

  it('last over a restart of xdscope, which begins to count anew', async () => {
    const dataDir = tempDataDir();
    const failed = { completed: 10, failed: 10 };
    const findAt = async (at: number, failing: Parameters<typeof findErrors>[1]) =>
      (await findErrors([envoy], failing, 0, { at, dataDir })).map(({ from, to }) => [from, to]);
    const [first] = await findAt(now, { cart: [failed, failed] });
    expect(first).toEqual([999 * minute + 3_000, undefined]);
    // Nothing is counted yet.
    expect(await findAt(now + minute, {})).toEqual([first]);
    expect(await findAt(now + 2 * minute, { cart: [failed] })).toEqual([first]);
    expect(await findAt(now + 6 * minute, {})).toEqual([]);
    expect(await findAt(now + 7 * minute, { cart: [failed] })).toEqual([[1_007 * minute + 3_000, undefined]]);
  });

  it('keep an onset that is older than what is counted', async () => {
    const dataDir = tempDataDir();
    const failed = { completed: 10, failed: 10 };
    const hour = Array.from({ length: 60 }, () => failed);
    const findAt = async (at: number) =>
      (await findErrors([envoy], { cart: hour }, 0, { at, dataDir }))[0]?.from;
    const onset = await findAt(now);
    expect([await findAt(now + minute), await findAt(now + 2 * minute)]).toEqual([onset, onset]);
  });

  it('state that the counters began anew while they lasted', async () => {
    const failed = { completed: 10, failed: 10 };
    const causesOf = async (restartedAt: number) => {
      const [found] = await findErrors([envoy], { cart: [failed, failed] }, 0, { restartedAt });
      const issue =
        found &&
        buildLoadIssue({ found: [found], nodeIdOf: (id) => id, idOf: (key) => key, endOf: () => undefined });
      return issue?.cause.filter(({ at }) => at !== undefined).map(({ text, at }) => [text, at]);
    };
    expect(await causesOf(now - 5_000)).toEqual([
      ['The counters began anew, as after a restart of the client', now - 5_000],
    ]);
    expect(await causesOf(now - 5 * minute)).toEqual([]);
  });

  it('are stated with the counter that shows why', async () => {
    const issueOf = async (...input: Parameters<typeof findErrors>) => {
      const [found] = await findErrors(...input);
      return (
        found &&
        buildLoadIssue({ found: [found], nodeIdOf: (id) => id, idOf: (key) => key, endOf: () => undefined })
      );
    };
    const rejected = await issueOf([envoy], { cart: [{ completed: 60, failed: 48, overflow: 48 }] }, 360);
    expect(rejected).toMatchObject({
      ...{ kind: 'load-errors', severity: 'major', title: 'Requests to cluster cart fail' },
      impact: { level: 'some-fail', text: '80% of the requests to cart fail (13% of all measured requests)' },
      evidence: [{ label: 'Connections', target: { kind: 'connections', clientId: 'edge' } }],
    });
    expect(rejected?.cause.map(({ text }) => text)).toEqual([
      '48 of 60 completed requests were answered with 5xx (upstream_rq_5xx)',
      '48 rejected by a circuit breaker at its limit (upstream_rq_pending_overflow)',
    ]);
    expect(rejected?.nextStep).toMatch(/circuit breaker/);
    const rpcs = await issueOf(
      [client('a', 'channelz')],
      { 'xds:///cart': [{ completed: 118, failed: 118 }] },
      118,
    );
    expect(rpcs).toMatchObject({
      ...{ severity: 'critical', title: 'RPCs to xds:///cart fail', resource: undefined },
      impact: { level: 'all-fail', text: 'Every RPC to xds:///cart fails (100% of all measured RPCs)' },
    });
  });

  it('are connections where no request was sent, as by a TCP proxy', async () => {
    const counts = { completed: 20, failed: 20, connectFailure: 12, noHost: 3, overflow: 5 };
    const all = await findErrors([envoy], { redis: [counts], cart: [{ completed: 10, failed: 10 }] }, 10, {
      overTcp: ['redis'],
    });
    expect(all.map(({ clusterName, measured }) => [clusterName, measured.ofAll])).toEqual([
      ['cart', 10],
      ['redis', 100],
    ]);
    const found = all.filter(({ clusterName }) => clusterName === 'redis');
    const issue = buildLoadIssue({ found, nodeIdOf: (id) => id, idOf: (key) => key, endOf: () => undefined });
    expect(issue).toMatchObject({
      ...{ severity: 'major', title: 'Connections to cluster redis fail', since: now - 7_000 },
      impact: { text: 'Every connection to redis fails (20% of all measured connections)' },
      nextStep: expect.stringContaining('listen on their addresses'),
    });
    expect(issue.cause.map(({ text }) => text)).toEqual([
      '20 of 20 attempts to connect failed (upstream_cx_connect_fail, upstream_cx_none_healthy, upstream_cx_overflow)',
      '5 rejected by a circuit breaker at its limit (upstream_cx_overflow, upstream_rq_pending_overflow)',
      '3 found no usable host (upstream_cx_none_healthy)',
      '12 attempts to connect failed (upstream_cx_connect_fail)',
    ]);
  });
});
