import { max, min } from 'd3';
import { by, inTurn } from '../../collections/compare';
import { formatEndCut } from '../../format/end-cut';
import { type ClientReport, type ClientState, resourceKey } from '../../observation/client-state';
import { compareResourceKeys } from '../../observation/compare-resource-keys';
import { addressOfServer, isFailingServer } from '../../observation/failing-server';
import { waitingStates } from '../../observation/find-waiting';
import type { Vantage } from '../../observation/observation';
import { findProcesses } from '../../observation/open-ads-streams';
import type { ErrorState, ResourceKey } from '../../observation/resource-state';
import { findOriginalVantage, reportsResources } from '../../observation/vantage';
import { isProcessDocument } from '../../xds/process-document';
import { compareTypeUrls, formatResourceType, resourceTypes } from '../../xds/resource-type';
import type { ClientStatus, ConfigStatus, State } from '../../xds/status';
import { configStatuses, stateRank, states, worstState } from '../../xds/status';
import type { FreshnessOf } from './choose-report';
import { chooseReports, compareFreshness, listReports } from './choose-report';
import { describeRejection } from './describe-rejection';
import { countRows, listTrouble, noTotals, type TypeTotals, type WaitingResource } from './report-totals';
import { describeIssue } from './resource-issue';
import type {
  ClientDetail,
  ClientSummary,
  Report,
  SourceSync,
  TypeSummary,
  TypeSync,
  WaitingSummary,
} from './schema';

const troubleTextChars = 300;
const versionsShown = 3;

/** Builds a line of the fleet table: resources by type, trouble and freshness. */
export function buildClientSummary(client: ClientState, freshnessOf: FreshnessOf): ClientSummary {
  const reports = [...client.reports.values()]
    .map((report) => buildReport(report, client.clientId, freshnessOf))
    .sort(
      inTurn(
        by(({ freshness }) => freshness, compareFreshness),
        by(({ sourceId }) => sourceId),
      ),
    );
  const best = reports.find((report) => report.side === 'client') ?? reports[0];
  // The others do not change the config.
  const withResources = reports.filter(reportsResources);
  const processes = [...client.reports.values()].flatMap(({ streams }) => findProcesses(streams));
  const changing = withResources.length > 0 ? withResources : reports;
  return {
    id: client.clientId,
    nodeId: client.node.id,
    scope: client.scope,
    cluster: client.node.cluster,
    locality: client.node.locality,
    userAgent: `${client.node.userAgentName} ${client.node.userAgentVersion}`.trim(),
    isProbe: reports.some((report) => report.vantage === 'probe'),
    ...withFailingServer(summariseRows(client, freshnessOf), client),
    freshness: best?.freshness ?? 'stale',
    reason: best?.reason ?? 'no source reports this client',
    lastSeenAt: max(reports, ({ lastSeenAt }) => lastSeenAt),
    lastChangedAt: max(changing, ({ lastChangedAt }) => lastChangedAt) ?? 0,
    reports,
    ...(processes.length > 0 && { processes }),
    duplicateNodeId:
      processes.length > 0 ||
      disagree(
        listReports(client, 'client').filter(
          (report) => freshnessOf(report, client.clientId).freshness === 'live',
        ),
      ),
  };
}

/** `summary`: that of the client, if it was built already. */
export function buildClientDetail(
  client: ClientState,
  freshnessOf: FreshnessOf,
  summary = buildClientSummary(client, freshnessOf),
): ClientDetail {
  const typeUrls = [...resourceTypes, ...summary.types].map(({ typeUrl }) => typeUrl);
  const sync = buildTypeSync(client, typeUrls, freshnessOf);
  return {
    ...summary,
    ...(sync.length > 0 && { sync }),
    node: {
      ...client.node,
      clientFeatures: [...client.node.clientFeatures],
      metadata: { ...client.node.metadata },
    },
  };
}

function buildReport(report: ClientReport, clientId: string, freshnessOf: FreshnessOf): Report {
  const { freshness, reason, lastSeenAt, source, notVisible } = freshnessOf(report, clientId);
  const { clock } = report;
  return {
    sourceId: report.sourceId,
    vantage: report.vantage,
    ...(report.originalVantage !== undefined && { originalVantage: report.originalVantage }),
    side: report.side,
    ...(source !== undefined && { target: source.target }),
    ...(notVisible !== undefined && { notVisible }),
    firstSeenAt: report.firstSeenAt,
    lastChangedAt: report.lastChangedAt,
    lastSeenAt,
    freshness,
    reason,
    ...(clock !== undefined &&
      clock.toMs !== null && { clockSkew: { fromMs: clock.fromMs, toMs: clock.toMs } }),
    resources: report.resources.size - countDocuments(report),
  };
}

