import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ModelOf } from '@/lib/model/model-of';
import { parseResource } from '@/lib/model/parse-resource';
import { combinedState } from '@/lib/observation/combined-state';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { buildReferenceReport } from '@/lib/resolve/reference-report';
import { buildTopology } from '@/lib/views/graph/build-topology';
import type { Topology } from '@/lib/views/graph/topology';
import { decodeBody } from '@/server/codec/decode-body';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { readDocument } from '@/server/collect/envoy-admin/read-document';
import { resourceRow } from '../../../support/builders/resource-row';

const folder = path.join(import.meta.dirname, '../../../fixtures/captures/envoy');
const read = <T>(name: string): T => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as T;
const dumps =
  read<readonly { readonly moment: string; readonly configDump: { readonly configs: readonly object[] } }[]>(
    'story-1.40.0-dumps.json',
  );
const bootstrap = read<object>('story-1.40.0-bootstrap.json');

/** A config dump with include_eds, and the bootstrap of the same Envoy. */
function readDump(moment: string): { readonly rows: readonly ResourceRow[]; readonly modelOf: ModelOf } {
  const dump = dumps.find((each) => each.moment === moment);
  const configs = [bootstrap, ...(dump?.configDump.configs ?? [])];
  const bytes = Buffer.from(JSON.stringify({ configs }));
  const marker = createRedactionMarker(Buffer.from('tests'));
  const { rows, bodies, problems } = readDocument('config_dump', bytes, marker);
  expect(problems).toEqual([]);
  const byHash = new Map(bodies.map((body) => [body.hash, body.bytes]));
  return {
    rows: rows.map((row) => resourceRow({ ...row, state: combinedState({ ...row, changedAt: 0 }) })),
    modelOf(hash, typeUrl) {
      const body = byHash.get(hash);
      return body && parseResource(typeUrl, decodeBody(typeUrl, body, { asV3: true }).json);
    },
  };
}

describe('the graph of an Envoy whose dump has endpoints', () => {
  let graph: Topology;
  beforeAll(() => {
    graph = buildTopology(readDump('01-good'));
  });
  const idsOf = (kind: string): string[] =>
    graph.nodes.filter((node) => node.kind === kind).map(({ id }) => id);

  it('shows the endpoints of a static cluster once, below the cluster, with the health that Envoy reports', () => {
    const own = graph.nodes.filter(({ kind, resourceName }) => kind === 'endpoint' && resourceName === 'st1');
    expect(own.map(({ id, status }) => [id.split('>')[0], status])).toEqual([['cluster:st1', 'HEALTHY']]);
    expect(idsOf('priority').sort()).toEqual([
      'cluster:st1>P0',
      'cluster:xds>P0',
      'endpoints:c1>P0',
      'endpoints:c2>P0',
    ]);
  });

  it('shows inline route configurations once, below their listeners', () => {
    expect(idsOf('route-config').filter((id) => !id.startsWith('listener:'))).toEqual(['route-config:rt']);
    expect(idsOf('route-config')).toHaveLength(4);
  });

  it('connects every node but listeners and clusters that no route uses', () => {
    const targets = new Set(graph.edges.map(({ target }) => target));
    const roots = graph.nodes.filter(({ id }) => !targets.has(id));
    expect(new Set(roots.map(({ kind }) => kind))).toEqual(new Set(['listener', 'cluster']));
    expect(graph.nodes.filter(({ status }) => status === 'UNKNOWN' || status === 'MISSING')).toEqual([]);
  });
});

describe('the references of an Envoy', () => {
  it('do not have the cluster of its node, which is a group of proxies', () => {
    expect(bootstrap).toMatchObject({ bootstrap: { node: { cluster: 'my-cluster' } } });
    expect(buildReferenceReport(readDump('01-good')).dangling).toEqual([]);
  });

  it('have no orphans among the endpoints of clusters without EDS', () => {
    const input = readDump('01-good');
    // The row appears as if the management server had sent the cluster: Envoy lists its endpoints among those of EDS.
    const rows = input.rows.map((row) => (row.name === 'st1' ? { ...row, isStatic: false } : row));
    const { orphans } = buildReferenceReport({ ...input, rows });
    expect(orphans.map(({ typeUrl, name }) => `${typeUrl.split('.').at(-1)} ${name}`)).not.toContain(
      'ClusterLoadAssignment st1',
    );
  });
});
