import { expect, it } from 'vitest';
import type { CaseResource } from '@/lib/interop/interop-case';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { ServedResources } from '@/server/lab/interop-runs/served-resources';

const cluster: CaseResource = { typeUrl: CDS.typeUrl, name: 'a', json: { name: 'a' } };
const endpoints = (weight: number): CaseResource => ({ typeUrl: EDS.typeUrl, name: 'a', json: { weight } });

it('lists what differs from the last call, by server', () => {
  const served = new ServedResources();
  const servers = (primary: CaseResource[], fallback: CaseResource[] = []) =>
    new Map([
      ['primary', { served: primary }],
      ['fallback', { served: fallback }],
    ]);
  expect(served.changes(servers([cluster, endpoints(1)]))).toEqual([
    { server: 'primary', service: 'CDS', name: 'a', json: '{"name":"a"}' },
    { server: 'primary', service: 'EDS', name: 'a', json: '{"weight":1}' },
  ]);
  expect(served.changes(servers([cluster, endpoints(1)]))).toEqual([]);
  expect(served.changes(servers([endpoints(2)], [cluster]))).toEqual([
    { server: 'primary', service: 'EDS', name: 'a', json: '{"weight":2}' },
    { server: 'fallback', service: 'CDS', name: 'a', json: '{"name":"a"}' },
    { server: 'primary', service: 'CDS', name: 'a' },
  ]);
});
