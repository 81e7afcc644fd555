import { describe, expect, it } from 'vitest';
import { numberChildren } from '@/lib/lb/grpc/child-numbers';
import { grpcClients, grpcProfiles, type Profile, profilesOf, since } from '@/lib/xds/profile';
import { CDS } from '@/lib/xds/resource-type';
import { drawTree, findNode, lbTreeOf } from '../../support/builders/lb-tree';
import {
  aggregateCluster,
  edsCluster,
  endpoints,
  type MeshResource,
} from '../../support/builders/topology-mesh';

const twoLevels = endpoints('cart', [
  { zone: 'a', weight: 2, endpoints: ['10.0.0.1:80', '10.0.0.2:80 UNHEALTHY'] },
  { zone: 'z', weight: 0, endpoints: ['10.0.0.3:80'] },
  { zone: 'b', priority: 1, endpoints: ['10.0.1.1:80'] },
]);
const cart = [edsCluster('cart'), twoLevels];
const zone = (name: string) => `{region="eu", zone="${name}", sub_zone=""}`;

function cluster(fields: object): MeshResource {
  const body = { name: 'cart', type: 'EDS', edsClusterConfig: {}, ...fields };
  return { typeUrl: CDS.typeUrl, name: 'cart', body };
}

function policy(name: string, config: object = {}): object {
  const type = /^(xds|unknown)\./.test(name) ? name : `envoy.extensions.load_balancing_policies.${name}`;
  return { typedExtensionConfig: { typedConfig: { '@type': `type.googleapis.com/${type}`, ...config } } };
}

describe('section 5.2: the tree of an EDS cluster', () => {
  it('has its layers above the priorities for C-core, including override host', () => {
    expect(drawTree(lbTreeOf('core', 'cart', cart))).toEqual([
      'xds_cluster_manager_experimental',
      '  cds_experimental (cluster:cart)',
      '    outlier_detection_experimental',
      '      xds_cluster_impl_experimental',
      '        xds_override_host_experimental',
      '          priority_experimental',
      '            xds_wrr_locality_experimental ({cluster=cart, child_number=0})',
      '              weighted_target_experimental',
      `                round_robin (${zone('a')}): 10.0.0.1:80 [10.0.0.2:80]`,
      '                [round_robin]: [10.0.0.3:80]',
      '            xds_wrr_locality_experimental ({cluster=cart, child_number=1})',
      '              weighted_target_experimental',
      `                round_robin (${zone('b')}): 10.0.1.1:80`,
    ]);
  });

  it("has no override host for Node, and Node's own names", () => {
    const [, , ...layers] = drawTree(lbTreeOf('node', 'cart', cart));
    expect(layers.slice(0, 6)).toEqual([
      '    outlier_detection',
      '      xds_cluster_impl',
      '        priority',
      '          xds_wrr_locality (cluster=cart, child_number=0)',
      '            weighted_target',
      '              round_robin ({region=eu,zone=a,sub_zone=}): 10.0.0.1:80 [10.0.0.2:80]',
    ]);
  });

  it('names localities in JSON for Go before 1.73', () => {
    const names = (profile: Profile) => drawTree(lbTreeOf(profile, 'cart', cart)).join('\n');
    expect(names('go-1.72')).toContain('round_robin ({"region":"eu","zone":"a"}): 10.0.0.1:80');
    expect(names('go-1.73')).toContain(`round_robin (${zone('a')}): 10.0.0.1:80`);
  });

  it('has layers in each priority for Go', () => {
    const [, , ...layers] = drawTree(lbTreeOf('go', 'cart', cart));
    expect(layers.slice(0, 5)).toEqual([
      '    priority_experimental',
      '      outlier_detection_experimental (priority-0-0)',
      '        xds_cluster_impl_experimental',
      '          xds_wrr_locality_experimental',
      '            weighted_target_experimental',
    ]);
  });

  it('has outlier detection for Java only if it is configured', () => {
    const [, , , first] = drawTree(lbTreeOf('java', 'cart', cart));
    expect(first).toBe('      cluster_impl_experimental (cart[child1])');
    const detecting = [cluster({ outlierDetection: {} }), twoLevels];
    expect(drawTree(lbTreeOf('java', 'cart', detecting))[3]).toBe(
      '      outlier_detection_experimental (cart[child1])',
    );
  });
});

