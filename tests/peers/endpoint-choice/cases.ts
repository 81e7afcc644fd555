/** A host: its health (H, U unhealthy, G degraded, D draining) and its metadata, as in "H v=1 tags=[1,2]". */
type Host = string;

export interface CaseGroup {
  readonly zone: string;
  readonly priority?: number;
  readonly weight?: number;
  readonly hosts: readonly Host[];
  readonly hostWeights?: readonly number[];
}

export interface ChoiceRequest {
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** As in "?q=1". */
  readonly query?: string;
}

export interface ChoiceCase {
  readonly name: string;
  readonly groups: readonly CaseGroup[];
  /** Fields of the cluster. */
  readonly cluster?: object;
  /** Fields of the route action beside the cluster; with `weightedClusters`, "" stands for the name of the cluster. */
  readonly route?: object;
  /** Further routes to the cluster, with these fields of the route action. */
  readonly otherRoutes?: readonly object[];
  /** So many requests are sent at once and end together, of which the circuit breaker admits so many. */
  readonly atOnce?: { readonly sent: number; readonly admitted: number };
  /** Each of them goes to one endpoint, by its hash. */
  readonly requests?: readonly ChoiceRequest[];
}

/** Cases of one Envoy, which is in zone "a". */
export interface ChoiceEnvoy {
  readonly name: string;
  /** The hosts of its local cluster by zone, as in "HHU"; absent: it has none. */
  readonly local?: Readonly<Record<string, string>>;
  readonly cases: readonly ChoiceCase[];
}

const never = { healthyPanicThreshold: {} };
const noPanic = { commonLbConfig: never };

const versions: readonly CaseGroup[] = [
  { zone: 'a', hosts: ['H v=1 stage=prod', 'H v=1 stage=dev', 'H v=2 stage=prod', 'U v=3 stage=prod'] },
];
const lb = (values: object) => ({ metadataMatch: { filterMetadata: { 'envoy.lb': values } } });
const byVersion = [{ keys: ['v'] }];
const subset = (
  name: string,
  config: object,
  values: object | undefined,
  more: Partial<ChoiceCase> & { readonly fields?: object } = {},
): ChoiceCase => {
  const { fields, ...rest } = more;
  return {
    ...{ name, groups: versions, route: values === undefined ? {} : lb(values) },
    cluster: { lbSubsetConfig: { subsetSelectors: byVersion, ...config }, ...noPanic, ...fields },
    ...rest,
  };
};
const any = { fallbackPolicy: 'ANY_ENDPOINT' };
const prod = { fallbackPolicy: 'DEFAULT_SUBSET', defaultSubset: { stage: 'prod' } };
const extension = 'type.googleapis.com/envoy.extensions.load_balancing_policies.';
const policyOf = (name: string, more: object = {}) => ({
  policies: [
    { typedExtensionConfig: { name: 'policy', typedConfig: { '@type': `${extension}${name}`, ...more } } },
  ],
});
const weighted: readonly CaseGroup[] = [
  { zone: 'a', weight: 1, hosts: ['H v=1', 'H v=2', 'H v=2', 'H v=2'] },
  { zone: 'b', weight: 3, hosts: ['H v=1', 'H v=1'] },
];
const byWeight = { commonLbConfig: { ...never, localityWeightedLbConfig: {} } };
const keysFallback = {
  subsetSelectors: [
    { keys: ['v', 'stage'], fallbackPolicy: 'KEYS_SUBSET', fallbackKeysSubset: ['v'] },
    { keys: ['v'], fallbackPolicy: 'NO_FALLBACK' },
  ],
};
const weightedClusters = (own: object) => ({
  weightedClusters: { clusters: [{ name: '', weight: 1, ...own }] },
});

