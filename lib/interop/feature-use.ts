import { CDS, LDS, RDS } from '../xds/resource-type';

/** A feature of xDS that resources use and cases prove. */
export interface FeatureUse {
  readonly feature: string;
  /** The names of the cases whose resources use it as these do. */
  readonly cases: readonly string[];
  /** What a client does without it, as in "does not eject outliers". */
  readonly lack: string;
  readonly types: readonly { readonly typeUrl: string }[];
  /** Found in the proto3 JSON of a resource that uses it. */
  readonly pattern: RegExp;
}

const routes = [LDS, RDS];
const ejection = { feature: 'Outlier detection', lack: 'does not eject outliers', types: [CDS] } as const;

const uses: readonly FeatureUse[] = [
  {
    // As the case: the fields of the success rate have their defaults, and nothing else ejects.
    ...{ ...ejection, cases: ['outlier_detection'] },
    pattern:
      /"outlierDetection":\{(?![^{}]*"(?:enforcingSuccessRate|successRateMinimumHosts|successRateStdevFactor|enforcingFailurePercentage)":)/,
  },
  {
    ...{ ...ejection, cases: ['explicit_outlier_detection'] },
    pattern:
      /"outlierDetection":\{(?=[^{}]*"enforcingSuccessRate":[1-9])(?=[^{}]*"successRateMinimumHosts":)(?=[^{}]*"successRateStdevFactor":)/,
  },
  {
    ...{
      feature: 'Circuit breaking',
      cases: ['circuit_breaking'],
      lack: 'does not limit concurrent requests',
    },
    ...{ types: [CDS], pattern: /"circuitBreakers":/ },
  },
  {
    ...{
      feature: 'Ring hash',
      cases: ['affinity'],
      lack: 'does not send requests of one hash to one endpoint',
    },
    ...{ types: [CDS], pattern: /"lbPolicy":"RING_HASH"|ring_hash\.v3\.RingHash"/ },
  },
  {
    ...{
      feature: 'Traffic splitting',
      cases: ['traffic_splitting'],
      lack: 'does not split requests by weight',
    },
    ...{ types: routes, pattern: /"weightedClusters":/ },
  },
  {
    ...{ feature: 'Retries', cases: ['retry_3_of_4', 'retry_4_of_4'], lack: 'does not retry requests' },
    ...{ types: routes, pattern: /"retryPolicy":/ },
  },
  {
    ...{ feature: 'Timeouts', cases: ['timeout'], lack: 'does not apply the timeouts of routes' },
    ...{ types: routes, pattern: /"maxStreamDuration":/ },
  },
  {
    ...{ feature: 'Fault injection', cases: ['fault_always_abort', 'fault_always_delay'] },
    ...{ lack: 'does not inject faults', types: routes },
    pattern: /"type\.googleapis\.com\/envoy\.extensions\.filters\.http\.fault\.v3\.HTTPFault"/,
  },
];

/** The types of resources that can use a feature. */
export const typesWithFeatures: ReadonlySet<string> = new Set(
  uses.flatMap(({ types }) => types.map(({ typeUrl }) => typeUrl)),
);

/** The features that a resource uses. `json`: its payload as compact JSON. */
export function findFeatures(typeUrl: string, json: string): readonly FeatureUse[] {
  return uses.filter(
    ({ types, pattern }) => types.some((each) => each.typeUrl === typeUrl) && pattern.test(json),
  );
}
