import { by, byDescending, inTurn } from '../../collections/compare';
import type { ClientState } from '../../observation/client-state';
import type { MethodCounts, RpcBlock, TestClient } from '../../observation/test-client';
import { formatStatusCode } from '../../xds/status-code';
import { compareFreshness, type Freshness, type FreshnessOf } from '../client/choose-report';
import type { ConfiguredServer } from './expected-shares';
import type { MethodRow, PeerRow, ServerRow, TestClientPage } from './schema';

/** What the freshest source of the kind `interop` reports of a client. */
export interface ReportedTestClient {
  readonly sourceId: string;
  readonly freshness: Freshness;
  readonly reason: string;
  readonly testClient: TestClient;
}

/** undefined if no source reports the client as a test client. */
export function findTestClient(
  { clientId, reports }: ClientState,
  freshnessOf: FreshnessOf,
): ReportedTestClient | undefined {
  const [chosen] = [...reports.values()]
    .flatMap((report) => {
      const { testClient, sourceId, lastChangedAt } = report;
      if (testClient === undefined) return [];
      const { freshness, reason } = freshnessOf(report, clientId);
      return [{ sourceId, lastChangedAt, freshness, reason, testClient }];
    })
    .sort(
      inTurn(
        by(({ freshness }) => freshness, compareFreshness),
        byDescending(({ lastChangedAt }) => lastChangedAt),
      ),
    );
  if (chosen === undefined) return undefined;
  const { lastChangedAt: _, ...reported } = chosen;
  return reported;
}

export function buildTestClient(
  reported: ReportedTestClient | undefined,
  {
    servers,
    ...comparison
  }: Pick<NonNullable<TestClientPage['block']>, 'clusters' | 'unmatched'> & {
    readonly servers: readonly ConfiguredServer[];
  },
): Pick<TestClientPage, 'source' | 'counts' | 'block' | 'configuration' | 'servers'> {
  if (reported === undefined) return { servers: [] };
  const { sourceId, freshness, reason, testClient } = reported;
  const { counts, block, configuration } = testClient;
  return {
    source: { sourceId, freshness, reason },
    ...(counts && { counts: buildCounts(counts) }),
    ...(block && { block: { ...buildBlock(block), ...comparison } }),
    servers: servers.map((server) => buildServer(server, testClient.servers)),
    ...(configuration && {
      configuration: {
        ...configuration,
        types: [...configuration.types],
        metadata: configuration.metadata.map((entry) => ({ ...entry })),
      },
    }),
  };
}

function buildCounts({
  at,
  methods,
  previous,
}: NonNullable<TestClient['counts']>): NonNullable<TestClientPage['counts']> {
  const before = previous !== undefined && previous.at < at ? previous : undefined;
  const overSeconds = before && (at - before.at) / 1000;
  const known = new Map(before?.methods.map((each) => [each.method, each]));
  return {
    at,
    ...(overSeconds !== undefined && { overSeconds }),
    methods: methods.map((each) => buildMethod(each, known.get(each.method), overSeconds)),
  };
}

function buildMethod(
  { method, started, ended }: MethodCounts,
  before: MethodCounts | undefined,
  overSeconds: number | undefined,
): MethodRow {
  const rate = (now: number, then: number): { readonly perSecond?: number } =>
    overSeconds === undefined || now < then ? {} : { perSecond: (now - then) / overSeconds };
  const endedBefore = new Map(before?.ended.map(({ code, count }) => [code, count]));
  const { perSecond } = rate(started, before?.started ?? 0);
  const sum = ended.reduce((total, { count }) => total + count, 0);
  return {
    method,
    started,
    ...(perSecond !== undefined && { startedPerSecond: perSecond }),
    inFlight: Math.max(0, started - sum),
    statuses: ended.map(({ code, count }) => ({
      ...{ code, name: formatStatusCode(code), count },
      ...rate(count, endedBefore.get(code) ?? 0),
    })),
  };
}

function buildBlock({
  peers,
  methods,
  ...block
}: NonNullable<TestClient['block']>): Omit<NonNullable<TestClientPage['block']>, 'clusters' | 'unmatched'> {
  return {
    ...block,
    peers: buildPeers(peers),
    methods: methods.map((each) => ({ method: each.method, peers: buildPeers(each.peers) })),
  };
}

function buildServer(server: ConfiguredServer, set: TestClient['servers'] = []): ServerRow {
  const found = set.find(({ address }) => address === server.address);
  return { ...server, ...(found && { set: { at: found.at, isServing: found.isServing } }) };
}

function buildPeers(peers: RpcBlock['peers']): PeerRow[] {
  const sum = peers.reduce((total, { count }) => total + count, 0);
  return peers.map(({ peer, count }) => ({ peer, count, share: sum === 0 ? 0 : count / sum }));
}