/** Only the admin interface of an Envoy, and files, have documents that a process reports about itself. */
function countDocuments(report: ClientReport): number {
  const vantage = findOriginalVantage(report);
  if (vantage !== 'envoy-admin' && vantage !== 'dump') return 0;
  let documents = 0;
  let last = '';
  let isDocument = false;
  for (const { typeUrl } of report.resources.values()) {
    // Resources of one type mostly follow one another.
    if (typeUrl !== last) isDocument = isProcessDocument(typeUrl);
    last = typeUrl;
    if (isDocument) documents += 1;
  }
  return documents;
}

type RowsSummary = Pick<
  ClientSummary,
  'types' | 'resources' | 'trouble' | 'troubleSince' | 'worst' | 'troubleText' | 'waiting'
>;

/** An unreachable management server is an issue even if no resource shows it. */
function withFailingServer(summary: RowsSummary, { reports }: ClientState): RowsSummary {
  const current = [...reports.values()].filter(({ goneAt }) => goneAt === null);
  const server = current.flatMap(({ connections = [] }) => connections.find(isFailingServer) ?? [])[0];
  if (server === undefined) return summary;
  const { failingSince, lastError = '' } = server;
  const text = `unreachable: management server ${addressOfServer(server)}`.trim();
  return {
    ...summary,
    trouble: summary.trouble + 1,
    troubleSince: min([{ at: summary.troubleSince }, { at: failingSince }], ({ at }) => at),
    troubleText: formatEndCut(lastError === '' ? text : `${text}: ${lastError}`, troubleTextChars),
  };
}

function summariseRows(client: ClientState, freshnessOf: FreshnessOf): RowsSummary {
  const totals = countRows(chooseReports(client, freshnessOf));
  const { types, wholeTypes, waiting } = totals;
  const all = [...types.values()];
  const listed = [...types].filter(([typeUrl]) => !isProcessDocument(typeUrl)).map(([, each]) => each);
  const trouble = listTrouble(totals);
  const waits = summariseWaiting(waiting);
  return {
    types: [...new Set([...types.keys(), ...wholeTypes.keys()])]
      .sort(compareTypeUrls)
      .map((typeUrl) =>
        summariseType(typeUrl, types.get(typeUrl) ?? noTotals(), wholeTypes.get(typeUrl)?.configStatus),
      ),
    resources: listed.reduce((sum, { total }) => sum + total, 0),
    trouble: trouble.length,
    troubleSince: min(trouble, ({ changedAt }) => changedAt),
    worst: worstState(all.flatMap(({ states }) => [...states.keys()])),
    troubleText: findTroubleText(
      trouble.map((row) => ({ ...row, service: formatResourceType(row.typeUrl) })),
    ),
    ...(waits.length > 0 && { waiting: waits }),
  };
}

/** Counts by state, with the resource that has waited longest. */
function summariseWaiting(resources: Iterable<WaitingResource>): WaitingSummary[] {
  const found = new Map<State, WaitingSummary>();
  for (const { resource, waiting } of resources) {
    for (const each of waiting) {
      const known = found.get(each.state);
      const count = (known?.resources ?? 0) + 1;
      const { typeUrl, name } = resource;
      const isLonger =
        known === undefined ||
        each.since < known.since ||
        (each.since === known.since && compareResourceKeys(resource, known) < 0);
      const longest = isLonger ? { ...each, typeUrl, service: formatResourceType(typeUrl), name } : known;
      found.set(each.state, { ...longest, resources: count });
    }
  }
  return waitingStates.flatMap((state) => found.get(state) ?? []);
}

function summariseType(typeUrl: string, totals: TypeTotals, sync: ConfigStatus | undefined): TypeSummary {
  const { total, states, configStatuses, versions, lastChangedAt, sized, sizeBytes, v2, unreported } = totals;
  const reported = [...configStatuses].filter(([status]) => status !== 'UNKNOWN');
  return {
    typeUrl,
    service: formatResourceType(typeUrl),
    total,
    byState: Object.fromEntries(states),
    byConfigStatus: Object.fromEntries(reported),
    ...(sync !== undefined && { sync }),
    worst: worstState(states.keys()),
    versions: largest(versions),
    lastChangedAt,
    sizeBytes: sized === 0 ? undefined : sizeBytes,
    ...(v2 > 0 && { v2 }),
    content: totals.content.toString(),
    ...(unreported > 0 && { unreported }),
  };
}

