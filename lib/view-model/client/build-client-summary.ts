import type { ClientDetail, ClientSummary, Report, ResourceRow, TypeSummary } from '../../api/schema';
import { formatIsoTime, formatIsoTimeOrNull } from '../../format/iso-time';
import type { ClientReport, ClientState } from '../../observation/client-state';
import { compareTypeUrls, formatResourceType } from '../../xds/resource-type';
import { clientStatusRank, isTrouble, worstClientStatus } from '../../xds/status';
import { collectResourceRows } from './build-resource-rows';
import { compareFreshness, type FreshnessOf, listReports } from './choose-report';

const troubleTextChars = 300;
const versionsShown = 3;

/** One line of the fleet table: what the client has of each type, what is wrong, and how current that is. */
export function buildClientSummary(client: ClientState, freshnessOf: FreshnessOf): ClientSummary {
  const rows = collectResourceRows(client, freshnessOf);
  const reports = [...client.reports.values()]
    .map((report) => buildReport(report, client.clientId, freshnessOf))
    .sort((a, b) => compareFreshness(a.freshness, b.freshness) || (a.sourceId < b.sourceId ? -1 : 1));
  const best = reports.find((report) => report.side === 'client') ?? reports[0];
  // A load report changes nothing that the client runs.
  const withResources = reports.filter((report) => report.vantage !== 'lrs');
  const telling = withResources.length > 0 ? withResources : reports;
  const own = rows.filter((row) => row.side === 'client');
  const seen = reports.flatMap((report) => (report.lastSeenAt === null ? [] : [report.lastSeenAt])).sort();
  return {
    id: client.clientId,
    nodeId: client.node.id,
    scope: client.scope,
    cluster: client.node.cluster,
    locality: client.node.locality,
    userAgent: `${client.node.userAgentName} ${client.node.userAgentVersion}`.trim(),
    isProbe: reports.some((report) => report.vantage === 'probe'),
    types: buildTypeSummaries(rows),
    resources: rows.length,
    trouble: own.filter((row) => isTrouble(row.clientStatus)).length,
    worst: worstClientStatus(own.map((row) => row.clientStatus)) ?? null,
    troubleText: findTroubleText(own),
    freshness: best?.freshness ?? 'stale',
    reason: best?.reason ?? 'no source tells of this client',
    lastSeenAt: seen.at(-1) ?? null,
    lastChangedAt:
      telling
        .map((report) => report.lastChangedAt)
        .sort()
        .at(-1) ?? formatIsoTime(0),
    reports,
    duplicateNodeId: disagree(
      listReports(client, 'client').filter(
        (report) => freshnessOf(report, client.clientId).freshness === 'live',
      ),
    ),
  };
}

export function buildClientDetail(client: ClientState, freshnessOf: FreshnessOf): ClientDetail {
  return {
    ...buildClientSummary(client, freshnessOf),
    node: {
      ...client.node,
      clientFeatures: [...client.node.clientFeatures],
      metadata: { ...client.node.metadata },
    },
  };
}

function buildReport(report: ClientReport, clientId: string, freshnessOf: FreshnessOf): Report {
  const { freshness, reason, lastSeenAt } = freshnessOf(report, clientId);
  return {
    sourceId: report.sourceId,
    vantage: report.vantage,
    side: report.side,
    firstSeenAt: formatIsoTime(report.firstSeenAt),
    lastChangedAt: formatIsoTime(report.lastChangedAt),
    lastSeenAt: formatIsoTimeOrNull(lastSeenAt),
    freshness,
    reason,
    resources: report.resources.size,
  };
}

function buildTypeSummaries(rows: readonly ResourceRow[]): TypeSummary[] {
  const byType = new Map<string, ResourceRow[]>();
  for (const row of rows) {
    const group = byType.get(row.typeUrl);
    if (group === undefined) byType.set(row.typeUrl, [row]);
    else group.push(row);
  }
  return [...byType]
    .sort(([a], [b]) => compareTypeUrls(a, b))
    .map(([typeUrl, group]) => {
      const own = group.filter((row) => row.side === 'client');
      const told = group.filter((row) => row.configStatus !== 'UNKNOWN');
      const sizes = group.flatMap((row) => (row.sizeBytes === null ? [] : [row.sizeBytes]));
      return {
        typeUrl,
        service: formatResourceType(typeUrl),
        total: group.length,
        byClientStatus: countBy(own.map((row) => row.clientStatus)),
        byConfigStatus: countBy(told.map((row) => row.configStatus)),
        worst: worstClientStatus(own.map((row) => row.clientStatus)) ?? null,
        versions: [...new Set(group.map((row) => row.versionInfo).filter((version) => version !== ''))]
          .sort()
          .slice(-versionsShown),
        lastChangedAt:
          group
            .map((row) => row.changedAt)
            .sort()
            .at(-1) ?? null,
        sizeBytes: sizes.length === 0 ? null : sizes.reduce((sum, size) => sum + size, 0),
      };
    });
}

function countBy<T extends string>(values: readonly T[]): Partial<Record<T, number>> {
  const counts: Partial<Record<T, number>> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/** The worst row's reason, the newest of equals. */
function findTroubleText(rows: readonly ResourceRow[]): string {
  const worst = rows
    .filter((row) => isTrouble(row.clientStatus))
    .sort(
      (a, b) =>
        clientStatusRank(a.clientStatus) - clientStatusRank(b.clientStatus) ||
        (a.changedAt < b.changedAt ? 1 : -1),
    )[0];
  if (worst === undefined) return '';
  const reason = worst.errorState?.details ?? '';
  const text = `${worst.service} ${worst.name}: ${reason === '' ? worst.clientStatus : reason}`;
  return text.length > troubleTextChars ? `${text.slice(0, troubleTextChars - 1)}…` : text;
}

/** Two living processes under one node id: their accepted resources differ. */
function disagree(reports: readonly ClientReport[]): boolean {
  const [first, ...others] = reports;
  if (first === undefined) return false;
  return others.some(
    (other) =>
      other.resources.size !== first.resources.size ||
      [...other.resources].some(([key, row]) => first.resources.get(key)?.hash !== row.hash),
  );
}
