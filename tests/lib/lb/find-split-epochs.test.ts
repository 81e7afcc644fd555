import { describe, expect, it } from 'vitest';
import { findSplitEpochs, type SplitEpochsInput, type SplitRules } from '@/lib/lb/find-split-epochs';
import { newestOf } from '@/lib/xds/profile';
import { CDS } from '@/lib/xds/resource-type';
import { resolveResources } from '../../support/builders/resolve-mesh';
import { endpoints, type MeshResource, shopOfCart } from '../../support/builders/topology-mesh';

function cart(a: number, b: number, ...health: string[]): MeshResource {
  return endpoints('cart', [
    { zone: 'a', weight: a, endpoints: health.map((each, at) => `10.0.0.${at + 1}:80 ${each}`) },
    { zone: 'b', weight: b, endpoints: ['10.0.1.1:80'] },
  ]);
}

function epochsOf(cluster: string, rules: SplitRules, ...updates: readonly (readonly MeshResource[])[]) {
  return epochsBy('locality', cluster, rules, ...updates);
}

function epochsBy(
  by: SplitEpochsInput['by'],
  cluster: string,
  rules: SplitRules,
  ...updates: readonly (readonly MeshResource[])[]
) {
  const found = findSplitEpochs({
    ...{ start: { listener: 'shop', authority: 'shop' }, profile: newestOf('core') },
    grpcProfile: newestOf('core'),
    ...{ cluster, rules, by },
    steps: updates.map((changed, at) => ({ at, changed: resolveResources(changed), removed: [] })),
  });
  return {
    ...found,
    epochs: found.epochs.map(({ fromAt, toAt, shares }) => [
      fromAt,
      toAt,
      ...shares.map(({ share }) => share),
    ]),
  };
}

describe('findSplitEpochs', () => {
  it('begins an epoch with each change of the expected shares, and with no other change of the config', () => {
    const { epochs } = epochsOf(
      'cart',
      'grpc',
      [...shopOfCart, cart(20, 80, 'HEALTHY')],
      // Another endpoint, with the same weights of localities.
      [cart(20, 80, 'HEALTHY', 'HEALTHY')],
      [cart(50, 50, 'HEALTHY')],
      [cart(50, 50, 'UNHEALTHY')],
    );
    expect(epochs).toEqual([
      [0, 2, 0.2, 0.8],
      [2, 3, 0.5, 0.5],
      [3, null, 0, 1],
    ]);
  });

  it('begins an epoch with each change of the expected shares of endpoints', () => {
    const { epochs } = epochsBy(
      'endpoint',
      'cart',
      'grpc',
      [...shopOfCart, cart(20, 80, 'HEALTHY')],
      [cart(20, 80, 'HEALTHY', 'HEALTHY')],
      [cart(20, 80, 'HEALTHY', 'UNHEALTHY')],
    );
    expect(epochs).toEqual([
      [0, 1, 0.2, 0.8],
      [1, 2, 0.1, 0.1, 0.8],
      [2, null, 0.2, 0, 0.8],
    ]);
  });

  it('states why there is no epoch', () => {
    const { epochs, notes } = epochsOf('pay', 'grpc', [...shopOfCart, cart(1, 1, 'HEALTHY')]);
    expect(epochs).toEqual([]);
    expect(notes).toEqual(['cluster "pay": not in the effective config']);
  });

  it('has none of an Envoy that chooses a subset for each request, as load reports are of all listeners', () => {
    const lbSubsetConfig = { fallbackPolicy: 'ANY_ENDPOINT', subsetSelectors: [{ keys: ['v'] }] };
    const mesh = [...shopOfCart, cart(1, 1, 'HEALTHY')].map((each) =>
      each.typeUrl === CDS.typeUrl ? { ...each, body: { ...each.body, lbSubsetConfig } } : each,
    );
    const { epochs, notes } = findSplitEpochs({
      ...{ start: { listener: 'shop', authority: 'shop' }, profile: newestOf('envoy') },
      ...{ grpcProfile: newestOf('core'), cluster: 'cart', rules: 'envoy', by: 'locality' },
      steps: [{ at: 0, changed: resolveResources(mesh), removed: [] }],
    });
    expect([epochs, notes]).toEqual([[], [expect.stringContaining('routes of other listeners')]]);
  });
});
