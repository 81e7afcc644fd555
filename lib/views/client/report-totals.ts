import { findWaiting, type Waiting } from '../../observation/find-waiting';
import type { ResourceKey, ResourceState } from '../../observation/resource-state';
import { isWholeType } from '../../observation/whole-type';
import type { ConfigStatus, State } from '../../xds/status';
import type { EpochMs } from '../../xds/units';
import { type ClientResource, findResource, keysOf, type ResourceReports } from './client-resource';
import { ContentSum } from './content-sum';
import { findResourceIssue } from './resource-issue';

export interface TypeTotals {
  total: number;
  /** Counts by state of the rows that the client reports. */
  readonly states: Map<State, number>;
  readonly configStatuses: Map<ConfigStatus, number>;
  readonly versions: Set<string>;
  lastChangedAt: EpochMs | undefined;
  sized: number;
  sizeBytes: number;
  /** Rows of the v2 API. */
  v2: number;
  /** Rows without a body. */
  unreported: number;
  /** The sum of names and bodies. */
  readonly content: ContentSum;
}

export interface WaitingResource {
  readonly resource: ResourceKey;
  readonly waiting: readonly Waiting<EpochMs>[];
}

/** A resource with the status for which it is an issue. */
type TroubledResource = ResourceState & { readonly state: State | ConfigStatus };

/** Counts over the rows of a client. */
interface ReportTotals {
  readonly types: Map<string, TypeTotals>;
  readonly trouble: TroubledResource[];
  readonly waiting: WaitingResource[];
  /** The control plane's states of whole types. */
  readonly wholeTypes: Map<string, ResourceState>;
}

export function countRows(reports: ResourceReports): ReportTotals {
  const totals: ReportTotals = { types: new Map(), trouble: [], waiting: [], wholeTypes: new Map() };
  for (const key of keysOf(reports)) {
    const resource = findResource(reports, key);
    if (resource !== undefined) count(totals, resource);
  }
  for (const row of reports.controlPlaneReport?.resources.values() ?? [])
    if (isWholeType(row)) totals.wholeTypes.set(row.typeUrl, row);
  return totals;
}

/** Resources and types in trouble. The trouble of a type is that of its resources, if these are known. */
export function listTrouble({ trouble, wholeTypes }: ReportTotals): TroubledResource[] {
  const types = new Set(trouble.map(({ typeUrl }) => typeUrl));
  const whole = [...wholeTypes.values()].flatMap((row) => {
    const { typeUrl, configStatus: state } = row;
    return (state === 'ERROR' || state === 'STALE') && !types.has(typeUrl) ? [{ ...row, state }] : [];
  });
  return [...trouble, ...whole];
}

/** MUTATES the totals. */
function count({ types, trouble, waiting }: ReportTotals, resource: ClientResource): void {
  const { state: row, version, shown, configStatus, isOwn } = resource;
  const totals = types.get(row.typeUrl) ?? noTotals();
  types.set(row.typeUrl, totals);
  totals.total += 1;
  if (row.apiVersion === 'v2') totals.v2 += 1;
  if (isOwn && shown !== null) bump(totals.states, shown);
  bump(totals.configStatuses, configStatus);
  totals.versions.add(version);
  totals.lastChangedAt = Math.max(totals.lastChangedAt ?? row.changedAt, row.changedAt);
  if (row.hash === null) totals.unreported += 1;
  totals.content.count(row.name, row.hash);
  if (row.sizeBytes !== null) {
    totals.sized += 1;
    totals.sizeBytes += row.sizeBytes;
  }
  const waits = isOwn ? findWaiting(row, shown) : [];
  if (waits.length > 0) waiting.push({ resource: row, waiting: waits });
  const issue = findResourceIssue(resource);
  if (issue !== undefined) trouble.push({ ...row, state: issue });
}

export function noTotals(): TypeTotals {
  return {
    ...{ total: 0, states: new Map(), configStatuses: new Map(), versions: new Set<string>() },
    ...{ lastChangedAt: undefined, sized: 0, sizeBytes: 0, v2: 0, unreported: 0 },
    content: new ContentSum(),
  };
}

function bump<T>(counts: Map<T, number>, key: T): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
