import { expect, it } from 'vitest';
import { formatResourceType } from '@/lib/xds/resource-type';
import { planReport } from '@/server/codec/dump-parser/plan-report';
import { readReport } from '@/server/codec/dump-parser/read-report';
import { createRedactionMarker } from '@/server/codec/redaction-marker';

const marker = createRedactionMarker(Buffer.from('tests'));
const address = { socket_address: { address: '127.0.0.1', port_value: 9901 } };
const admin = { address };
const node = { id: 'edge-1', cluster: 'edge' };
const dumpType = 'type.googleapis.com/envoy.admin.v3.BootstrapConfigDump';

const yaml = `admin:
  address:
    socket_address: { address: 127.0.0.1, port_value: 9901 }
`;

function rowsOf(text: string): string[] {
  const { reports } = planReport(Buffer.from(text));
  const rows = reports.flatMap((report) => [...readReport(report, marker)].flatMap((batch) => batch.rows));
  return rows.map(({ typeUrl, name }) => `${formatResourceType(typeUrl)} ${name}`);
}

it.each([
  ['in JSON', JSON.stringify({ admin })],
  ['in YAML', yaml],
  [
    'with a node and dynamic resources',
    JSON.stringify({ node, admin, dynamic_resources: { ads_config: {} } }),
  ],
  ['in a config dump', JSON.stringify({ configs: [{ '@type': dumpType, bootstrap: { admin } }] })],
])('a bootstrap without static resources %s has no listener: its admin address is none', (_, text) => {
  expect(rowsOf(text)).toEqual(['Bootstrap bootstrap']);
});

it('an address alone is no listener', () => {
  expect(rowsOf(JSON.stringify({ address }))).toEqual([]);
  expect(rowsOf(JSON.stringify({ upstream: { address } }))).toEqual([]);
});
