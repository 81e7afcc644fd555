import type { ClientSummary } from '../../api/schema';
import { formatLocality } from '../../format/locality';
import { formatResourceType } from '../../xds/resource-type';
import { clientStatusRank } from '../../xds/status';
import { buildConfigStatusCounts } from './build-status-counts';
import { isOfFiles } from './is-of-files';

/** null comes last, in both directions: unknown is neither small nor big. */
export type FleetSortValue = string | number | null;

/** Columns that every fleet has; each type in use is one more, by its label in small letters ("cds"). */
const columns: Readonly<Record<string, (client: ClientSummary) => FleetSortValue>> = {
  status: ({ worst, trouble }) => (worst === null ? null : clientStatusRank(worst) - trouble / 1e6),
  client: ({ nodeId, scope }) => `${nodeId}\n${scope}`,
  trouble: ({ trouble }) => trouble,
  nacks: countNacks,
  config: (client) => {
    const worst = worstConfigRank(client);
    return worst === -1 ? null : worst;
  },
  resources: ({ resources }) => resources,
  version: ({ types }) => types.flatMap(({ versions }) => versions)[0] ?? null,
  size: countBytes,
  cluster: ({ cluster }) => cluster || null,
  locality: ({ locality }) => (locality === null ? null : formatLocality(locality)),
  agent: ({ userAgent }) => userAgent || null,
  changed: ({ lastChangedAt }) => lastChangedAt,
  seen: (client) => ['gone', 'stale', 'file', 'live'].indexOf(isOfFiles(client) ? 'file' : client.freshness),
};

export function isFleetColumn(columnId: string): boolean {
  return Object.hasOwn(columns, columnId) || /^[^\s,]{1,80}$/.test(columnId);
}

/** What a column is sorted by. */
export function fleetSortValue(columnId: string): (client: ClientSummary) => FleetSortValue {
  const column = Object.hasOwn(columns, columnId) ? columns[columnId] : undefined;
  return column ?? ((client) => typeRank(client, columnId));
}

/** Trouble first, then size. */
function typeRank({ types }: ClientSummary, label: string): number | null {
  const type = types.find(({ typeUrl }) => formatResourceType(typeUrl).toLowerCase() === label);
  if (type === undefined || type.worst === null) return null;
  return (10 - clientStatusRank(type.worst)) * 1e7 + type.total;
}

/** Resources that the client rejects now. */
export function countNacks({ types }: ClientSummary): number {
  return types.reduce((sum, { byClientStatus }) => sum + (byClientStatus.NACKED ?? 0), 0);
}

/** Of all bodies that are reported; null: of none. */
export function countBytes({ types }: ClientSummary): number | null {
  const reported = types.flatMap(({ sizeBytes }) => (sizeBytes === null ? [] : [sizeBytes]));
  return reported.length === 0 ? null : reported.reduce((sum, bytes) => sum + bytes, 0);
}

const configRanks = { SYNCED: 0, UNKNOWN: 1, NOT_SENT: 2, STALE: 3, ERROR: 4 } as const;

/** What the control plane says, over all types; -1: it says nothing. */
function worstConfigRank({ types }: ClientSummary): number {
  const ranks = types.flatMap(({ byConfigStatus }) =>
    buildConfigStatusCounts(byConfigStatus).map(({ status }) => configRanks[status]),
  );
  return ranks.length === 0 ? -1 : Math.max(...ranks);
}
