import { expect, it } from 'vitest';
import { interopCases } from '@/lib/interop/cases/interop-cases';
import { findFeatures } from '@/lib/interop/feature-use';
import type { CaseMesh } from '@/lib/interop/interop-case';
import { CDS, RDS } from '@/lib/xds/resource-type';

const mesh: CaseMesh = {
  group: (name) =>
    [1, 2, 3, 4, 5].map((at) => ({ name: `${name}${at}`, port: 80 + at, isHealthy: true })) as never,
  nodeMetadata: {},
  rateOf: () => 0,
};
const casesOf = (typeUrl: string, json: object): readonly string[] =>
  findFeatures(typeUrl, JSON.stringify(json)).flatMap(({ cases }) => cases);

it('finds the features that the resources of its cases use', () => {
  const named = new Set<string>();
  for (const { name, resources, steps } of interopCases) {
    const later = steps.flatMap(({ actions = [] }) =>
      actions.flatMap((action) => (action.kind === 'serve' ? action.resources(mesh) : [])),
    );
    const all = [...(resources?.(mesh) ?? []), ...later];
    const found = all.flatMap(({ typeUrl, json }) => casesOf(typeUrl, json));
    if (found.includes(name)) named.add(name);
  }
  expect([...named].sort()).toEqual([
    'affinity',
    'circuit_breaking',
    'explicit_outlier_detection',
    'fault_always_abort',
    'fault_always_delay',
    'outlier_detection',
    'retry_3_of_4',
    'retry_4_of_4',
    'timeout',
    'traffic_splitting',
  ]);
});

it('distinguishes outlier detection with defaults from that with every field, and states nothing of what is between', () => {
  const of = (outlierDetection: object) => casesOf(CDS.typeUrl, { name: 'a', outlierDetection });
  expect(of({ interval: '2s' })).toEqual(['outlier_detection']);
  const all = { enforcingSuccessRate: 100, successRateMinimumHosts: 5, successRateStdevFactor: 1900 };
  expect(of(all)).toEqual(['explicit_outlier_detection']);
  expect(of({ ...all, enforcingSuccessRate: 0 })).toEqual([]);
  expect(of({ enforcingSuccessRate: 100 })).toEqual([]);
  expect(of({ enforcingFailurePercentage: 100 })).toEqual([]);
  expect(casesOf(RDS.typeUrl, { outlierDetection: {} })).toEqual([]);
});
