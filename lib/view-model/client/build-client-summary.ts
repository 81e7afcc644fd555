import type { ClientDetail, ClientSummary, Report, TypeSummary } from '../../api/schema';
import { formatIsoTime, formatIsoTimeOrNull } from '../../format/iso-time';
import type { ClientReport, ClientState } from '../../observation/client-state';
import { compareResourceKeys } from '../../observation/compare-resource-keys';
import type { ResourceKey, Vantage } from '../../observation/observation';
import { findOriginalVantage } from '../../observation/vantage';
import { isProcessDocument } from '../../xds/process-document';
import { compareTypeUrls, formatResourceType, resourceTypes } from '../../xds/resource-type';
import { type ClientStatus, clientStatusRank, isTrouble, worstClientStatus } from '../../xds/status';
import { buildTypeSync } from './build-type-sync';
import { chooseReport, compareFreshness, type FreshnessOf, listReports } from './choose-report';
import { ReportTotals, type TypeTotals } from './report-totals';

const troubleTextChars = 300;
const versionsShown = 3;

/** The totals of a client's rows, for who keeps them. `words` are those of its reports that count. */
export type TotalsOf = (client: ClientState, words: ChosenReports) => ReportTotals;

export interface ChosenReports {
  readonly own: ClientReport | undefined;
  readonly theirs: ClientReport | undefined;
}

/** One line of the fleet table: what the client has of each type, what is wrong, and how current that is. */
export function buildClientSummary(
  client: ClientState,
  freshnessOf: FreshnessOf,
  totalsOf: TotalsOf = (_client, words) => ReportTotals.of(words),
): ClientSummary {
  const reports = [...client.reports.values()]
    .map((report) => buildReport(report, client.clientId, freshnessOf))
    .sort((a, b) => compareFreshness(a.freshness, b.freshness) || (a.sourceId < b.sourceId ? -1 : 1));
  const best = reports.find((report) => report.side === 'client') ?? reports[0];
  // A load report changes nothing that the client runs.
  const withResources = reports.filter((report) => findOriginalVantage(report) !== 'lrs');
  const reporting = withResources.length > 0 ? withResources : reports;
  const seen = reports.flatMap((report) => (report.lastSeenAt === null ? [] : [report.lastSeenAt])).sort();
  return {
    id: client.clientId,
    nodeId: client.node.id,
    scope: client.scope,
    cluster: client.node.cluster,
    locality: client.node.locality,
    userAgent: `${client.node.userAgentName} ${client.node.userAgentVersion}`.trim(),
    isProbe: reports.some((report) => report.vantage === 'probe'),
    ...summariseRows(client, freshnessOf, totalsOf),
    freshness: best?.freshness ?? 'stale',
    reason: best?.reason ?? 'no source reports this client',
    lastSeenAt: seen.at(-1) ?? null,
    lastChangedAt:
      reporting
        .map((report) => report.lastChangedAt)
        .sort()
        .at(-1) ?? formatIsoTime(0),
    reports,
    duplicateNodeId: disagree(
      withoutTwins(
        listReports(client, 'client').filter(
          (report) => freshnessOf(report, client.clientId).freshness === 'live',
        ),
      ),
    ),
  };
}

export function buildClientDetail(
  client: ClientState,
  freshnessOf: FreshnessOf,
  totalsOf?: TotalsOf,
): ClientDetail {
  const summary = buildClientSummary(client, freshnessOf, totalsOf);
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
  const { freshness, reason, lastSeenAt, target } = freshnessOf(report, clientId);
  return {
    sourceId: report.sourceId,
    vantage: report.vantage,
    ...(report.originalVantage !== undefined && { originalVantage: report.originalVantage }),
    side: report.side,
    ...(target !== undefined && { target }),
    firstSeenAt: formatIsoTime(report.firstSeenAt),
    lastChangedAt: formatIsoTime(report.lastChangedAt),
    lastSeenAt: formatIsoTimeOrNull(lastSeenAt),
    freshness,
    reason,
    resources: report.resources.size,
  };
}

type RowsSummary = Pick<ClientSummary, 'types' | 'resources' | 'trouble' | 'worst' | 'troubleText'>;

function summariseRows(client: ClientState, freshnessOf: FreshnessOf, totalsOf: TotalsOf): RowsSummary {
  const own = chooseReport(client, 'client', freshnessOf);
  const theirs = chooseReport(client, 'control-plane', freshnessOf);
  return summariseTotals(totalsOf(client, { own, theirs }));
}

