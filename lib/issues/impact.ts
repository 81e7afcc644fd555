import { by } from '../collections/compare';
import type { ResourceKey } from '../observation/resource-state';
import { CDS, EDS, formatResourceType, LDS, RDS, VHDS } from '../xds/resource-type';
import { type ClientImpact, impact, rankOfImpact } from './client-impact';
import type { IssueCause, IssuePeriod } from './issue-record';

/** The part of a client's effective config from one listener that an issue may affect. */
export interface EffectiveListener {
  readonly listener: string;
  readonly status: 'resolved' | 'waiting' | 'unknown' | 'error' | 'nothing';
  readonly error: string;
  /** The reasons why it is not known whether the client runs it. */
  readonly doubts: readonly string[];
  readonly missing: readonly (ResourceKey & { readonly text: string })[];
  /** The names of the route configurations. */
  readonly routes: readonly string[];
  /** The number of clusters by status. */
  readonly clusters: {
    readonly ok: number;
    readonly error: number;
    readonly waiting: number;
    readonly unknown: number;
  };
  /** The clusters that the issue is about, by their name or that of their endpoints. */
  readonly concerned: readonly EffectiveCluster[];
}

export interface EffectiveCluster {
  readonly name: string;
  readonly serviceName: string;
  readonly status: 'ok' | 'error' | 'waiting' | 'unknown';
  readonly error: string;
  /** The number of usable endpoints; null if the cluster does not have endpoints that xDS states. */
  readonly usable: number | null;
}

const noRoute = 'no route in effect uses the resource';
const lastGoodInEffect = 'the last good config is in effect';

/** Concludes from the effective config of a client what its issue does to RPCs. */
export function assessImpact(
  cause: IssueCause,
  { keepsAccepted, impact: known }: Pick<IssuePeriod, 'keepsAccepted' | 'impact'>,
  listeners: readonly EffectiveListener[],
): ClientImpact {
  if (known !== undefined) return known;
  if (cause.kind === 'unreached') {
    return impact('waits', {
      reason: 'the client has no response of its management server, so that RPCs wait',
    });
  }
  if (cause.kind === 'unanswered') {
    return impact('none', { reason: 'what the client accepted before is in effect' });
  }
  const found = listeners.flatMap((listener) => assessListener(cause, listener));
  const [worst] = found.sort(by((each) => rankOfImpact(each.level)));
  if (worst !== undefined) return worst.level === 'none' ? withReason(worst, keepsAccepted) : worst;
  if (!isOfTraffic(cause.typeUrl)) {
    return keepsAccepted === true
      ? impact('none', { reason: lastGoodInEffect })
      : impact('unknown', {
          reason: `it is not known what depends on the ${formatResourceType(cause.typeUrl)} resource`,
        });
  }
  if (keepsAccepted === true) return impact('none', { reason: lastGoodInEffect });
  if (listeners.length === 0) return impact('unknown', { reason: 'the effective config is not known' });
  return impact('none', { reason: noRoute });
}

function withReason(found: ClientImpact, keepsAccepted: boolean | null): ClientImpact {
  return keepsAccepted === true ? { ...found, reason: lastGoodInEffect } : found;
}

function assessListener(cause: IssueCause, effective: EffectiveListener): ClientImpact[] {
  const { listener, status, error, doubts, routes, missing } = effective;
  const { typeUrl, name } = cause;
  const isOfListener = typeUrl === LDS.typeUrl && (name === listener || name === '');
  const isOfRoutes =
    (typeUrl === RDS.typeUrl || typeUrl === VHDS.typeUrl) &&
    (name === '' || routes.includes(name) || missing.some((each) => each.name === name));
  if (isOfListener || isOfRoutes) {
    if (status === 'error') return [impact('all-fail', { listener, reason: error })];
    if (status === 'waiting') return [waiting(effective)];
    if (status === 'resolved') return [impact('none', { listener, reason: lastGoodInEffect })];
    return [impact('unknown', { listener, reason: doubts[0] ?? 'the effective config is not known' })];
  }
  if (typeUrl !== CDS.typeUrl && typeUrl !== EDS.typeUrl) return [];
  return effective.concerned.map((cluster) => assessCluster(cluster, effective));
}

function assessCluster(cluster: EffectiveCluster, effective: EffectiveListener): ClientImpact {
  const { listener, clusters, status } = effective;
  const { name, usable } = cluster;
  if (status === 'error') return impact('all-fail', { listener, reason: effective.error });
  if (cluster.status === 'waiting') return waiting(effective);
  if (cluster.status === 'unknown') {
    const reason = effective.doubts[0] ?? 'it is not known whether the client runs the cluster';
    return impact('unknown', { listener, cluster: name, reason });
  }
  const isWithoutEndpoints = cluster.status === 'ok' && usable === 0;
  if (cluster.status === 'error' || isWithoutEndpoints) {
    const isAll = clusters.ok + clusters.waiting + clusters.unknown - (isWithoutEndpoints ? 1 : 0) === 0;
    const reason = isWithoutEndpoints ? 'it has no usable endpoints' : cluster.error;
    return impact(isAll ? 'all-fail' : 'some-fail', { listener, cluster: name, reason });
  }
  return impact('none', { listener, cluster: name, reason: lastGoodInEffect });
}

function waiting({ listener, missing }: EffectiveListener): ClientImpact {
  const [first] = missing;
  return impact('waits', {
    listener,
    reason: first?.text ?? 'not all resources of the config are received',
  });
}

function isOfTraffic(typeUrl: string): boolean {
  return [LDS, RDS, VHDS, CDS, EDS].some((type) => type.typeUrl === typeUrl);
}
