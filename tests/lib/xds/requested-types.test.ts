import { expect, it } from 'vitest';
import { newestOf } from '@/lib/xds/profile';
import { requestsType } from '@/lib/xds/requested-types';
import { EDS, SDS } from '@/lib/xds/resource-type';

it.each([
  ['go', EDS.typeUrl, true],
  ['go', 'envoy.config.endpoint.v3.ClusterLoadAssignment', true],
  ['go', SDS.typeUrl, false],
  ['envoy', SDS.typeUrl, true],
  ['envoy', 'type.googleapis.com/istio.workload.Address', false],
] as const)('%s requests %s: %s', (client, typeUrl, expected) => {
  expect(requestsType(newestOf(client), typeUrl)).toBe(expected);
});