describe('a priority without usable endpoint', () => {
  const mesh = [
    edsCluster('cart'),
    endpoints('cart', [
      { zone: 'a', endpoints: ['10.0.0.1:80 UNHEALTHY'] },
      { zone: 'b', priority: 1, endpoints: ['10.0.1.1:80'] },
    ]),
  ];

  it.each(['core', 'go'] as const)('remains a priority of %s, which fails at once', (kind) => {
    const tree = lbTreeOf(kind, 'cart', mesh);
    expect(findNode(tree, 'priority_experimental')?.children.map(({ use }) => use)).toEqual(['used', 'used']);
    const target = findNode(tree, 'weighted_target_experimental');
    expect(target?.config).toEqual({ weighted_target_experimental: { targets: {} } });
    expect(target?.facts).toContain('no locality has a usable endpoint: it is in TRANSIENT_FAILURE at once');
    expect(target?.children).toMatchObject([
      { use: 'ignored', reason: 'no target: it has no usable endpoint', config: undefined },
    ]);
  });

  it.each(['java', 'node'] as const)('is skipped by %s, which uses the next one', (kind) => {
    const priority = lbTreeOf(kind, 'cart', mesh);
    const [gone, next] =
      findNode(priority, kind === 'java' ? 'priority_experimental' : 'priority')?.children ?? [];
    expect(gone).toMatchObject({ use: 'ignored', config: undefined });
    expect(gone?.reason).toContain('drops a priority without a usable endpoint');
    expect(next?.name).toBe(kind === 'java' ? 'cart[child1]' : 'cluster=cart, child_number=0');
  });
});

describe('the priority that gets the requests, according to EDS', () => {
  const priority = (zone: string, number: number, health = 'HEALTHY') => ({
    zone,
    priority: number,
    endpoints: [`10.0.${number}.1:80 ${health}`],
  });
  const standingsOf = (kind: 'core' | 'go', policy: string, cluster: string, mesh: readonly MeshResource[]) =>
    findNode(lbTreeOf(kind, cluster, mesh), policy)?.children.map(({ standing }) => standing);

  it('is the first with a usable endpoint; earlier ones are failed, later ones standby', () => {
    const levels = [priority('a', 0, 'UNHEALTHY'), priority('b', 1), priority('c', 2)];
    const mesh = [edsCluster('cart'), endpoints('cart', levels)];
    expect(standingsOf('core', 'priority_experimental', 'cart', mesh)).toEqual(['failed', 'live', 'standby']);
    expect(standingsOf('go', 'priority_experimental', 'cart', mesh)).toEqual(['failed', 'live', 'standby']);
  });

  it('of an aggregate is a priority of one of its leaves', () => {
    const mesh = [
      aggregateCluster('shop', ['near', 'far']),
      ...[
        edsCluster('near'),
        endpoints('near', [priority('a', 0, 'UNHEALTHY'), priority('b', 1, 'TIMEOUT')]),
      ],
      ...[edsCluster('far'), endpoints('far', [priority('c', 0), priority('d', 1)])],
    ];
    const leaves = findNode(lbTreeOf('core', 'shop', mesh), 'priority_experimental')?.children ?? [];
    expect(leaves.map(({ standing }) => standing)).toEqual(['failed', 'live']);
    const own = leaves.map((leaf) => findNode(leaf, 'priority_experimental')?.children);
    expect(own.map((children) => children?.map(({ standing }) => standing))).toEqual([
      ['failed', 'failed'],
      ['live', 'standby'],
    ]);
    expect(standingsOf('go', 'priority_experimental', 'shop', mesh)).toEqual([
      'failed',
      'failed',
      'live',
      'standby',
    ]);
  });
});

