import { describe, expect, it } from 'vitest';
import type { ClusterLoad, NodeInfo } from '@/lib/observation/observation';
import { LoadLedger } from '@/server/collect/lrs/load-ledger';

const node: NodeInfo = {
  id: 'shop',
  cluster: '',
  locality: null,
  userAgentName: '',
  userAgentVersion: '',
  clientFeatures: [],
  metadata: {},
};
const limits = { clients: 2, nodeChars: 500, allNodesChars: 800, rowsOfReport: 5 };

function load(clusterName: string, ...zones: string[]): ClusterLoad {
  return {
    clusterName,
    clusterServiceName: '',
    intervalMs: null,
    totalDropped: '0',
    dropped: [],
    localities: zones.map((zone) => ({
      locality: { region: '', zone, subZone: '' },
      priority: 0,
      successful: '1',
      errors: '0',
      issued: null,
      inProgress: '0',
    })),
  };
}

describe('LoadLedger', () => {
  it('admits a limited number of node ids, each with any number of streams', () => {
    const ledger = new LoadLedger(limits);
    expect(['a', 'b', 'a', 'c', 'b'].map((id) => ledger.admitNode(id, { ...node, id }))).toEqual([
      null,
      null,
      null,
      'expected at most 2 different node ids at a time, got one more',
      null,
    ]);
    // "a" has two streams.
    ledger.release('a');
    expect(ledger.admitNode('c', node)).not.toBeNull();
    ledger.release('a');
    expect(ledger.admitNode('c', node)).toBeNull();
  });

  it('rejects a node that is too large, alone or with the others', () => {
    const ledger = new LoadLedger(limits);
    expect(ledger.admitNode('a', { ...node, cluster: 'x'.repeat(501) })).toMatch(/at most 500 characters/);
    expect(ledger.admitNode('a', { ...node, cluster: 'x'.repeat(350) })).toBeNull();
    expect(ledger.admitNode('b', { ...node, cluster: 'x'.repeat(350) })).toMatch(/together, got \d+/);
    // The newest node of a client replaces the one before.
    expect(ledger.admitNode('a', node)).toBeNull();
    expect(ledger.admitNode('b', { ...node, cluster: 'x'.repeat(350) })).toBeNull();
  });

  it('adds up rows beyond the limit of a report, so that its totals are exact', () => {
    const ledger = new LoadLedger(limits);
    const first = load('cart', 'eu-1', 'eu-2');
    expect(ledger.fit([first])).toEqual({ clusters: [first], overflowed: 0 });
    const { clusters, overflowed } = ledger.fit([first, load('pay', 'eu-1', 'eu-2', 'eu-3'), load('ship')]);
    expect(overflowed).toBe(3);
    expect(clusters.map(({ clusterName }) => clusterName)).toEqual(['cart', 'pay', '(beyond the limit)']);
    const all = clusters.flatMap(({ localities }) => localities);
    expect(all.reduce((sum, { successful }) => sum + Number(successful), 0)).toBe(5);
  });
});
