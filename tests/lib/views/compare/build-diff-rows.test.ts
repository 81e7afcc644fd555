import { describe, expect, it } from 'vitest';
import { buildDiffRows } from '@/lib/views/compare/build-diff-rows';
import { EDS, RDS } from '@/lib/xds/resource-type';
import { diffOf } from '@/tests/support/diff-story';

const split = (v1: number, timeout: string) => ({
  name: 'r',
  virtualHosts: [
    {
      name: 'shop',
      domains: ['*'],
      routes: [
        {
          name: 'all',
          match: { prefix: '/' },
          route: {
            timeout,
            weightedClusters: {
              clusters: [
                { name: 'v1', weight: v1 },
                { name: 'v2', weight: 1 },
              ],
            },
          },
        },
        { name: 'rest', match: { prefix: '/rest' }, route: { cluster: 'c' } },
      ],
    },
  ],
});
const endpoint = (address: string) => ({
  endpoint: { address: { socketAddress: { address, portValue: 80 } } },
});
const assignment = (...addresses: string[]) => ({
  clusterName: 'c',
  endpoints: [{ locality: { zone: 'a' }, lbEndpoints: addresses.map(endpoint) }],
});
const reported = (typeUrl: string, before: unknown, after: unknown, limit = 100) => {
  const { rows, isCut } = buildDiffRows(diffOf(typeUrl, before, after), limit);
  const lines = rows.map(({ depth, label, kind, before, after, changes, equal }) =>
    [' '.repeat(depth) + label, kind, before, after, `${changes}/${equal}`].filter(Boolean).join(' '),
  );
  return { lines, isCut };
};

describe('buildDiffRows', () => {
  it('joins single steps, so that one changed weight is one row', () => {
    expect(reported(RDS.typeUrl, split(80, '1s'), split(60, '1s')).lines).toEqual([
      'virtualHosts[shop].routes[all].route.weightedClusters.clusters[v1].weight changed 80 60 1/8',
    ]);
  });

  it('adds a row where several parts differ, with the number of equal parts', () => {
    expect(reported(RDS.typeUrl, split(80, '1s'), split(60, '2s')).lines).toEqual([
      'virtualHosts[shop].routes[all].route inside 2/5',
      ' weightedClusters.clusters[v1].weight changed 80 60 1/2',
      ' timeout changed "1s" "2s" 1/0',
    ]);
  });

  it('marks sets in another order, with and without other changes', () => {
    const turned = reported(
      EDS.typeUrl,
      assignment('10.0.0.1', '10.0.0.2'),
      assignment('10.0.0.2', '10.0.0.1'),
    );
    expect(turned.lines).toEqual(['endpoints[a].lbEndpoints order 0/3']);
    const more = assignment('10.0.0.3', '10.0.0.2', '10.0.0.1');
    expect(reported(EDS.typeUrl, assignment('10.0.0.1', '10.0.0.2'), more).lines).toEqual([
      'endpoints[a].lbEndpoints inside 1/3',
      ' order order 0/0',
      expect.stringMatching(/^ \[10.0.0.3:80\] added \{.*\} 1\/0$/),
    ]);
  });

  it('is cut at the limit, and reports that', () => {
    const many = Array.from({ length: 30 }, (_, index) => `10.0.0.${index}`);
    const { lines, isCut } = reported(EDS.typeUrl, assignment('::1'), assignment(...many), 10);
    expect([lines.length, isCut]).toEqual([10, true]);
  });
});