describe('aggregates', () => {
  const mesh = [
    aggregateCluster('shop', ['cart', 'spare']),
    ...cart,
    edsCluster('spare'),
    endpoints('spare', [{ zone: 'c', endpoints: ['10.0.2.1:80'] }]),
  ];

  it.each(['core', 'node', 'java'] as const)(
    'have one priority policy for %s, whose children are cds of the leaves',
    (kind) => {
      const lines = drawTree(lbTreeOf(kind, 'shop', mesh)).filter((line) => line.includes('cds'));
      expect(lines.map((line) => line.trim().replace('_experimental', ''))).toEqual([
        'cds (cluster:shop)',
        'cds (cart)',
        'cds (spare)',
      ]);
    },
  );

  const members = [{ ...edsCluster('bad'), body: { name: 'bad', type: 'STRICT_DNS' } }];
  const withBad = [aggregateCluster('shop', ['cart', 'bad', 'later']), ...cart, ...members];

  it('fail as a whole in Go if a member does', () => {
    const cds = findNode(lbTreeOf('go', 'shop', withBad), 'cds_experimental');
    expect([cds?.use, cds?.reason]).toEqual([
      'ignored',
      expect.stringContaining('"shop" fails as a whole in Go, because member "bad" does'),
    ]);
  });

  it.each(['core', 'java', 'node'] as const)(
    'contain rejected and unknown members as ignored for %s',
    (kind) => {
      const tree = lbTreeOf(kind, 'shop', withBad);
      const absent = drawTree(tree).filter((line) => line.includes('[cds'));
      expect(absent.map((line) => line.trim().replace('_experimental', ''))).toEqual([
        '[cds (bad)]',
        '[cds (later)]',
      ]);
    },
  );

  it('have one priority policy for Go with the priorities of all leaves', () => {
    const tree = lbTreeOf('go', 'shop', mesh);
    expect(findNode(tree, 'priority_experimental')?.children.map(({ name, label }) => [name, label])).toEqual(
      [
        ['priority-0-0', 'cart P0'],
        ['priority-0-1', 'cart P1'],
        ['priority-1-0', 'spare P0'],
      ],
    );
  });
});

