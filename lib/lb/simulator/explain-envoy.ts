import { formatCounted } from '../../format/count';
import { formatShare } from '../../format/share';
import type { EnvoyView, Undetected } from './envoy-view';
import type { TrafficCluster, TrafficPriority } from './traffic-cluster';

/** Explains Envoy's arithmetic in one sentence per fact, without full stops. */
export function explainEnvoy(
  { priorities: named, panicThreshold }: TrafficCluster,
  { healths, split, panics, undetected, toUnhealthy, toUnreachable }: EnvoyView,
): string[] {
  const nameOf = (priority: number): string => named[priority]?.name ?? `P${priority}`;
  if (named.length === 0) return ['there are no endpoints: Envoy answers 503'];
  if (split.isUnserved && !panics[0]) {
    return [
      `no endpoint is available, and panic mode is off (threshold ${panicThreshold}%): Envoy answers 503`,
    ];
  }
  const isOneCluster = new Set(named.map(({ cluster }) => cluster)).size === 1;
  /** The priority that gets the rest, and whether all of it stays there. */
  const nextOf = (priority: number, left: number): string => {
    const next = split.priorities[priority];
    if (next === undefined) return '';
    return `${next.healthyLoad < left ? 'go on to' : 'go to'} ${nameOf(priority)}`;
  };
  const sentences: string[] = [];
  const inRotation = [
    ...describeUndetected(undetected, named),
    ...(toUnreachable > 0
      ? [
          `${formatShare(toUnreachable)} of the requests go to unhealthy endpoints to which connections fail, and fail unless a route retries them`,
        ]
      : []),
    ...(toUnhealthy > 0
      ? [
          `${formatShare(toUnhealthy)} of the requests go to endpoints that are not healthy: whether these serve them is not known`,
        ]
      : []),
  ];
  const describePanic = (priority: number): string[] => {
    const own = named[priority]?.envoy;
    if (!panics[priority] || own === undefined) return [];
    const effect = own.failsOnPanic
      ? 'fail_traffic_on_panic is set, and its requests are answered with 503 "no healthy upstream"'
      : 'its requests go to all its endpoints, healthy or not';
    return [`${nameOf(priority)} is below the panic threshold of ${own.panicThreshold}%: ${effect}`];
  };
  if (split.isTotalPanic) {
    const isOnly = named.length === 1;
    const why = isOnly
      ? `${nameOf(0)} is ${split.totalAvailability}% available, below the panic threshold of ${panicThreshold}%`
      : `together they are ${split.totalAvailability}% available, and every priority is below the panic threshold of ${panicThreshold}%`;
    if (isOneCluster && panics.every((each) => each))
      return named[0]?.envoy.failsOnPanic
        ? [why, 'fail_traffic_on_panic is set: Envoy answers all requests with 503 "no healthy upstream"']
        : [
            why,
            `requests go to all endpoints, healthy or not${isOnly ? '' : ', in proportion to the number in each priority'}`,
            ...inRotation,
          ];
    return [
      `${why}${isOneCluster ? '' : ' of the aggregate'}: requests are divided in proportion to the number of endpoints in each priority`,
      ...named.flatMap((_, priority) => describePanic(priority)),
      ...inRotation,
    ];
  }
  const total = split.totalAvailability;
  if (total < 100) sentences.push(`together they are ${total}% available: loads are scaled up to 100%`);
  let left = 100;
  split.priorities.forEach(({ healthyAvailability, healthyLoad }, priority) => {
    const name = nameOf(priority);
    const { weighed, overprovisioningFactor = 0 } = healths[priority] ?? {};
    const { healthy, total: all } = weighed ?? { healthy: 0, total: 0 };
    const isByWeight = named[priority]?.weightedPriorityHealth === true;
    const draining = healths[priority]?.hosts.excluded ?? 0;
    const isReached = left > 0;
    left -= healthyLoad;
    if (!isReached && healthyLoad === 0) return;
    const share = all === 0 ? 0 : Math.floor((100 * healthy) / all);
    const uncounted = draining === 0 ? '' : `, without ${formatCounted(draining, 'DRAINING endpoint')}`;
    // Nothing reports that they are.
    const taken = share < 100 || named[priority]?.hasHosts ? '' : ' taken as';
    const health = `${name} is${taken} ${share}% healthy${isByWeight ? ' by weight' : ''}${uncounted}`;
    const atLeast = share * overprovisioningFactor > 100 * 100 ? 'at least ' : '';
    const raised =
      share === 0 || share === 100
        ? health
        : `${health}; times ${overprovisioningFactor / 100} is ${atLeast}${healthyAvailability}%`;
    sentences.push(`${raised}${ending(healthyLoad, healthyAvailability, left, nextOf(priority + 1, left))}`);
    sentences.push(...describePanic(priority));
  });
  split.priorities.forEach(({ degradedLoad }, priority) => {
    if (degradedLoad === 0) return;
    sentences.push(`degraded endpoints of ${nameOf(priority)} get the remaining ${degradedLoad}%`);
  });
  if (split.leftover !== null) {
    const { percent, priority } = split.leftover;
    sentences.push(`the remaining ${percent}% of rounding is added to ${nameOf(priority)}`);
  }
  return [...sentences, ...inRotation];
}

/** Endpoints that reject connections and stay in rotation. */
function describeUndetected(
  undetected: readonly Undetected[],
  priorities: readonly TrafficPriority[],
): string[] {
  return priorities.flatMap(({ name, envoy }, priority) => {
    const { isHealthChecked, maxEjectionPercent } = envoy.detection;
    const { endpoints, failing } = undetected[priority] ?? { endpoints: 0, failing: 0 };
    if (isHealthChecked || endpoints === 0) return [];
    const why =
      maxEjectionPercent === null
        ? 'the cluster has no health_checks, and no outlier_detection that ejects endpoints after failed connections'
        : `outlier_detection ejects at most ${maxEjectionPercent}% of the endpoints of the cluster (max_ejection_percent)`;
    const dead = `${formatCounted(endpoints, 'endpoint')} of ${name} that ${endpoints === 1 ? 'rejects' : 'reject'} connections`;
    const stay = `${dead} ${endpoints === 1 ? 'stays' : 'stay'} in rotation, because ${why}`;
    return failing === 0
      ? [stay]
      : [
          `${stay}: ${formatShare(failing)} of all requests are answered with 503, unless a route retries them`,
        ];
  });
}

/** `next` states where the rest goes, as in "go to P1"; empty if there is no healthy priority left. */
function ending(load: number, availability: number, left: number, next: string): string {
  if (load === 100) return ': it gets all requests';
  if (load === 0) return ': it gets none';
  const scaled = load === availability ? '' : `: it gets ${load}%`;
  if (left <= 0) return scaled === '' ? ': it gets the rest' : scaled;
  if (next === '') return `: it gets ${load}%`;
  return `${scaled}; the other ${left}% ${next}`;
}
