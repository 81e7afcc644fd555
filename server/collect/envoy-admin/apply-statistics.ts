import { findWarming } from '@/lib/observation/find-warming';
import type { ErrorState, ResourceState } from '@/lib/observation/resource-state';
import { CDS, EDS, LDS, RDS, SRDS, VHDS } from '@/lib/xds/resource-type';
import type { ReportedResource } from '../../codec/codec';
import type { ClusterNames } from './peek-names';
import { statisticName } from './read-statistics';
import type { EarlierRejection, RejectedSubscription } from './rejection-tracker';
import type { StatisticsFindings } from './statistics-requests';

/** Clusters with names that differ from their own, or without EDS. */
export type NamesOfClusters = ReadonlyMap<string, ClusterNames>;

/** The names that statistics may stand for, beside those of the rows. */
interface KnownNames {
  readonly clusters: NamesOfClusters;
  /** The route configurations that listeners request, which Envoy need not have. */
  readonly routes: ReadonlySet<string>;
}

/** The name of a cluster in statistics. */
export function clusterStatistic(cluster: string, names: NamesOfClusters): string {
  return statisticName(names.get(cluster)?.statistics || cluster);
}

/**
 * Adds the rejections that a config dump does not report: to the rows of the resources that statistics name, else as a
 * row of the whole type.
 */
export function applyStatistics(
  rows: readonly ReportedResource[],
  { clusters, routes }: KnownNames,
  { rejected, idleClusters, withdrawn = [], cdsAcceptedAt }: StatisticsFindings,
): ReportedResource[] {
  const idle = new Set(idleClusters);
  const served = withoutWithdrawn(rows, { clusters, idle, withdrawn: new Set(withdrawn) });
  const marked = markRejectedWarming(served, clusters, idle);
  const named = new Map<string, RejectedSubscription>();
  const ofTypes = new Map<string, RejectedSubscription>();
  const several = findSeveral(rejected);
  const findName = nameFinder(marked, { clusters, routes });
  for (const each of rejected) {
    const name = isOfMany(each) ? undefined : findName(each);
    const isOneOfSeveral = each.verdict === 'shared' && several.has(each.typeUrl);
    if (name === undefined || isOneOfSeveral) addWorse(ofTypes, each.typeUrl, each);
    if (name !== undefined) addWorse(named, keyOf({ typeUrl: each.typeUrl, name }), each);
  }
  const result = marked.map((row) => {
    const each = named.size === 0 ? undefined : named.get(keyOf(row));
    if (each === undefined) return row;
    named.delete(keyOf(row));
    return { ...row, clientStatus: statusOf(each), errorState: errorOf(each) };
  });
  for (const [key, each] of named) result.push(rowOf(each, key.slice(key.indexOf('\u0000') + 1)));
  for (const each of ofTypes.values()) {
    // The rejected resources are known.
    if (each.typeUrl === LDS.typeUrl && result.some(isRejectedListener)) continue;
    if (each.typeUrl === CDS.typeUrl && result.some((row) => isRejectedCluster(row, each, cdsAcceptedAt)))
      continue;
    const isShared = each.verdict === 'shared';
    result.push({ ...rowOf(each, ''), ...(isShared && { clientStatus: 'NACKED' }) });
  }
  return result;
}

/** Returns true if the statistics are for several resources: which of them was rejected is not known. */
function isOfMany({ typeUrl, name }: RejectedSubscription): boolean {
  return name === '' || typeUrl === VHDS.typeUrl || typeUrl === SRDS.typeUrl;
}

/** The types of which it is unknown which of several resources was rejected. */
function findSeveral(rejected: readonly RejectedSubscription[]): ReadonlySet<string> {
  const [seen, several] = [new Set<string>(), new Set<string>()];
  for (const { typeUrl, verdict } of rejected) {
    if (verdict === 'rejected') continue;
    if (seen.has(typeUrl)) several.add(typeUrl);
    seen.add(typeUrl);
  }
  return several;
}

/**
 * Envoy reports a rejected listener or cluster until it accepts another response. The management server may no longer serve
 * it, and have nothing else to send.
 */
function withoutWithdrawn(
  rows: readonly ReportedResource[],
  {
    clusters,
    idle,
    withdrawn,
  }: {
    readonly clusters: NamesOfClusters;
    readonly idle: ReadonlySet<string>;
    readonly withdrawn: ReadonlySet<string>;
  },
): ReportedResource[] {
  if (withdrawn.size === 0) return [...rows];
  return rows.flatMap((row): ReportedResource[] => {
    const { typeUrl, stage, isStatic, otherVersions } = row;
    if (!withdrawn.has(typeUrl) || isStatic) return [row];
    if (typeUrl === LDS.typeUrl && row.errorState !== null)
      return row.hash === null ? [] : [{ ...row, clientStatus: 'ACKED', errorState: null }];
    if (typeUrl !== CDS.typeUrl || !idle.has(clusterStatistic(row.name, clusters))) return [row];
    if (stage === 'warming') return [];
    const others = otherVersions?.filter((each) => each.stage !== 'warming');
    return [{ ...row, ...(otherVersions && { otherVersions: others }) }];
  });
}