function summariseTotals({ types, trouble }: ReportTotals): RowsSummary {
  const all = [...types.values()];
  return {
    types: [...types]
      .sort(([a], [b]) => compareTypeUrls(a, b))
      .map(([typeUrl, totals]) => summariseType(typeUrl, totals)),
    resources: all.reduce((sum, { total }) => sum + total, 0),
    trouble: trouble.size,
    worst: worstOf(types) ?? null,
    troubleText: findTroubleText(
      [...trouble.values()].map((row) => ({ ...row, service: formatResourceType(row.typeUrl) })),
    ),
  };
}

/** What has a status goes before what a process reports itself. */
function worstOf(types: ReportTotals['types']): ClientStatus | undefined {
  const statusesOf = (some: [string, TypeTotals][]) =>
    worstClientStatus(some.flatMap(([, { clientStatuses }]) => [...clientStatuses.keys()]));
  const all = [...types];
  return statusesOf(all.filter(([typeUrl]) => !isProcessDocument(typeUrl))) ?? statusesOf(all);
}

function summariseType(
  typeUrl: string,
  {
    total,
    clientStatuses,
    configStatuses,
    versions,
    changes,
    sized,
    sizeBytes,
    v2,
    unreported,
    content,
  }: TypeTotals,
): TypeSummary {
  const reported = [...configStatuses].filter(([status]) => status !== 'UNKNOWN');
  return {
    typeUrl,
    service: formatResourceType(typeUrl),
    total,
    byClientStatus: Object.fromEntries(clientStatuses),
    byConfigStatus: Object.fromEntries(reported),
    worst: worstClientStatus(clientStatuses.keys()) ?? null,
    versions: largest(versions.keys()),
    lastChangedAt: formatIsoTimeOrNull(newest(changes.keys())),
    sizeBytes: sized === 0 ? null : sizeBytes,
    ...(v2 > 0 && { v2 }),
    content: content.toString(),
    ...(unreported > 0 && { unreported }),
  };
}

/** In one pass: in delta each of 100,000 rows has a version of its own. */
function largest(versions: Iterable<string>): string[] {
  let found: string[] = [];
  for (const version of versions) {
    const [least = ''] = found;
    if (version === '' || (found.length >= versionsShown && version < least)) continue;
    found = [...found, version].sort().slice(-versionsShown);
  }
  return found;
}

function newest(times: Iterable<number>): number | null {
  let last: number | null = null;
  for (const time of times) if (last === null || time > last) last = time;
  return last;
}

interface TroubledRow extends ResourceKey {
  readonly service: string;
  readonly clientStatus: ClientStatus;
  readonly errorState: { readonly details: string } | null;
  readonly changedAt: number;
}

/** The worst row's reason, the newest of equals. */
function findTroubleText(rows: readonly TroubledRow[]): string {
  const worst = rows
    .filter((row) => isTrouble(row.clientStatus))
    .sort(
      (a, b) =>
        clientStatusRank(a.clientStatus) - clientStatusRank(b.clientStatus) ||
        (a.changedAt === b.changedAt ? compareResourceKeys(a, b) : a.changedAt < b.changedAt ? 1 : -1),
    )[0];
  if (worst === undefined) return '';
  const reason = worst.errorState?.details ?? '';
  const text = `${worst.service} ${worst.name}: ${reason === '' ? worst.clientStatus : reason}`;
  return text.length > troubleTextChars ? `${text.slice(0, troubleTextChars - 1)}…` : text;
}

/** Two probes of ours may ask as one node: that they disagree says something of the server, not of the node id. */
function withoutTwins(reports: readonly ClientReport[]): ClientReport[] {
  const first = reports.find(({ vantage }) => vantage === 'probe');
  return reports.filter((report) => report.vantage !== 'probe' || report === first);
}

/**
 * Two living processes under one node id: their accepted resources differ. Sources of different vantages are not held
 * against each other: CSDS and an admin interface report one process at different times, in other words, and not of all
 * the same types.
 */
function disagree(reports: readonly ClientReport[]): boolean {
  const firstOfVantage = new Map<Vantage, ClientReport>();
  return reports.some((report) => {
    const vantage = findOriginalVantage(report);
    const first = firstOfVantage.get(vantage);
    if (first === undefined) firstOfVantage.set(vantage, report);
    return first !== undefined && isDifferent(first, report);
  });
}

function isDifferent({ resources: some }: ClientReport, { resources: others }: ClientReport): boolean {
  if (some.size !== others.size) return true;
  for (const [key, { hash }] of others) if (some.get(key)?.hash !== hash) return true;
  return false;
}
