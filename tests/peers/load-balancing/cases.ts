import captured from '@/tests/fixtures/captures/load-balancing/envoy.json';

/** Endpoints of one locality: H HEALTHY, N no status, U UNHEALTHY, D DRAINING, G DEGRADED, T TIMEOUT, X rejects connections. */
export interface CaseLocality {
  readonly priority?: number | undefined;
  /** 1 if absent, unset if null. */
  readonly weight?: number | null;
  readonly hosts: string;
  readonly hostWeights?: readonly number[];
}

export interface CaseCluster {
  /** Fields of the cluster beside its name and type. */
  readonly cluster: object;
  readonly localities: readonly CaseLocality[];
  /** ClusterLoadAssignment.policy. */
  readonly policy?: object;
}

/** A member of an aggregate cluster: a cluster of EDS, one with a DNS name, or one that does not exist. */
export type CaseMember = CaseCluster | 'dns' | 'missing';

export interface LbCase extends CaseCluster {
  readonly name: string;
  /** The cluster is an aggregate of these. */
  readonly members?: readonly CaseMember[];
  /** Points of a share that are no difference, if not 3: the reason. */
  readonly approximate?: { readonly points: number; readonly reason: string };
  /** Clients that reject the cluster, which is not compared. */
  readonly rejectedBy?: RegExp;
}

const extension = 'type.googleapis.com/envoy.extensions.load_balancing_policies.';
const listOf = (name: string, more: object = {}) => ({
  policies: [
    { typedExtensionConfig: { name: 'policy', typedConfig: { '@type': `${extension}${name}`, ...more } } },
  ],
});
const byLocality = { localityLbConfig: { localityWeightedLbConfig: {} } };
const clientSide = listOf('client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin');
const of = (
  name: string,
  hosts: readonly (string | CaseLocality)[],
  cluster: object = {},
  more: Partial<LbCase> = {},
): LbCase => ({
  name,
  cluster,
  // A text is a priority of its own.
  localities: hosts.map((each, priority) => (typeof each === 'string' ? { priority, hosts: each } : each)),
  ...more,
});
/** An aggregate; a text is a member with one priority of these hosts, and a list has one text for each priority. */
const aggregate = (
  name: string,
  members: readonly (string | readonly string[] | CaseMember)[],
  cluster: object = {},
): LbCase => ({
  ...of(name, [], cluster),
  members: members.map((member): CaseMember => {
    if (member === 'dns' || member === 'missing') return member;
    if (typeof member === 'string') return of('', [member]);
    return 'cluster' in member ? member : of('', member);
  }),
});
const aggregates: readonly LbCase[] = [
  aggregate('aggregate', ['HH', 'H']),
  aggregate('aggregate-first-unhealthy', ['UU', 'H']),
  aggregate('aggregate-first-rejects', ['XX', 'H']),
  aggregate('aggregate-half-healthy', ['HU', 'HH']),
  aggregate('aggregate-second-priority', [['UU', 'HH'], 'H']),
  aggregate('aggregate-second-of-two-priorities', [
    ['UU', 'DD'],
    ['UU', 'H'],
  ]),
  aggregate('aggregate-dns-first', ['dns', 'H']),
  aggregate('aggregate-dns-last', ['UU', 'dns']),
  aggregate('aggregate-dns-between', ['UU', 'dns', 'H']),
];
const a = { weight: 3, hosts: 'H' };
const b = { weight: 1, hosts: 'HH' };

const letters: Readonly<Record<string, string>> = {
  HEALTHY: 'H',
  UNHEALTHY: 'U',
  DRAINING: 'D',
  DEGRADED: 'G',
  TIMEOUT: 'T',
};

interface Captured {
  readonly name: string;
  readonly cluster: { readonly name: string };
  readonly endpoints: {
    readonly policy?: object;
    readonly endpoints?: readonly {
      readonly priority?: number;
      readonly loadBalancingWeight?: number;
      readonly lbEndpoints: readonly {
        readonly endpoint: { readonly address: { readonly socketAddress: { readonly portValue: number } } };
        readonly healthStatus?: string;
        readonly loadBalancingWeight?: number;
      }[];
    }[];
  };
  readonly dead: readonly string[];
}