const subsets: readonly ChoiceCase[] = [
  subset('subset-of-two', {}, { v: '1' }),
  subset('subset-of-one', {}, { v: '2' }),
  subset('subset-unhealthy', {}, { v: '3' }),
  subset('subset-unhealthy-in-panic', {}, { v: '3' }, { fields: { commonLbConfig: {} } }),
  subset('subset-unhealthy-has-no-fallback', any, { v: '3' }),
  subset('subset-absent', {}, { v: '9' }),
  subset('subset-absent-any', any, { v: '9' }),
  subset('subset-absent-default', prod, { v: '9' }),
  subset('no-criteria', {}, undefined),
  subset('no-criteria-any', any, undefined),
  subset('no-criteria-default', prod, undefined),
  subset('empty-criteria-any', any, {}),
  subset('default-subset-empty', { fallbackPolicy: 'DEFAULT_SUBSET' }, undefined),
  subset('default-subset-absent', { ...prod, defaultSubset: { stage: 'qa' } }, { v: '9' }),
  subset('further-key', {}, { v: '1', stage: 'prod' }),
  subset('further-key-any', any, { v: '1', stage: 'prod' }),
  subset(
    'two-keys',
    { subsetSelectors: [{ keys: ['v'] }, { keys: ['v', 'stage'] }] },
    { v: '1', stage: 'dev' },
  ),
  subset(
    'selector-no-fallback',
    { ...any, subsetSelectors: [{ keys: ['v'], fallbackPolicy: 'NO_FALLBACK' }] },
    { v: '9' },
  ),
  subset('selector-any', { subsetSelectors: [{ keys: ['v'], ...any }] }, { v: '9' }),
  subset(
    'selector-default',
    {
      defaultSubset: { stage: 'dev' },
      subsetSelectors: [{ keys: ['v'], fallbackPolicy: 'DEFAULT_SUBSET' }],
    },
    { v: '9' },
  ),
  subset(
    'selector-any-after-longer-one',
    { subsetSelectors: [{ keys: ['stage', 'v'] }, { keys: ['stage'], ...any }] },
    { stage: 'qa' },
  ),
  subset(
    'selector-any-after-other-one',
    { subsetSelectors: [{ keys: ['stage', 'v'] }, { keys: ['v'], ...any }] },
    { v: '9' },
  ),
  subset('keys-subset', keysFallback, { v: '1', stage: 'qa' }),
  subset('keys-subset-absent', keysFallback, { v: '9', stage: 'qa' }),
  subset('weighted-cluster-adds', { subsetSelectors: [{ keys: ['v', 'stage'] }] }, undefined, {
    route: { ...lb({ v: '1' }), ...weightedClusters(lb({ stage: 'dev' })) },
  }),
  subset('weighted-cluster-replaces', {}, undefined, {
    route: { ...lb({ v: '1' }), ...weightedClusters(lb({ v: '2' })) },
  }),
  subset('weighted-cluster-inherits', {}, undefined, {
    route: { ...lb({ v: '1' }), ...weightedClusters({}) },
  }),
  subset(
    'list-as-any',
    { listAsAny: true },
    { v: '2' },
    {
      groups: [{ zone: 'a', hosts: ['H v=["1","2"]', 'H v=2', 'H v=1'] }],
    },
  ),
  subset(
    'list-as-a-whole',
    {},
    { v: '2' },
    {
      groups: [{ zone: 'a', hosts: ['H v=["1","2"]', 'H v=3'] }],
    },
  ),
  subset('number-and-text', {}, { v: 1 }, { groups: [{ zone: 'a', hosts: ['H v=1', 'H v=2'] }] }),
  subset('single-host', { subsetSelectors: [{ keys: ['v'], singleHostPerSubset: true }] }, { v: '2' }),
  subset(
    'single-host-unhealthy',
    { subsetSelectors: [{ keys: ['v'], singleHostPerSubset: true }] },
    { v: '3' },
  ),
  subset(
    'single-host-of-several',
    { subsetSelectors: [{ keys: ['v'], singleHostPerSubset: true }] },
    { v: '1' },
    { groups: [{ zone: 'a', hosts: ['H v=2', ...Array.from({ length: 9 }, () => 'H v=1')] }] },
  ),
  subset(
    'single-host-of-second-priority',
    { subsetSelectors: [{ keys: ['v'], singleHostPerSubset: true }] },
    { v: '1' },
    {
      groups: [
        { zone: 'a', hosts: ['H v=2', 'U v=1'] },
        { zone: 'a', priority: 1, hosts: ['H v=1'] },
      ],
    },
  ),
  subset('panic-mode-any', { ...prod, defaultSubset: { v: '3' }, panicModeAny: true }, { v: '9' }),
  subset('panic-mode-any-without-fallback', { panicModeAny: true }, { v: '9' }),
  subset(
    'second-priority',
    {},
    { v: '1' },
    {
      groups: [
        { zone: 'a', hosts: ['U v=1', 'H v=2'] },
        { zone: 'b', priority: 1, hosts: ['H v=1', 'H v=2'] },
      ],
    },
  ),
  subset(
    'part-of-first-priority',
    {},
    { v: '1' },
    {
      groups: [
        { zone: 'a', hosts: ['U v=1', 'H v=1', 'H v=2'] },
        { zone: 'b', priority: 1, hosts: ['H v=1', 'H v=2'] },
      ],
    },
  ),
  subset('locality-weights-ignored', {}, { v: '1' }, { groups: weighted, fields: byWeight }),
  subset(
    'locality-weights',
    { localityWeightAware: true },
    { v: '1' },
    { groups: weighted, fields: byWeight },
  ),
  subset(
    'locality-weights-scaled',
    { localityWeightAware: true, scaleLocalityWeight: true },
    { v: '1' },
    {
      groups: weighted,
      fields: byWeight,
    },
  ),
  subset(
    'host-weights',
    {},
    { v: '1' },
    {
      groups: [{ zone: 'a', hosts: ['H v=1', 'H v=1', 'H v=2'], hostWeights: [3, 1, 4] }],
      fields: { lbPolicy: 'ROUND_ROBIN' },
    },
  ),
  subset(
    'several-routes',
    {},
    { v: '1' },
    { otherRoutes: [lb({ v: '2' }), lb({ v: '9' }), {}, lb({ v: '2' })] },
  ),
  subset('several-routes-any', any, { v: '1' }, { otherRoutes: [lb({ v: '3' }), lb({ v: '9' })] }),
  subset('several-routes-default', prod, { v: '1', stage: 'dev' }, { otherRoutes: [lb({ v: '2' }), {}] }),
  { ...subset('no-selectors', {}, { v: '9' }), cluster: { lbSubsetConfig: {}, ...noPanic } },
  {
    ...subset('policy-subset', {}, { v: '1' }),
    cluster: {
      ...noPanic,
      loadBalancingPolicy: policyOf('subset.v3.Subset', {
        subsetSelectors: byVersion,
        subsetLbPolicy: policyOf('random.v3.Random'),
      }),
    },
  },
];

