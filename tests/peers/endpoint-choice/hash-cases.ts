import type { CaseGroup, ChoiceCase, ChoiceEnvoy, ChoiceRequest } from './cases';

const byUser = { hashPolicy: [{ header: { headerName: 'x-user' } }] };
const users: readonly ChoiceRequest[] = Array.from({ length: 12 }, (_, at) => ({
  headers: [['x-user', `user-${at * 7919}`]],
}));

const hosts = (count: number, health = 'H'): string[] => Array.from({ length: count }, () => health);
const five: readonly CaseGroup[] = [{ zone: 'a', hosts: hosts(5) }];
const never = { commonLbConfig: { healthyPanicThreshold: {} } };
const extension = 'type.googleapis.com/envoy.extensions.load_balancing_policies.';

function listed(name: string, more: object = {}): object {
  const typedConfig = { '@type': `${extension}${name}`, ...more };
  return { loadBalancingPolicy: { policies: [{ typedExtensionConfig: { name: 'policy', typedConfig } }] } };
}

/** The same case with a ring and with a Maglev table. */
function both(name: string, more: Partial<ChoiceCase> & { readonly fields?: object } = {}): ChoiceCase[] {
  const { fields = {}, ...rest } = more;
  return [
    ['ring', { lbPolicy: 'RING_HASH' }],
    ['maglev', { lbPolicy: 'MAGLEV' }],
  ].map(([kind, policy]) => ({
    ...{ name: `${kind}-${name}`, groups: five, route: byUser, requests: users, ...rest },
    cluster: { ...(policy as object), ...fields },
  }));
}

const policies = (...hashPolicy: readonly object[]) => ({ route: { hashPolicy } });
const cookie = { cookie: { name: 'session' } };
const query = { queryParameter: { name: 'q' } };
const cookies: readonly ChoiceRequest[] = ['a', 'b=c', '"d"', 'e; session=f'].map((value) => ({
  headers: [['cookie', `x=1; session=${value}`]],
}));
const queries: readonly ChoiceRequest[] = ['?q=1', '?q=%31', '?p=0&q=2&q=3', '?q=', '?q'].map((each) => ({
  query: each,
}));
const several: ChoiceRequest = {
  headers: [
    ['x-user', 'zoe'],
    ['x-user', 'ada'],
  ],
};

const cases: readonly ChoiceCase[] = [
  ...both('header'),
  ...both('header-of-several-values', { requests: [several, ...users.slice(0, 2)] }),
  ...both('cookie', { ...policies(cookie), requests: cookies }),
  ...both('query', { ...policies(query), requests: queries }),
  ...both('source-address', { ...policies({ connectionProperties: { sourceIp: true } }), requests: [{}] }),
  ...both('two-policies', {
    ...policies({ header: { headerName: 'x-user' } }, query),
    requests: users.map((each, at) => ({ ...each, ...(at % 2 === 0 && { query: `?q=${at}` }) })),
  }),
  ...both('terminal', {
    ...policies({ header: { headerName: 'x-user' }, terminal: true }, query),
    requests: users.slice(0, 4).map((each) => ({ ...each, query: '?q=1' })),
  }),
  ...both('host-weights', { groups: [{ zone: 'a', hosts: hosts(4), hostWeights: [1, 2, 5, 9] }] }),
  ...both('hash-key', { groups: [{ zone: 'a', hosts: ['H hash_key=one', 'H hash_key=two', 'H'] }] }),
  ...both('localities', {
    groups: [
      { zone: 'b', hosts: hosts(3) },
      { zone: 'c', hosts: hosts(2) },
    ],
  }),
  ...both('locality-weights', {
    groups: [
      { zone: 'b', weight: 1, hosts: hosts(3) },
      { zone: 'c', weight: 3, hosts: hosts(2) },
    ],
    fields: { commonLbConfig: { localityWeightedLbConfig: {} } },
  }),
  ...both('unhealthy', { groups: [{ zone: 'a', hosts: ['H', 'U', 'H', 'G', 'D', 'H'] }], fields: never }),
  ...both('panic', { groups: [{ zone: 'a', hosts: ['H', 'U', 'U', 'U', 'U'] }] }),
  ...both('two-priorities', {
    groups: [
      { zone: 'a', hosts: ['H', 'U', 'U'] },
      { zone: 'a', priority: 1, hosts: hosts(3) },
    ],
    fields: never,
  }),
  ...both('subset', {
    groups: [{ zone: 'a', hosts: ['H v=1', 'H v=2', 'H v=1', 'H v=1'] }],
    route: { ...byUser, metadataMatch: { filterMetadata: { 'envoy.lb': { v: '1' } } } },
    fields: { lbSubsetConfig: { subsetSelectors: [{ keys: ['v'] }] } },
  }),
  ...[
    { name: 'ring-of-7', cluster: { ringHashLbConfig: { minimumRingSize: 7 } } },
    { name: 'ring-of-at-most-4', cluster: { ringHashLbConfig: { minimumRingSize: 3, maximumRingSize: 4 } } },
    { name: 'ring-of-50000', cluster: { ringHashLbConfig: { minimumRingSize: 50_000 } } },
  ].map(({ name, cluster }) => ({
    ...{ name, groups: five, route: byUser, requests: users },
    cluster: { lbPolicy: 'RING_HASH', ...cluster },
  })),
  ...[
    { name: 'maglev-of-5', cluster: { lbPolicy: 'MAGLEV', maglevLbConfig: { tableSize: 5 } } },
    { name: 'listed-ring', cluster: listed('ring_hash.v3.RingHash', { minimumRingSize: 100 }) },
    { name: 'listed-maglev', cluster: listed('maglev.v3.Maglev', { tableSize: 1_009 }) },
    {
      name: 'policies-of-cluster',
      cluster: listed('ring_hash.v3.RingHash', { consistentHashingLbConfig: { hashPolicy: [query] } }),
      requests: queries.slice(0, 3),
    },
  ].map((each) => ({ groups: five, route: byUser, requests: users, ...each })),
];

export const hashEnvoy: ChoiceEnvoy = { name: 'hashes', cases };
