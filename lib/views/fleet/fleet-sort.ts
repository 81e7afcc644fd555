import { max } from 'd3';
import { formatLocality } from '../../format/locality';
import { stateRank } from '../../xds/status';
import { isImportedClient } from '../client/is-imported-client';
import type { ClientSummary, TypeSummary } from '../client/schema';
import { buildConfigStatusCounts, configSeverity, countInState } from './build-status-counts';
import { configTypes } from './config-types';

interface HasTypes<Field extends keyof TypeSummary> {
  readonly types: readonly Pick<TypeSummary, Field>[];
}

/** null, which is unknown, is last in both directions. */
export type FleetSortValue = string | number | null;

/** The columns of every fleet. Each type in use is another column, by its label in lower case ("cds"). */
const columns: Readonly<Record<string, (client: ClientSummary) => FleetSortValue>> = {
  status: ({ worst, trouble }) => (worst === undefined ? null : stateRank(worst) - trouble / 1e6),
  client: ({ nodeId, scope }) => `${nodeId}\n${scope}`,
  trouble: ({ trouble }) => trouble,
  nacks: countNacks,
  config: ({ types }) =>
    max(
      types.flatMap(({ byConfigStatus, sync }) => [
        ...buildConfigStatusCounts(byConfigStatus).map(({ status }) => status),
        ...(sync === undefined ? [] : [sync]),
      ]),
      (status) => -configSeverity.indexOf(status),
    ) ?? null,
  resources: ({ resources }) => resources,
  version: ({ types }) => types.flatMap(({ versions }) => versions)[0] ?? null,
  size: (client) => countBytes(client) ?? null,
  cluster: ({ cluster }) => cluster || null,
  locality: ({ locality }) => (locality === null ? null : formatLocality(locality)),
  agent: ({ userAgent }) => userAgent || null,
  changed: ({ lastChangedAt }) => lastChangedAt,
  seen: (client) =>
    ['gone', 'stale', 'file', 'live'].indexOf(isImportedClient(client) ? 'file' : client.freshness),
};

/** The ids of the columns of every fleet. */
export const fleetSortColumns = Object.keys(columns);

export function fleetSortValue(columnId: string): (client: ClientSummary) => FleetSortValue {
  const column = Object.hasOwn(columns, columnId) ? columns[columnId] : undefined;
  return column ?? ((client) => typeRank(client, columnId));
}

/** Higher for worse statuses, then for more resources. */
function typeRank({ types }: ClientSummary, label: string): number | null {
  const type = types.find(({ service }) => service.toLowerCase() === label);
  if (type === undefined || type.worst === undefined) return null;
  return (20 - stateRank(type.worst)) * 1e7 + type.total;
}

export function countNacks(client: HasTypes<'byState'>): number {
  return countInState(client, 'NACKED');
}

/** The size of all reported bodies of resources; undefined if none is reported. */
export function countBytes(client: HasTypes<'typeUrl' | 'sizeBytes'>): number | undefined {
  const reported = configTypes(client).flatMap(({ sizeBytes }) =>
    sizeBytes === undefined ? [] : [sizeBytes],
  );
  return reported.length === 0 ? undefined : reported.reduce((sum, bytes) => sum + bytes, 0);
}