/** Envoy keeps a cluster that it rejected after creating it among those that warm, and never starts it. */
function markRejectedWarming(
  rows: ReportedResource[],
  names: NamesOfClusters,
  idle: ReadonlySet<string>,
): ReportedResource[] {
  if (idle.size === 0) return rows;
  return rows.map((row) => {
    if (row.typeUrl !== CDS.typeUrl || row.isStatic || !idle.has(clusterStatistic(row.name, names)))
      return row;
    const warming = findWarming(row);
    if (warming === undefined) return row;
    const { versionInfo, lastUpdated: lastUpdateAttempt, hash: failedHash } = warming;
    const statistic = 'cluster_manager.cds.update_rejected';
    const errorState = { details: '', versionInfo, lastUpdateAttempt, failedHash, statistic };
    return { ...row, clientStatus: 'NACKED', errorState };
  });
}

function nameFinder(
  rows: readonly ReportedResource[],
  { clusters, routes }: KnownNames,
): (subscription: RejectedSubscription) => string | undefined {
  const byType = new Map<string, Map<string, string | undefined>>();
  const namesOf = (typeUrl: string): Map<string, string | undefined> => {
    const known = byType.get(typeUrl);
    if (known !== undefined) return known;
    const found = new Map<string, string | undefined>();
    byType.set(typeUrl, found);
    /** Two names can have one name in statistics: it is of neither then. */
    const add = (statistic: string, name: string): void => {
      const known = found.get(statistic);
      found.set(statistic, found.has(statistic) && known !== name ? undefined : name);
    };
    for (const { typeUrl: type, name, isStatic } of rows) {
      if (type !== (typeUrl === EDS.typeUrl ? CDS.typeUrl : typeUrl)) continue;
      // A cluster of the bootstrap may have its endpoints by EDS.
      if (isStatic && typeUrl !== EDS.typeUrl) continue;
      if (typeUrl === EDS.typeUrl) {
        add(clusterStatistic(name, clusters), clusters.get(name)?.endpoints || name);
      } else add(statisticName(name), name);
    }
    if (typeUrl === RDS.typeUrl) for (const name of routes) add(statisticName(name), name);
    return found;
  };
  return ({ typeUrl, name }) => {
    const found = namesOf(typeUrl);
    if (found.has(name) || typeUrl === EDS.typeUrl) return found.get(name);
    // A resource that was never accepted is in no dump. "_" may stand for another character.
    return name.includes('_') ? undefined : name;
  };
}

const verdicts = ['rejected', 'shared', 'unclear'] as const satisfies RejectedSubscription['verdict'][];

/** Several statistics may be about one resource: the newest counts, of equally new ones the worst. */
function addWorse(all: Map<string, RejectedSubscription>, key: string, each: RejectedSubscription): void {
  const known = all.get(key);
  const isWorse =
    known === undefined ||
    each.at > known.at ||
    (each.at === known.at && verdicts.indexOf(each.verdict) < verdicts.indexOf(known.verdict));
  if (isWorse) all.set(key, each);
}

function isRejectedListener({ typeUrl, errorState }: ReportedResource): boolean {
  return typeUrl === LDS.typeUrl && errorState !== null;
}

/**
 * True if the row is a cluster of the rejected response: one that was rejected after the newest CDS response that
 * Envoy accepted. If the order of the two responses is not known, any rejected cluster counts, because the accepted
 * response may be the rejected one, sent again.
 */
function isRejectedCluster(
  { typeUrl, errorState }: ReportedResource,
  { verdict }: RejectedSubscription,
  acceptedAt: number | null,
): boolean {
  if (typeUrl !== CDS.typeUrl || errorState === null) return false;
  return verdict === 'unclear' || (errorState.lastUpdateAttempt ?? 0) > (acceptedAt ?? 0);
}

function statusOf({ verdict }: RejectedSubscription): ReportedResource['clientStatus'] {
  return verdict === 'rejected' ? 'NACKED' : 'UNKNOWN';
}

/** Statistics have neither a text nor the rejected payload. */
function errorOf({ at, statistic, successes }: RejectedSubscription): ErrorState {
  return { details: '', versionInfo: '', lastUpdateAttempt: at, failedHash: null, statistic, successes };
}

/** The rejections that statistics showed when these rows were reported. Reverts applyStatistics(). */
export function findEarlier(rows: Iterable<ResourceState>): EarlierRejection[] {
  const found = new Map<string, EarlierRejection>();
  const sharedTypes = new Set<string>();
  const all = [...rows].flatMap(({ typeUrl, name, clientStatus, errorState }) => {
    const { statistic, successes, lastUpdateAttempt: at = null } = errorState ?? {};
    if (statistic === undefined || successes === undefined || at === null) return [];
    const isRejected = clientStatus === 'NACKED';
    if (isRejected && name === '') sharedTypes.add(typeUrl);
    return [{ typeUrl, statistic, successes, at, isRejected, isNamed: name !== '' }];
  });
  for (const { typeUrl, isRejected, isNamed, ...rejection } of all) {
    if (!isNamed && found.has(rejection.statistic)) continue;
    const verdict = isRejected ? 'rejected' : sharedTypes.has(typeUrl) ? 'shared' : 'unclear';
    found.set(rejection.statistic, { ...rejection, verdict });
  }
  return [...found.values()];
}

function rowOf(each: RejectedSubscription, name: string): ReportedResource {
  return {
    ...{
      typeUrl: each.typeUrl,
      name,
      versionInfo: '',
      clientStatus: statusOf(each),
      configStatus: 'UNKNOWN',
    },
    ...{ lastUpdated: null, errorState: errorOf(each), hash: null, sizeBytes: null, isStatic: false },
  };
}

function keyOf({ typeUrl, name }: Pick<ReportedResource, 'typeUrl' | 'name'>): string {
  return `${typeUrl}\u0000${name}`;
}