describe('the policy', () => {
  const of = (loadBalancingPolicy: object) => [cluster({ loadBalancingPolicy }), twoLevels];
  const wrr = (...inner: object[]) =>
    policy('wrr_locality.v3.WrrLocality', { endpointPickingPolicy: { policies: inner } });

  it('is the first of the list that the client supports; the node contains the list', () => {
    const mesh = of({
      policies: [
        policy('maglev.v3.Maglev'),
        wrr(policy('least_request.v3.LeastRequest'), policy('round_robin.v3.RoundRobin')),
      ],
    });
    const node = findNode(lbTreeOf('core', 'cart', mesh), 'xds_wrr_locality_experimental');
    expect(
      node?.listed.map(({ typeName, use, reason }) => [typeName.split('.').at(-1), use, reason]),
    ).toEqual([
      ['Maglev', 'ignored', 'not a policy that the client supports'],
      ['WrrLocality', 'used', ''],
    ]);
    const inner = findNode(lbTreeOf('core', 'cart', mesh), 'round_robin')?.listed;
    expect(inner?.map(({ use }) => use)).toEqual(['ignored', 'used']);
    expect(findNode(lbTreeOf('java', 'cart', mesh), 'least_request_experimental')?.endpoints).toHaveLength(2);
  });

  it('LEAST_REQUEST: Java weighs localities, Go does not, C-core rejects it', () => {
    const mesh = [cluster({ lbPolicy: 'LEAST_REQUEST' }), twoLevels];
    const has = (kind: 'core' | 'go' | 'java', policyName: string) =>
      findNode(lbTreeOf(kind, 'cart', mesh), policyName) !== undefined;
    const tree = (kind: 'core' | 'go' | 'java') => [
      has(kind, kind === 'java' ? 'wrr_locality_experimental' : 'xds_wrr_locality_experimental'),
      has(kind, 'least_request_experimental'),
    ];
    expect(tree('java')).toEqual([true, true]);
    expect(tree('go')).toEqual([false, true]);
    expect(tree('core')).toEqual([false, false]);
  });

  it('LEAST_REQUEST: Go before 1.73 and Java 1.60 reject it', () => {
    const mesh = [cluster({ lbPolicy: 'LEAST_REQUEST' }), twoLevels];
    const has = (profile: Profile) =>
      findNode(lbTreeOf(profile, 'cart', mesh), 'least_request_experimental') !== undefined;
    expect(grpcProfiles.filter(has)).toEqual([...since('go-1.73'), ...since('java-1.76')]);
  });

  it('C-core before 1.55 reads lb_policy alone', () => {
    const mesh = of({ policies: [policy('pick_first.v3.PickFirst')] });
    const has = (profile: Profile) => findNode(lbTreeOf(profile, 'cart', mesh), 'pick_first') !== undefined;
    expect(profilesOf('core').filter(has)).toEqual(since('core-1.55'));
  });

  it('can be a custom policy, used if the list has no supported one', () => {
    const custom = policy('xds.type.v3.TypedStruct', {
      typeUrl: 'type.googleapis.com/test.RpcBehaviorLoadBalancer',
      value: { rpcBehavior: 'error-code-15' },
    });
    const mesh = of({ policies: [policy('unknown.v1.Unknown'), wrr(custom)] });
    const node = findNode(lbTreeOf('core', 'cart', mesh), 'test.RpcBehaviorLoadBalancer');
    expect(node?.config).toEqual({ 'test.RpcBehaviorLoadBalancer': { rpcBehavior: 'error-code-15' } });
  });

  it('ring_hash has endpoints of all localities with the product of both weights, and no locality layer', () => {
    const mesh = [
      cluster({ lbPolicy: 'RING_HASH', ringHashLbConfig: { minimumRingSize: '8000' } }),
      twoLevels,
    ];
    const ring = findNode(lbTreeOf('core', 'cart', mesh), 'ring_hash_experimental');
    expect(ring?.config).toEqual({ ring_hash_experimental: { minRingSize: 8000, maxRingSize: 8388608 } });
    expect(ring?.facts).toContain('sizes are capped at 4096');
    expect(ring?.endpoints.map(({ address, weight, use }) => [address, weight, use])).toEqual([
      ['10.0.0.1:80', 2, 'used'],
      ['10.0.0.2:80', 2, 'ignored'],
      ['10.0.0.3:80', 0, 'ignored'],
    ]);
  });

  it('that no gRPC client supports has a reason', () => {
    const mesh = [cluster({ lbPolicy: 'MAGLEV' }), twoLevels];
    for (const kind of grpcClients)
      expect(findNode(lbTreeOf(kind, 'cart', mesh), 'no policy')?.reason ?? '').toContain('MAGLEV');
  });
});