/** The captured cases, by which the model was corrected. */
const fromCaptures = (captured as readonly Captured[]).map(({ name, cluster, endpoints, dead }): LbCase => {
  const isDead = (port: number): boolean => dead.some((address) => address.endsWith(`:${port}`));
  return {
    name,
    cluster,
    ...(endpoints.policy && { policy: endpoints.policy }),
    localities: (endpoints.endpoints ?? []).map(({ priority, loadBalancingWeight, lbEndpoints }) => ({
      priority,
      weight: loadBalancingWeight ?? null,
      hosts: lbEndpoints
        .map(({ endpoint, healthStatus = '' }) =>
          isDead(endpoint.address.socketAddress.portValue) ? 'X' : (letters[healthStatus] ?? 'N'),
        )
        .join(''),
      hostWeights: lbEndpoints.map((each) => each.loadBalancingWeight ?? 1),
    })),
    ...(name === 'weights_lr31' && {
      approximate: { points: 12, reason: 'active requests reduce the weight of an endpoint' },
    }),
    ...(name.endsWith('wrr') && { rejectedBy: /^envoy 1\.36/ }),
  };
});

export const envoyCases: readonly LbCase[] = [
  ...fromCaptures,
  of('all-draining', ['DD']),
  of('panic-with-draining', ['HUUUDD']),
  of('draining-in-both', ['HD', 'HD']),
  of('unknown-and-timeout', ['HNTU', 'H']),
  of('degraded-1-of-4', ['HGGG']),
  of('degraded-and-unhealthy', ['HGUU', 'HH']),
  of('threshold-0-one-healthy', ['HUUU'], { commonLbConfig: { healthyPanicThreshold: {} } }),
  of('threshold-80', ['HHU'], { commonLbConfig: { healthyPanicThreshold: { value: 80 } } }),
  of('fail-on-panic-both', ['HUUU', 'HUUU'], {
    commonLbConfig: { zoneAwareLbConfig: { failTrafficOnPanic: true } },
  }),
  of('panic-by-hosts', ['HUUU', 'HUUU', 'HUUUU']),
  of('none-of-2-and-6', ['UU', 'UUUUUU']),
  of('three-priorities', ['HUUU', 'HUUU', 'HHHH']),
  of('host-weights-round-robin', [{ hosts: 'HH', hostWeights: [3, 1] }]),
  of('host-weights-random', [{ hosts: 'HH', hostWeights: [3, 1] }], { lbPolicy: 'RANDOM' }),
  of('random-by-locality', [a, b], { loadBalancingPolicy: listOf('random.v3.Random', byLocality) }),
  of('random-flat', [a, b], { loadBalancingPolicy: listOf('random.v3.Random') }),
  of('least-request-flat', [a, b], { loadBalancingPolicy: listOf('least_request.v3.LeastRequest') }),
  of(
    'localities-1-2-5',
    [
      { weight: 1, hosts: 'H' },
      { weight: 2, hosts: 'H' },
      { weight: 5, hosts: 'HH' },
    ],
    {
      commonLbConfig: { localityWeightedLbConfig: {} },
    },
  ),
  of(
    'localities-with-spill',
    [
      { weight: 1, hosts: 'HU' },
      { weight: 1, hosts: 'UU' },
      { priority: 1, hosts: 'H' },
    ],
    {
      commonLbConfig: { localityWeightedLbConfig: {} },
    },
  ),
  of('dead-in-second-priority', ['HU', 'HX']),
  of('dead-of-10-with-outlier-detection', ['HHHHHHHHHX'], { outlierDetection: { interval: '1s' } }),
  ...aggregates,
  aggregate('aggregate-missing', ['missing', 'H']),
  aggregate('aggregate-panic', ['HUUU', 'HUUUU']),
  aggregate('aggregate-panic-of-leaf', ['HUUU', 'HHHH']),
  aggregate('aggregate-threshold-of-leaf', [
    of('', ['HUUU'], { commonLbConfig: { healthyPanicThreshold: {} } }),
    'HUUU',
  ]),
  aggregate('aggregate-no-panic-in-second-leaf', [
    'UU',
    of('', ['UU'], { commonLbConfig: { healthyPanicThreshold: {} } }),
  ]),
  aggregate('aggregate-fail-on-panic-of-leaf', [
    of('', ['HUUU'], { commonLbConfig: { zoneAwareLbConfig: { failTrafficOnPanic: true } } }),
    'HHHH',
  ]),
  aggregate('aggregate-factor-of-leaf', [
    of('', ['HU'], {}, { policy: { overprovisioningFactor: 200 } }),
    of('', ['HHHU'], {}, { policy: { overprovisioningFactor: 100 } }),
  ]),
  aggregate('aggregate-factor-of-second-leaf', [
    'HU',
    of('', ['HU'], {}, { policy: { overprovisioningFactor: 100 } }),
    'HH',
  ]),
  aggregate('aggregate-locality-weights-of-second-leaf', [
    of(
      '',
      [a, b].map((each) => ({ ...each, hosts: `${each.hosts}U` })),
    ),
    of('', [a, b], { commonLbConfig: { localityWeightedLbConfig: {} } }),
  ]),
  aggregate('aggregate-policy-of-leaf', [
    of('', [{ hosts: 'HHUU', hostWeights: [3, 1, 1, 1] }], { lbPolicy: 'RANDOM' }),
    of('', [{ hosts: 'HH', hostWeights: [3, 1] }]),
  ]),
  aggregate('aggregate-threshold-of-aggregate', ['HUUU', 'HUUU'], {
    commonLbConfig: { healthyPanicThreshold: {} },
  }),
  aggregate('aggregate-threshold-of-aggregate-alone', ['HUUU', 'UUUUUUUH'], {
    commonLbConfig: { healthyPanicThreshold: {} },
  }),
  aggregate('aggregate-none-available', ['UU', 'UUUU'], {
    commonLbConfig: { healthyPanicThreshold: {} },
  }),
  of('factor-200', ['HUUU', 'H'], {}, { policy: { overprovisioningFactor: 200 } }),
];

