import { by } from '../collections/compare';
import { formatCounted } from '../format/count';
import type { ResourceKey } from '../observation/resource-state';
import { CDS, EDS, formatResourceType, LDS, RDS, SDS, VHDS } from '../xds/resource-type';
import { type ClientImpact, impact, rankOfImpact } from './client-impact';
import type { IssueCause, IssuePeriod } from './issue-record';

/** Whose traffic fails if nothing is served. */
type Traffic = Pick<ClientImpact, 'isOfTcp' | 'isHypothetical'>;

/** The part of a client's effective config from one listener that an issue may affect. */
export interface EffectiveListener {
  readonly listener: string;
  readonly traffic: Traffic;
  readonly status: 'resolved' | 'waiting' | 'unknown' | 'error' | 'nothing';
  readonly error: string;
  /** The reasons why it is not known whether the client runs it. */
  readonly doubts: readonly string[];
  readonly missing: readonly (ResourceKey & { readonly text: string })[];
  /** The names of the route configurations. */
  readonly routes: readonly string[];
  readonly chains: readonly EffectiveChain[];
  /** True if requests name clusters, by a header or a plugin. */
  readonly isDynamic: boolean;
  /** True if no request is answered or redirected by its route. */
  readonly hasOnlyClusterRoutes: boolean;
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

interface EffectiveChain {
  /** Its name, or what it matches. */
  readonly name: string;
  /** Set if each of its connections or requests fails, because nothing is in effect of `by`. */
  readonly failure?: { readonly text: string; readonly by?: ResourceKey | undefined } | undefined;
}

export interface EffectiveCluster {
  readonly name: string;
  readonly traffic: Traffic;
  readonly serviceName: string;
  readonly status: 'ok' | 'error' | 'waiting' | 'unknown';
  readonly error: string;
  /** The number of usable endpoints; null if the cluster does not have endpoints that xDS states. */
  readonly usable: number | null;
  /** Set if too few endpoints of a priority are healthy, and Envoy sends its requests to all of them. */
  readonly panicThreshold?: number | undefined;
}

const noRoute = 'no route in effect uses the resource';
const lastGoodInEffect = 'the last good config is in effect';

/**
 * Concludes from the effective config of a client what its issue does to RPCs. `isWhole`: the listeners are all that the
 * client has.
 */
export function assessImpact(
  cause: IssueCause,
  { keepsAccepted, impact: known }: Pick<IssuePeriod, 'keepsAccepted' | 'impact'>,
  listeners: readonly EffectiveListener[],
  isWhole = true,
): ClientImpact {
  if (known !== undefined) return known;
  const found = listeners.flatMap((listener) =>
    assessListener(cause, listener).map((each) => ({
      ...each,
      ...(listener.concerned.find(({ name }) => name === each.cluster) ?? listener).traffic,
    })),
  );
  const [worst] = found.sort(by((each) => rankOfImpact(each.level)));
  if (worst !== undefined && worst.level !== 'none') return worst;
  if (keepsAccepted === true) return { ...(worst ?? impact('none')), reason: lastGoodInEffect };
  if (worst !== undefined) return worst;
  return withoutUse(cause, listeners, isWhole);
}

/** No known part of the effective config uses the resource, or a resource of this response. */
function withoutUse(
  { typeUrl, name }: IssueCause,
  listeners: readonly EffectiveListener[],
  isWhole: boolean,
): ClientImpact {
  const type = formatResourceType(typeUrl);
  if (name === '')
    return impact('unknown', {
      reason: `which resources of the ${type} response are rejected is not reported`,
    });
  if (!isOfTraffic(typeUrl))
    return impact('unknown', { reason: `it is not known what depends on the ${type} resource` });
  if (listeners.length === 0 || !isWhole)
    return impact('unknown', { reason: 'not every listener of the effective config is known' });
  const dynamic = listeners.find(({ isDynamic }) => isDynamic);
  if (dynamic !== undefined && typeUrl === CDS.typeUrl)
    return impact('unknown', { reason: `requests to ${dynamic.listener} may name the cluster themselves` });
  return impact('none', { reason: noRoute });
}

function assessListener(cause: IssueCause, effective: EffectiveListener): ClientImpact[] {
  const { listener, status, error, doubts, routes, missing, chains } = effective;
  const { typeUrl, name } = cause;
  const failing = chains.filter(
    ({ failure }) => failure?.by?.typeUrl === typeUrl && failure.by.name === name,
  );
  const isOfListener = typeUrl === LDS.typeUrl && (name === listener || name === '');
  const isOfRoutes =
    (typeUrl === RDS.typeUrl || typeUrl === VHDS.typeUrl) &&
    (name === '' || routes.includes(name) || missing.some((each) => each.name === name));
  if (isOfListener || isOfRoutes || failing.length > 0) {
    if (status === 'error') return [impact('all-fail', { listener, reason: error })];
    if (failing.length > 0)
      return failing.map(({ name: chain, failure }) =>
        impact('some-fail', { listener, chain, reason: failure?.text ?? '' }),
      );
    if (status === 'waiting') return [waiting(effective)];
    if (status === 'resolved' && name !== '') return [impact('none', { listener, reason: inUse })];
    return [impact('unknown', { listener, reason: doubts[0] ?? whyNotKnown(cause) })];
  }
  if (typeUrl !== CDS.typeUrl && typeUrl !== EDS.typeUrl && typeUrl !== SDS.typeUrl) return [];
  return effective.concerned.flatMap((cluster) => assessCluster(cause, cluster, effective));
}

const inUse = 'a payload of it is in effect';

function whyNotKnown({ typeUrl, name }: IssueCause): string {
  return name === ''
    ? `which resources of the ${formatResourceType(typeUrl)} response are rejected is not reported`
    : 'the effective config is not known';
}

function assessCluster(
  { typeUrl }: IssueCause,
  cluster: EffectiveCluster,
  effective: EffectiveListener,
): ClientImpact[] {
  const { listener, clusters, status } = effective;
  const { name, usable, panicThreshold } = cluster;
  if (status === 'error') return [impact('all-fail', { listener, reason: effective.error })];
  if (cluster.status === 'waiting') return [waiting(effective)];
  if (cluster.status === 'unknown') {
    const reason = effective.doubts[0] ?? 'it is not known whether the client runs the cluster';
    return [impact('unknown', { listener, cluster: name, reason })];
  }
  if (cluster.status === 'error') {
    const isAll = effective.hasOnlyClusterRoutes && clusters.ok + clusters.waiting + clusters.unknown === 0;
    return [impact(isAll ? 'all-fail' : 'some-fail', { listener, cluster: name, reason: cluster.error })];
  }
  if (panicThreshold !== undefined) {
    const few = usable === 0 ? 'no endpoint is healthy' : 'too few endpoints are healthy';
    const reason = `${few}, and Envoy sends requests to all of them`;
    return [impact('unknown', { listener, cluster: name, reason })];
  }
  // Another secret, or one for a part of the connections, may be in use.
  if (typeUrl === SDS.typeUrl) return [];
  const reason = usable === null ? inUse : `it has ${formatCounted(usable, 'usable endpoint')}`;
  return [impact('none', { listener, cluster: name, reason })];
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