const inZones = (a: number, b: number, c: number): CaseGroup[] =>
  Object.entries({ a, b, c }).flatMap(([zone, count]) =>
    count === 0 ? [] : [{ zone, hosts: Array.from({ length: count }, () => 'H') }],
  );
const zone = (config: object) => ({ commonLbConfig: { zoneAwareLbConfig: config } });

const zones: readonly ChoiceCase[] = [
  { name: 'zone-third', groups: inZones(2, 2, 2) },
  { name: 'zone-majority', groups: inZones(4, 1, 1) },
  { name: 'zone-uneven', groups: inZones(1, 2, 4) },
  { name: 'zone-small', groups: inZones(2, 1, 1) },
  { name: 'zone-small-allowed', groups: inZones(1, 1, 1), cluster: zone({ minClusterSize: '1' }) },
  { name: 'zone-enabled-50', groups: inZones(4, 1, 1), cluster: zone({ routingEnabled: { value: 50 } }) },
  { name: 'zone-enabled-0', groups: inZones(4, 1, 1), cluster: zone({ routingEnabled: {} }) },
  { name: 'zone-absent', groups: inZones(0, 2, 4) },
  { name: 'zone-alone', groups: inZones(6, 0, 0) },
  { name: 'zone-random', groups: inZones(2, 3, 4), cluster: { lbPolicy: 'RANDOM' } },
  { name: 'zone-least-request', groups: inZones(2, 2, 4), cluster: { lbPolicy: 'LEAST_REQUEST' } },
  {
    name: 'zone-by-weight',
    groups: inZones(2, 2, 2).map((each, at) => ({ ...each, weight: at + 1 })),
    cluster: { commonLbConfig: { localityWeightedLbConfig: {} } },
  },
  {
    name: 'zone-partly-unhealthy',
    groups: [{ zone: 'a', hosts: ['H', 'U', 'U'] }, ...inZones(0, 3, 3)],
    cluster: noPanic,
  },
  {
    name: 'zone-unhealthy',
    groups: [{ zone: 'a', hosts: ['U', 'U'] }, ...inZones(0, 4, 4)],
    cluster: noPanic,
  },
  {
    name: 'zone-panic',
    groups: [
      { zone: 'a', hosts: ['U', 'U', 'U', 'H'] },
      { zone: 'b', hosts: ['U', 'U', 'U', 'H'] },
    ],
  },
  {
    name: 'zone-second-priority',
    groups: [
      { zone: 'a', hosts: ['U', 'U'] },
      { zone: 'b', hosts: ['U'] },
      ...inZones(4, 1, 1).map((each) => ({ ...each, priority: 1 })),
    ],
    cluster: noPanic,
  },
  {
    name: 'zone-of-subset',
    groups: [
      { zone: 'a', hosts: ['H v=1', 'H v=1', 'H v=2'] },
      { zone: 'b', hosts: ['H v=1', 'H v=1', 'H v=2', 'H v=2'] },
      { zone: 'c', hosts: ['H v=1', 'H v=1', 'H v=1', 'H v=2'] },
    ],
    cluster: { lbSubsetConfig: { subsetSelectors: byVersion } },
    route: lb({ v: '1' }),
  },
  {
    name: 'zone-of-policy',
    groups: inZones(1, 2, 1),
    cluster: {
      loadBalancingPolicy: policyOf('round_robin.v3.RoundRobin', {
        localityLbConfig: { zoneAwareLbConfig: { minClusterSize: '2' } },
      }),
    },
  },
  {
    name: 'zone-host-weights',
    groups: [{ zone: 'a', hosts: ['H', 'H', 'H', 'H'], hostWeights: [1, 2, 3, 4] }, ...inZones(0, 1, 1)],
  },
  {
    name: 'zone-degraded',
    groups: [{ zone: 'a', hosts: ['H', 'G', 'G'] }, ...inZones(0, 3, 3)],
    cluster: noPanic,
  },
];

