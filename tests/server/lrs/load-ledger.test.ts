import { describe, expect, it } from 'vitest';
import type { ClusterLoad, NodeInfo } from '@/lib/observation/observation';
import { LoadLedger } from '@/server/lrs/load-ledger';

const node: NodeInfo = {
  id: 'shop',
  cluster: '',
  locality: null,
  userAgentName: '',
  userAgentVersion: '',
  clientFeatures: [],
  metadata: {},
};
const limits = { clients: 2, nodeChars: 500, allNodesChars: 800, rows: 4, allNamesChars: 1_000 };

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
  it('lets so many node ids in, and those again and again', () => {
    const ledger = new LoadLedger(limits);
    expect(['a', 'b', 'a', 'c', 'b'].map((id) => ledger.refuseNode(id, { ...node, id }))).toEqual([
      null,
      null,
      null,
      'expected at most 2 different node ids, got one more',
      null,
    ]);
  });

  it('refuses a node that is too large, alone or with the others', () => {
    const ledger = new LoadLedger(limits);
    expect(ledger.refuseNode('a', { ...node, cluster: 'x'.repeat(501) })).toMatch(/at most 500 characters/);
    expect(ledger.refuseNode('a', { ...node, cluster: 'x'.repeat(350) })).toBeNull();
    expect(ledger.refuseNode('b', { ...node, cluster: 'x'.repeat(350) })).toMatch(/together/);
    // What a client says newly stands for what it said before.
    expect(ledger.refuseNode('a', node)).toBeNull();
    expect(ledger.refuseNode('b', { ...node, cluster: 'x'.repeat(350) })).toBeNull();
  });

  it('keeps what fits of a report, and everything that it let in before', () => {
    const ledger = new LoadLedger(limits);
    const first = load('cart', 'eu-1', 'eu-2');
    expect(ledger.fit('a', [first])).toEqual({ clusters: [first], leftOut: 0 });
    expect(ledger.fit('a', [load('pay', 'eu-1', 'eu-2')])).toEqual({
      clusters: [load('pay')],
      leftOut: 2,
    });
    expect(ledger.fit('a', [load('ship', 'eu-1'), first])).toEqual({ clusters: [first], leftOut: 2 });
  });

  it('bounds names by their length too', () => {
    const ledger = new LoadLedger(limits);
    expect(ledger.fit('a', [load('x'.repeat(2_000))])).toEqual({ clusters: [], leftOut: 1 });
  });
});