describe('the service config', () => {
  const full = [
    cluster({
      outlierDetection: { enforcingFailurePercentage: 50 },
      circuitBreakers: { thresholds: [{ maxRequests: 100 }, { maxRequests: 200 }] },
    }),
    twoLevels,
  ];

  it('of C-core is the config that cds passes on', () => {
    expect(findNode(lbTreeOf('core', 'cart', cart), 'outlier_detection_experimental')?.config).toEqual({
      outlier_detection_experimental: {
        childPolicy: [
          {
            xds_cluster_impl_experimental: {
              clusterName: 'cart',
              childPolicy: [
                {
                  xds_override_host_experimental: {
                    clusterName: 'cart',
                    childPolicy: [
                      {
                        priority_experimental: {
                          children: {
                            '{cluster=cart, child_number=0}': {
                              config: [
                                { xds_wrr_locality_experimental: { childPolicy: [{ round_robin: {} }] } },
                              ],
                              ignore_reresolution_requests: true,
                            },
                            '{cluster=cart, child_number=1}': {
                              config: [
                                { xds_wrr_locality_experimental: { childPolicy: [{ round_robin: {} }] } },
                              ],
                              ignore_reresolution_requests: true,
                            },
                          },
                          priorities: ['{cluster=cart, child_number=0}', '{cluster=cart, child_number=1}'],
                        },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    });
  });

  it("of outlier detection has gRPC's defaults in the spelling of each client", () => {
    const of = (kind: 'core' | 'node') => {
      const policy = kind === 'node' ? 'outlier_detection' : 'outlier_detection_experimental';
      return findNode(lbTreeOf(kind, 'cart', full), policy)?.config?.[policy];
    };
    expect(of('core')).toMatchObject({
      interval: '10.000000000s',
      maxEjectionPercent: 10,
      failurePercentageEjection: {
        threshold: 85,
        enforcementPercentage: 50,
        minimumHosts: 5,
        requestVolume: 50,
      },
    });
    expect(of('node')).toMatchObject({
      base_ejection_time: { seconds: 30, nanos: 0 },
      success_rate_ejection: { stdev_factor: 1900 },
    });
  });

  it('of outlier detection by success rate depends on the fields that are set, as measured', () => {
    const detecting = (outlierDetection: object) => [cluster({ outlierDetection }), twoLevels];
    const policies = { core: 'outlier_detection_experimental', node: 'outlier_detection' } as const;
    const of = (kind: 'core' | 'node' | 'go', fields: object) => {
      const policy = kind === 'node' ? policies.node : policies.core;
      return findNode(lbTreeOf(kind, 'cart', detecting(fields)), policy);
    };
    expect(of('core', {})?.config?.[policies.core]).not.toHaveProperty('successRateEjection');
    expect(of('core', {})?.facts).toEqual([
      'it ejects nothing',
      'success rate: off, because C-core needs enforcing_success_rate to be set',
    ]);
    const enforcing = { enforcingSuccessRate: 100 };
    expect(of('core', enforcing)?.config?.[policies.core]).toMatchObject({
      successRateEjection: {
        stdevFactor: 1900,
        enforcementPercentage: 100,
        minimumHosts: 5,
        requestVolume: 100,
      },
    });
    expect(of('node', enforcing)?.facts).toContain(
      'success rate: off, because Node needs success_rate_minimum_hosts, success_rate_stdev_factor to be set',
    );
    const all = { ...enforcing, successRateMinimumHosts: 5, successRateStdevFactor: 1900 };
    for (const [kind, fields] of [
      ['go', {}],
      ['core', enforcing],
      ['node', all],
    ] as const)
      expect(of(kind, fields)?.facts).toContain(
        'success rate: below the mean by 1.9 standard deviations, of 5 endpoints with 100 requests',
      );
  });

  it('of weighted_target has a target for each locality that is used', () => {
    expect(findNode(lbTreeOf('go', 'cart', cart), 'weighted_target_experimental')?.config).toEqual({
      weighted_target_experimental: {
        targets: { [zone('a')]: { weight: 2, childPolicy: [{ round_robin: {} }] } },
      },
    });
  });

  it('circuit breaking uses the first threshold, for Node the last', () => {
    const facts = (kind: 'core' | 'node') =>
      findNode(
        lbTreeOf(kind, 'cart', full),
        kind === 'node' ? 'xds_cluster_impl' : 'xds_cluster_impl_experimental',
      )?.facts;
    expect(facts('core')).toContain('at most 100 requests at once');
    expect(facts('node')).toContain('at most 200 requests at once');
  });
});

it('child numbers of priorities continue from the previous update', () => {
  const before = numberChildren.core(null, [['eu\0b\0'], ['eu\0a\0']]);
  const tree = lbTreeOf('core', 'cart', cart, before);
  expect(findNode(tree, 'priority_experimental')?.children.map(({ name }) => name)).toEqual([
    '{cluster=cart, child_number=1}',
    '{cluster=cart, child_number=0}',
  ]);
});

it('an unknown cluster is in the tree with the reason', () => {
  const tree = lbTreeOf('core', 'cart', []);
  expect(tree.children[0]).toMatchObject({ use: 'ignored', label: 'cluster "cart"' });
});
