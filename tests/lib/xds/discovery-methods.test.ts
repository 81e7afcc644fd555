import { expect, test } from 'vitest';
import { discoveryMethods, findDiscoveryMethod, formatDiscoveryMethod } from '@/lib/xds/discovery-methods';
import { CDS, ECDS, resourceTypes, VHDS } from '@/lib/xds/resource-type';
import { descriptorRoot } from '@/server/codec/root';

test('every v3 method is a streaming method of the protos', () => {
  for (const { path, apiVersion } of discoveryMethods) {
    if (apiVersion !== 'v3') continue;
    const [service = '', method = ''] = path.split('/');
    const found = descriptorRoot().lookupService(`.${service}`).methods[method];
    expect([path, found?.requestStream, found?.responseStream]).toEqual([path, true, true]);
  }
});

test('every type has a method in each variant, except VHDS in state of the world and ECDS in v2', () => {
  const missing: unknown[] = [];
  for (const typeUrl of [null, ...resourceTypes.map((type) => type.typeUrl)]) {
    for (const isDelta of [false, true]) {
      for (const apiVersion of ['v3', 'v2'] as const) {
        const wanted = { typeUrl, isDelta, apiVersion };
        if (findDiscoveryMethod(wanted) === undefined) missing.push(wanted);
      }
    }
  }
  expect(missing).toEqual([
    { typeUrl: VHDS.typeUrl, isDelta: false, apiVersion: 'v3' },
    { typeUrl: VHDS.typeUrl, isDelta: false, apiVersion: 'v2' },
    { typeUrl: ECDS.typeUrl, isDelta: false, apiVersion: 'v2' },
    { typeUrl: ECDS.typeUrl, isDelta: true, apiVersion: 'v2' },
  ]);
});

test('the name of a method states what it streams', () => {
  const shown = (typeUrl: string | null, isDelta: boolean, apiVersion: 'v3' | 'v2'): string | undefined => {
    const found = findDiscoveryMethod({ typeUrl, isDelta, apiVersion });
    return found === undefined ? undefined : `${formatDiscoveryMethod(found)}: ${found.path}`;
  };
  expect(shown(null, false, 'v3')).toBe(
    'ADS: envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources',
  );
  expect(shown(CDS.typeUrl, true, 'v2')).toBe(
    'delta CDS (v2): envoy.api.v2.ClusterDiscoveryService/DeltaClusters',
  );
});
