import { CDS, LDS, RDS } from '../xds/resource-type';

interface FeatureUse {
  /** As the cases of the interop tests name it. */
  readonly feature: string;
  readonly types: readonly { readonly typeUrl: string }[];
  /** Found in the proto3 JSON of a resource that uses it. */
  readonly pattern: RegExp;
}

const routes = [LDS, RDS];

const uses: readonly FeatureUse[] = [
  { feature: 'Outlier detection', types: [CDS], pattern: /"outlierDetection":/ },
  { feature: 'Circuit breaking', types: [CDS], pattern: /"circuitBreakers":/ },
  { feature: 'Retries', types: routes, pattern: /"retryPolicy":/ },
  { feature: 'Timeouts', types: routes, pattern: /"maxStreamDuration":/ },
  {
    feature: 'Fault injection',
    types: routes,
    pattern: /"type\.googleapis\.com\/envoy\.extensions\.filters\.http\.fault\.v3\.HTTPFault"/,
  },
];

/** The types of resources that can use a feature. */
export const typesWithFeatures: ReadonlySet<string> = new Set(
  uses.flatMap(({ types }) => types.map(({ typeUrl }) => typeUrl)),
);

/** The features that a resource uses. `json`: its payload as compact JSON. */
export function findFeatures(typeUrl: string, json: string): string[] {
  return uses
    .filter(({ types, pattern }) => types.some((each) => each.typeUrl === typeUrl) && pattern.test(json))
    .map(({ feature }) => feature);
}
