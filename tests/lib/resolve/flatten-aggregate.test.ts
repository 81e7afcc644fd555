import { describe, expect, it } from 'vitest';
import { parseResource } from '@/lib/model/parse-resource';
import { flattenAggregate, type MemberState } from '@/lib/resolve/flatten-aggregate';
import type { Profile } from '@/lib/xds/profile';
import { CDS } from '@/lib/xds/resource-type';
import { aggregateCluster, edsCluster } from '../../support/builders/topology-mesh';

/** "A: B C" is an aggregate of B and C. A name without a line is a leaf, unless it failed or has no data yet. */
function flatten(
  lines: readonly string[],
  { failed = [], waiting = [] }: { failed?: string[]; waiting?: string[] } = {},
  profile: Profile = 'core-1.56',
) {
  const members = new Map(
    lines.map((line) => {
      const [name = '', list = ''] = line.split(':');
      return [name, list.split(' ').filter((each) => each !== '')] as const;
    }),
  );
  const stateOf = (name: string): MemberState => {
    if (failed.includes(name)) return { kind: 'error', reason: 'does not exist' };
    if (waiting.includes(name)) return { kind: 'waiting' };
    const own = members.get(name);
    const { body } = own === undefined ? edsCluster(name) : aggregateCluster(name, own);
    const model = parseResource(CDS.typeUrl, body);
    if (model.kind !== 'cluster') throw new Error('a cluster');
    return { kind: 'known', model };
  };
  return flattenAggregate('A', stateOf, profile);
}

/** A chain of aggregates (A: n1, n1: n2 ...) that ends in a leaf. */
const chain = (levels: number): string[] =>
  Array.from({ length: levels - 1 }, (_, at) => `${at === 0 ? 'A' : `n${at}`}: n${at + 1}`);

describe('flattenAggregate', () => {
  it('is depth first and keeps the first place of a leaf', () => {
    expect(flatten(['A: B C', 'C: B D']).leafClusters).toEqual(['B', 'D']);
    expect(flatten(['A: X B', 'X: C B']).leafClusters).toEqual(['C', 'B']);
  });

  it('reports a cycle of one cluster, which leaves no leaf', () => {
    expect(flatten(['A: A'])).toMatchObject({
      leafClusters: [],
      cycles: ['A > A'],
      error: 'aggregate cluster "A" has no leaf clusters (cycle A > A)',
    });
  });

  it('cuts a cycle that has leaves and reports its path; Java fails', () => {
    const lines = ['A: B L', 'B: C', 'C: B M'];
    expect(flatten(lines)).toMatchObject({ leafClusters: ['M', 'L'], cycles: ['B > C > B'], error: '' });
    expect(flatten(lines, {}, 'java-1.85')).toMatchObject({
      leafClusters: [],
      error: 'aggregate cluster "A" has a cycle: B > C > B',
    });
  });

  it('accepts 16 levels and fails at 17', () => {
    expect(flatten(chain(16))).toMatchObject({ leafClusters: ['n15'], error: '' });
    expect(flatten(chain(17))).toMatchObject({
      leafClusters: [],
      error: 'aggregate cluster "A" nests deeper than 16 levels',
    });
  });

  it('skips members that failed (gRFC A74), and fails when none is left', () => {
    expect(flatten(['A: B C'], { failed: ['B'] })).toMatchObject({
      leafClusters: ['C'],
      skipped: [{ name: 'B', reason: 'does not exist' }],
      error: '',
    });
    expect(flatten(['A: B'], { failed: ['B'] }).error).toBe(
      'aggregate cluster "A" has no leaf clusters (B: does not exist)',
    );
    expect(flatten(['A:']).error).toBe('aggregate cluster "A" has no leaf clusters');
  });

  it('leaves out members without data and does not fail', () => {
    expect(flatten(['A: B'], { waiting: ['B'] })).toMatchObject({ leafClusters: [], error: '' });
  });

  it('stops at diamonds that have too many paths', () => {
    const layers = Array.from({ length: 14 }, (_, at) => {
      const next = Array.from({ length: 6 }, (_, each) => `d${at + 1}-${each}`).join(' ');
      const own = at === 0 ? ['A'] : Array.from({ length: 6 }, (_, each) => `d${at}-${each}`);
      return own.map((name) => `${name}: ${next}`);
    }).flat();
    expect(flatten(layers).error).toBe('aggregate cluster "A" branches into more paths than can be followed');
  });
});