const thresholds = (...of: readonly object[]) => ({ circuitBreakers: { thresholds: of } });
const three = inZones(3, 0, 0);
const high = { priority: 'HIGH' };

const breakers: readonly ChoiceCase[] = [
  { name: 'max-requests-0', groups: three, cluster: thresholds({ maxRequests: 0 }) },
  { name: 'max-pending-requests-0', groups: three, cluster: thresholds({ maxPendingRequests: 0 }) },
  { name: 'max-connections-0', groups: three, cluster: thresholds({ maxConnections: 0 }) },
  { name: 'max-retries-0', groups: three, cluster: thresholds({ maxRetries: 0 }) },
  { name: 'max-requests-high-0', groups: three, cluster: thresholds({ ...high, maxRequests: 0 }) },
  {
    name: 'max-requests-0-of-high',
    groups: three,
    cluster: thresholds({ ...high, maxRequests: 0 }),
    route: high,
  },
  {
    name: 'max-pending-requests-0-of-high',
    groups: three,
    cluster: thresholds({ maxRequests: 9 }, { ...high, maxPendingRequests: 0 }),
    route: high,
  },
  {
    name: 'max-requests-2-of-8',
    groups: three,
    cluster: thresholds({ maxRequests: 2 }),
    atOnce: { sent: 8, admitted: 2 },
  },
  {
    name: 'max-requests-3-of-high',
    groups: three,
    cluster: thresholds({ maxRequests: 1 }, { ...high, maxRequests: 3 }),
    route: high,
    atOnce: { sent: 8, admitted: 3 },
  },
  {
    name: 'first-of-two-thresholds',
    groups: three,
    cluster: thresholds({ maxRequests: 4 }, { maxRequests: 1 }),
    atOnce: { sent: 8, admitted: 4 },
  },
];

export const choiceEnvoys: readonly ChoiceEnvoy[] = [
  { name: 'subsets', cases: [...subsets, ...breakers] },
  { name: 'zones', local: { a: 'HH', b: 'H', c: 'H' }, cases: zones },
  { name: 'zones-without-local-cluster', cases: [{ ...zoneCase('of-whole-cluster'), cluster: zone({}) }] },
  {
    name: 'zones-in-panic',
    local: { a: 'HU', b: 'UU', c: 'U' },
    cases: [
      zoneCase('in-panic'),
      { ...zoneCase('fails-in-panic'), cluster: zone({ failTrafficOnPanic: true }) },
    ],
  },
  { name: 'zones-of-others', local: { b: 'HH', c: 'H' }, cases: [zoneCase('not-in-local')] },
  { name: 'zones-of-one', local: { a: 'HH' }, cases: [zoneCase('only-in-own')] },
  { name: 'zones-with-others', local: { a: 'HH', d: 'HH' }, cases: [zoneCase('with-others')] },
];

function zoneCase(name: string): ChoiceCase {
  return { name: `zone-${name}`, groups: inZones(2, 2, 4) };
}
