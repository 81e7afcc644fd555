import type { EnvoyView } from './envoy-view';
import type { TrafficCluster } from './traffic-cluster';

/** Explains Envoy's arithmetic in one sentence per fact, without full stops. */
export function explainEnvoy(
  { priorities: named, weightedPriorityHealth, panicThreshold }: TrafficCluster,
  overprovisioningFactor: number,
  { healths, split }: EnvoyView,
): string[] {
  const nameOf = (priority: number): string => named[priority]?.name ?? `P${priority}`;
  if (named.length === 0) return ['there are no endpoints: Envoy answers 503'];
  if (split.isUnserved) {
    return [
      `no endpoint is available, and panic mode is off (threshold ${panicThreshold}%): Envoy answers 503`,
    ];
  }
  /** The priority that gets the rest, and whether all of it stays there. */
  const nextOf = (priority: number, left: number): string => {
    const next = split.priorities[priority];
    if (next === undefined) return '';
    return `${next.healthyLoad < left ? 'go on to' : 'go to'} ${nameOf(priority)}`;
  };
  const sentences: string[] = [];
  if (split.isTotalPanic) {
    sentences.push(
      `together they are ${split.totalAvailability}% available, and every priority is below the panic threshold of ${panicThreshold}%`,
      'requests go to all endpoints, healthy or not, in proportion to the number in each priority',
    );
    return sentences;
  }
  const total = split.totalAvailability;
  if (total < 100) sentences.push(`together they are ${total}% available: loads are scaled up to 100%`);
  const times = `times ${overprovisioningFactor / 100}`;
  let left = 100;
  split.priorities.forEach(({ healthyAvailability, healthyLoad, isPanic }, priority) => {
    const name = nameOf(priority);
    const { healthy, total: all } = healths[priority]?.weighed ?? { healthy: 0, total: 0 };
    const isReached = left > 0;
    left -= healthyLoad;
    if (!isReached && healthyLoad === 0) return;
    const share = all === 0 ? 0 : Math.floor((100 * healthy) / all);
    const health = `${name} is ${share}% healthy${weightedPriorityHealth ? ' by weight' : ''}`;
    const raised = share === 0 ? health : `${health}; ${times} is ${healthyAvailability}%`;
    sentences.push(`${raised}${ending(healthyLoad, healthyAvailability, left, nextOf(priority + 1, left))}`);
    if (isPanic) {
      const effect = 'its requests go to all its endpoints, healthy or not';
      sentences.push(`${name} is below the panic threshold of ${panicThreshold}%: ${effect}`);
    }
  });
  split.priorities.forEach(({ degradedLoad }, priority) => {
    if (degradedLoad === 0) return;
    sentences.push(`degraded endpoints of ${nameOf(priority)} get the remaining ${degradedLoad}%`);
  });
  if (split.leftover !== null) {
    const { percent, priority } = split.leftover;
    sentences.push(`the remaining ${percent}% of rounding is added to ${nameOf(priority)}`);
  }
  return sentences;
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