export const grpcCases: readonly LbCase[] = [
  of('one', ['H']),
  of('three', ['HHH']),
  of('unhealthy', ['HHU']),
  of('draining', ['HDH']),
  of('degraded', ['HG']),
  of('no-status', ['HN']),
  of('timeout', ['HT']),
  of('p0-unhealthy', ['UU', 'H']),
  of('p0-rejects', ['XX', 'H']),
  of('one-of-p0-rejects', ['HX', 'H']),
  of('third-priority', ['UU', 'XX', 'H']),
  of('localities-3-1', [a, b]),
  of('locality-rejects', [
    { weight: 3, hosts: 'X' },
    { weight: 1, hosts: 'H' },
    { priority: 1, hosts: 'H' },
  ]),
  of('locality-without-weight', [
    { weight: null, hosts: 'H' },
    { weight: 1, hosts: 'HH' },
  ]),
  of('localities-1-2-5', [
    { weight: 1, hosts: 'H' },
    { weight: 2, hosts: 'H' },
    { weight: 5, hosts: 'HH' },
  ]),
  of('round-robin-flat', [a, b], { loadBalancingPolicy: listOf('round_robin.v3.RoundRobin', byLocality) }),
  of('round-robin-by-locality', [a, b], {
    loadBalancingPolicy: listOf('wrr_locality.v3.WrrLocality', {
      endpointPickingPolicy: listOf('round_robin.v3.RoundRobin'),
    }),
  }),
  of('pick-first', ['HHH'], { loadBalancingPolicy: listOf('pick_first.v3.PickFirst') }),
  of('pick-first-rejects', ['XHH'], { loadBalancingPolicy: listOf('pick_first.v3.PickFirst') }),
  of('client-side-flat', [a, b], { loadBalancingPolicy: clientSide }),
  of('client-side-by-locality', [a, b], {
    loadBalancingPolicy: listOf('wrr_locality.v3.WrrLocality', { endpointPickingPolicy: clientSide }),
  }),
  of(
    'drop-30',
    ['HH'],
    {},
    {
      policy: { dropOverloads: [{ category: 'all', dropPercentage: { numerator: 30 } }] },
    },
  ),
  of(
    'drop-twice',
    ['HH'],
    {},
    {
      policy: {
        dropOverloads: [
          { category: 'one', dropPercentage: { numerator: 30 } },
          { category: 'two', dropPercentage: { numerator: 50 } },
        ],
      },
    },
  ),
  of('endpoint-weights', [{ hosts: 'HH', hostWeights: [3, 1] }]),
  of(
    'ring-hash',
    ['HHH'],
    { lbPolicy: 'RING_HASH' },
    {
      approximate: { points: 8, reason: 'the parts of a ring are not equal' },
    },
  ),
  of('no-endpoints', []),
  ...aggregates,
  aggregate('aggregate-missing', ['missing', 'H']),
  of('all-unhealthy', ['UU']),
  of('all-reject', ['XX']),
];
