import { describe, expect, it } from 'vitest';
import { planReport } from '@/server/codec/dump-parser/plan-report';
import { nodeOf, readReport } from '@/server/codec/dump-parser/read-report';
import { createRedactionMarker } from '@/server/codec/redaction-marker';

const marker = createRedactionMarker(Buffer.from('tests'));
const cluster = (name: string) => ({
  cluster: { '@type': 'type.googleapis.com/envoy.config.cluster.v3.Cluster', name, type: 'EDS' },
});
const clustersDump = (...names: string[]) => ({
  '@type': 'type.googleapis.com/envoy.admin.v3.ClustersConfigDump',
  dynamicActiveClusters: names.map(cluster),
});
const hosts = (name: string) => ({ clusterStatuses: [{ name, hostStatuses: [] }] });
const proxy = (name: string) => ({ configDump: { configs: [clustersDump(name)] }, clusters: hosts(name) });

/** Returns each client of a document as "label: TYPE name, ... (client by its document)". */
function clientsOf(document: unknown): string[] {
  const { reports } = planReport(new TextEncoder().encode(JSON.stringify(document)));
  return reports.map((report) => {
    const rows = [...readReport(report, marker)].flatMap((batch) => batch.rows);
    const names = rows.map(({ typeUrl, name }) => `${typeUrl.split('.').at(-1)} ${name}`);
    const { recognised } = nodeOf(report, marker);
    return `${report.label}: ${names.join(', ')}${recognised === undefined ? '' : ` (${recognised.client})`}`;
  });
}

describe('the clients of a document', () => {
  it('have the dump and the hosts that one object encloses', () => {
    expect(clientsOf({ cart: proxy('a'), pay: proxy('b') })).toEqual([
      'cart: Cluster a, ClusterStatus a (envoy)',
      'pay: Cluster b, ClusterStatus b (envoy)',
    ]);
  });

  it('are those of each pod, of which a section of the dump is written', () => {
    const pods = { 'edge-1': clustersDump('a'), 'edge-2': clustersDump('b') };
    expect(clientsOf({ 'edge-system': pods })).toEqual([
      'edge-1: Cluster a (envoy)',
      'edge-2: Cluster b (envoy)',
    ]);
  });

  it('are one client if parts of it are beside each other', () => {
    expect(clientsOf(proxy('a'))).toEqual(['configDump: Cluster a, ClusterStatus a (envoy)']);
  });

  it('are recognised by a bootstrap, and not by resources alone', () => {
    expect(clientsOf({ node: { id: 'edge' }, staticResources: { clusters: [{ name: 'a' }] } })).toEqual([
      ': Cluster a, Bootstrap bootstrap (envoy)',
    ]);
    const [resource] = [{ '@type': 'type.googleapis.com/envoy.config.cluster.v3.Cluster', name: 'a' }];
    expect(clientsOf(resource)).toEqual([': Cluster a']);
  });
});
