import { experimental, type LoadBalancingConfig } from '@grpc/grpc-js';
import { register } from '@grpc/grpc-js-xds';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { LbNode } from '@/lib/lb/tree/lb-node';
import { CDS } from '@/lib/xds/resource-type';
import { findNode, lbTreeOf } from '../../support/builders/lb-tree';
import {
  aggregateCluster,
  edsCluster,
  endpoints,
  type MeshResource,
} from '../../support/builders/topology-mesh';

/** grpc-js itself parses the config that xdscope displays, and its JSON has to be equal to that config. */
beforeAll(register);

const members = endpoints('cart', [
  { zone: 'a', weight: 2, endpoints: ['10.0.0.1:80', '10.0.0.2:80 UNHEALTHY'] },
  { zone: 'b', priority: 1, endpoints: ['10.0.1.1:80'] },
]);

function clusterWith(fields: object): MeshResource[] {
  const body = { name: 'cart', type: 'EDS', edsClusterConfig: {}, ...fields };
  return [{ typeUrl: CDS.typeUrl, name: 'cart', body }, members];
}

/** The configs of all policies of the tree that have one. */
function configsOf(node: LbNode): LoadBalancingConfig[] {
  const own = node.config === undefined ? [] : [node.config as LoadBalancingConfig];
  return [...own, ...node.children.flatMap(configsOf)];
}

function expectSame(mesh: readonly MeshResource[], cluster = 'cart'): void {
  const configs = configsOf(lbTreeOf('node', cluster, mesh));
  expect(configs.length).toBeGreaterThan(2);
  for (const config of configs) {
    const written = experimental.parseLoadBalancingConfig(config).toJsonObject();
    expect(JSON.parse(JSON.stringify(written))).toEqual(config);
  }
}

const typedStruct = (typeUrl: string, value: object) => ({
  typedExtensionConfig: {
    typedConfig: { '@type': 'type.googleapis.com/xds.type.v3.TypedStruct', typeUrl, value },
  },
});

describe('the service config for grpc-js-xds equals its own', () => {
  it('of a plain cluster', () => expectSame([edsCluster('cart'), members]));
  it('of a cluster without endpoints', () => expectSame([edsCluster('cart'), endpoints('cart', [])]));
  it('of a ring', () =>
    expectSame(clusterWith({ lbPolicy: 'RING_HASH', ringHashLbConfig: { minimumRingSize: '64' } })));
  it('of an aggregate', () =>
    expectSame([aggregateCluster('shop', ['cart']), edsCluster('cart'), members], 'shop'));
  it('of a policy with a name', () =>
    expectSame(
      clusterWith({
        loadBalancingPolicy: {
          policies: [typedStruct('type.googleapis.com/ring_hash', { min_ring_size: 5, max_ring_size: 50 })],
        },
      }),
    ));
  it('of DNS', () => {
    const socketAddress = { address: 'db.example.com', portValue: 443 };
    const loadAssignment = { endpoints: [{ lbEndpoints: [{ endpoint: { address: { socketAddress } } }] }] };
    const body = { name: 'cart', type: 'LOGICAL_DNS', loadAssignment };
    expectSame([{ typeUrl: CDS.typeUrl, name: 'cart', body }]);
  });

  it('of outlier detection with any settings', () => {
    const millis = fc.integer({ min: 1, max: 3_600_000 }).map(writeMillis);
    const percent = fc.integer({ min: 0, max: 100 });
    const count = fc.integer({ min: 1, max: 5_000 });
    const detection = fc.record(
      {
        interval: millis,
        baseEjectionTime: millis,
        maxEjectionTime: millis,
        maxEjectionPercent: percent,
        enforcingSuccessRate: percent,
        successRateStdevFactor: count,
        successRateMinimumHosts: count,
        successRateRequestVolume: count,
        enforcingFailurePercentage: percent,
        failurePercentageThreshold: percent,
        failurePercentageMinimumHosts: count,
        failurePercentageRequestVolume: count,
      },
      { requiredKeys: [] },
    );
    fc.assert(fc.property(detection, (outlierDetection) => expectSame(clusterWith({ outlierDetection }))));
  });
});

/** Returns a Duration in proto3 JSON. */
function writeMillis(millis: number): string {
  const fraction = millis % 1_000 === 0 ? '' : `.${String(millis % 1_000).padStart(3, '0')}`;
  return `${Math.floor(millis / 1_000)}${fraction}s`;
}

describe('the service config of the other clients', () => {
  const detecting = clusterWith({ outlierDetection: { interval: '0.250s' } });

  it('has durations in the form of each client', () => {
    const intervalOf = (kind: 'core' | 'go' | 'java') => {
      const policy = 'outlier_detection_experimental';
      const config = findNode(lbTreeOf(kind, 'cart', detecting), policy)?.config;
      return (config?.[policy] as { readonly interval?: unknown } | undefined)?.interval;
    };
    expect([intervalOf('core'), intervalOf('go'), intervalOf('java')]).toEqual([
      '0.250000000s',
      '0.250s',
      '0.250s',
    ]);
  });

  it('of Go since gRFC A74 contains only the name of the cluster', () => {
    const impl = findNode(lbTreeOf('go', 'cart', detecting), 'xds_cluster_impl_experimental');
    expect(Object.keys(impl?.config?.xds_cluster_impl_experimental as object)).toEqual([
      'cluster',
      'childPolicy',
    ]);
  });

  it('has a custom policy unchanged, and the reported fields of client-side WRR', () => {
    const wrr = {
      typedExtensionConfig: {
        typedConfig: {
          '@type':
            'type.googleapis.com/envoy.extensions.load_balancing_policies.client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin',
          blackoutPeriod: '7.500s',
        },
      },
    };
    const ofCore = lbTreeOf('core', 'cart', clusterWith({ loadBalancingPolicy: { policies: [wrr] } }));
    expect(findNode(ofCore, 'weighted_round_robin')?.config).toEqual({
      weighted_round_robin: { blackoutPeriod: '7.500000000s' },
    });
    const own = typedStruct('type.googleapis.com/acme.Mine', { someKey: { innerKey: 1 } });
    const ofGo = lbTreeOf('go', 'cart', clusterWith({ loadBalancingPolicy: { policies: [own] } }));
    expect(findNode(ofGo, 'acme.Mine')?.config ?? ofGo).toEqual({
      'acme.Mine': { someKey: { innerKey: 1 } },
    });
  });
});
