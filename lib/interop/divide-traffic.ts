/** A locality of a cluster as EDS sends it. */
export interface Share {
  readonly priority: number;
  readonly weight: number;
}

/** The primary and the secondary locality of a cluster. */
export interface Division {
  readonly primary: Share;
  readonly secondary: Share;
}

const usualWeight = 100;
/** Two priorities: clients use the secondary locality only if no endpoint of the primary is usable. */
const apart: Division = {
  primary: { priority: 0, weight: usualWeight },
  secondary: { priority: 1, weight: usualWeight },
};
/** The control plane assumes that an endpoint can take this multiple of its usual load: Envoy's overprovisioning factor. */
const overprovisioning = 1.4;
/** Below this share of healthy endpoints the primary no longer takes all requests. */
const sufficientHealth = 0.5;
/** Weights are multiples of this, so that small changes of a rate are no push. */
const weightStep = 5;

/**
 * Divides requests by health for clients without overprovisioning (gRFC A27): while too few endpoints of the primary
 * are healthy, it takes what they can take, and the secondary takes the rest.
 */
export function divideByHealth(primary: readonly { readonly isHealthy: boolean }[]): Division {
  const healthy = primary.filter(({ isHealthy }) => isHealthy).length;
  const health = primary.length === 0 ? 0 : healthy / primary.length;
  if (health === 0 || health >= sufficientHealth) return apart;
  return divide(health * overprovisioning);
}

/** Divides requests by load: what the primary cannot take goes to the secondary. Both in requests per second. */
export function divideByLoad({
  capacity,
  rate,
}: {
  readonly capacity: number;
  readonly rate: number;
}): Division {
  return rate <= capacity ? apart : divide(capacity / rate);
}

function divide(share: number): Division {
  const percent = Math.round((share * usualWeight) / weightStep) * weightStep;
  const weight = Math.min(usualWeight - weightStep, Math.max(weightStep, percent));
  return {
    primary: { priority: 0, weight },
    secondary: { priority: 0, weight: usualWeight - weight },
  };
}

/** `metadata_filters` of Traffic Director: a client gets a rule whose criteria its node metadata meets. */
export interface MetadataFilter {
  readonly criteria: 'MATCH_ALL' | 'MATCH_ANY';
  readonly labels: Readonly<Record<string, string>>;
}

/** A rule applies if all of its filters match. */
export function matchesFilters(
  filters: readonly MetadataFilter[],
  metadata: Readonly<Record<string, string>>,
): boolean {
  return filters.every(({ criteria, labels }) => {
    const matches = ([key, value]: [string, string]) => metadata[key] === value;
    const all = Object.entries(labels);
    return criteria === 'MATCH_ALL' ? all.every(matches) : all.some(matches);
  });
}