/** Finds the largest versions in one pass, since delta may have 100,000 versions. */
function largest(versions: Iterable<string>): string[] {
  let found: string[] = [];
  for (const version of versions) {
    const [least = ''] = found;
    if (version === '' || (found.length >= versionsShown && version < least)) continue;
    found = [...found, version].sort().slice(-versionsShown);
  }
  return found;
}

interface TroubledRow extends ResourceKey {
  readonly service: string;
  readonly state: State | ConfigStatus;
  readonly clientStatus: ClientStatus;
  readonly errorState: ErrorState | null;
  readonly changedAt: number;
}

/** Returns the reason of the worst row, the newest of equally bad ones. */
function findTroubleText(rows: readonly TroubledRow[]): string {
  const [worst] = rows.toSorted(
    (a, b) =>
      rankOf(a.state) - rankOf(b.state) ||
      (a.changedAt === b.changedAt ? compareResourceKeys(a, b) : a.changedAt < b.changedAt ? 1 : -1),
  );
  if (worst === undefined) return '';
  const { service, name, state } = worst;
  const reason = [state, describeIssue(state)].filter((part) => part !== '').join(': ');
  const what = name === '' ? service : `${service} ${name}`;
  return formatEndCut(`${what}: ${describeRejection(worst) || reason}`, troubleTextChars);
}

/** Statuses that only a control plane reports come after those of the client. */
function rankOf(status: State | ConfigStatus): number {
  return isState(status)
    ? stateRank(status)
    : states.length + configStatuses.length - configStatuses.indexOf(status);
}

function isState(status: State | ConfigStatus): status is State {
  return states.some((state) => state === status);
}

/**
 * Returns true if two live processes have the same node ID, so that their resources differ. Only reports of the same
 * vantage are compared, since CSDS and an admin interface report at different times, and different types. Two of our
 * probes may use one node ID, and are not compared.
 */
function disagree(reports: readonly ClientReport[]): boolean {
  const firstOfVantage = new Map<Vantage, ClientReport>();
  return reports.some((report) => {
    const vantage = findOriginalVantage(report);
    const first = firstOfVantage.get(vantage);
    if (first === undefined) firstOfVantage.set(vantage, report);
    if (first === undefined || vantage === 'probe') return false;
    return vantage === 'tap' ? hasOtherContent(first, report) : isDifferent(first, report);
  });
}

/** The streams of one process to several servers, with a tap each, have different resources. */
function hasOtherContent({ resources: some }: ClientReport, { resources: others }: ClientReport): boolean {
  for (const [key, { hash }] of others) {
    const known = some.get(key)?.hash ?? null;
    if (hash !== null && known !== null && hash !== known) return true;
  }
  return false;
}

function isDifferent({ resources: some }: ClientReport, { resources: others }: ClientReport): boolean {
  if (some.size !== others.size) return true;
  for (const [key, { hash }] of others) if (some.get(key)?.hash !== hash) return true;
  return false;
}

/** Builds the status of whole types, which control planes report in rows without a name. */
function buildTypeSync(
  client: ClientState,
  typeUrls: Iterable<string>,
  freshnessOf: FreshnessOf,
): SourceSync[] {
  const wanted = [...new Set(typeUrls)].sort(compareTypeUrls);
  return listReports(client, 'control-plane')
    .map((report): SourceSync => {
      const { freshness } = freshnessOf(report, client.clientId);
      return { sourceId: report.sourceId, freshness, types: typesOf(report, wanted) };
    })
    .filter(({ types }) => types.length > 0)
    .sort(
      inTurn(
        by(({ freshness }) => freshness, compareFreshness),
        by(({ sourceId }) => sourceId),
      ),
    );
}

function typesOf({ resources }: ClientReport, typeUrls: readonly string[]): TypeSync[] {
  return typeUrls.flatMap((typeUrl) => {
    const row = resources.get(resourceKey({ typeUrl, name: '' }));
    if (row === undefined) return [];
    const { configStatus, lastUpdated, errorState, nonces } = row;
    return [
      {
        ...{ typeUrl, service: formatResourceType(typeUrl), configStatus },
        lastUpdated: lastUpdated ?? undefined,
        error: errorState?.details ?? '',
        ...(nonces && { nonces }),
      },
    ];
  });
}
