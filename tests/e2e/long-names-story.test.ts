import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { getJson, type RunningServer, startServer } from '../support/e2e-server';
import { waitUntil } from '../support/wait-until';

const dataDir = mkdtempSync(path.join(tmpdir(), 'xdscope-long-names-'));
const long = 'n'.repeat(1_048_576);
/** Longer than any answer shows. */
const whole = 'n'.repeat(16_385);
let server: RunningServer;
let imported: string;

beforeAll(async () => {
  server = await startServer(['--data-dir', dataDir, '--lrs-listen', '127.0.0.1:0']);
  const cluster = { '@type': 'type.googleapis.com/envoy.config.cluster.v3.Cluster', name: long };
  const errorState = { failed_configuration: cluster, details: long, version_info: long };
  const dump = {
    configs: [
      {
        '@type': 'type.googleapis.com/envoy.admin.v3.ClustersConfigDump',
        version_info: long,
        dynamic_active_clusters: [{ version_info: long, cluster, error_state: errorState }],
      },
    ],
  };
  const response = await fetch(`${server.url}/api/v1/imports?name=${'n'.repeat(4_000)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(dump),
  });
  expect(response.status).toBe(201);
  imported = await waitUntil('the file is a client', async () => {
    const { items } = await getJson<{ items: { id: string }[] }>(`${server.url}/api/v1/clients`);
    return items[0]?.id;
  });
});
afterAll(async () => {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

it.each([
  'api/v1/clients',
  'api/v1/fleet',
  'api/v1/cohorts',
  'api/v1/sources',
  'api/v1/sizes?client=IMPORTED',
  'api/v1/events',
  'api/v1/nacks',
  'api/v1/history',
  'api/v1/history/1',
  'api/v1/history/timeline',
  'api/v1/load',
  'api/v1/load/totals',
  'api/v1/load/totals?by=locality',
  'api/v1/load/series?by=drop-category',
  'api/v1/convergence/recent',
  'api/v1/churn',
  'api/v1/clients/IMPORTED',
  'api/v1/clients/IMPORTED/resources',
  'api/v1/clients/IMPORTED/graph',
  'api/v1/clients/IMPORTED/findings',
  '',
  'clients',
  'clients/IMPORTED',
  'load',
  'history',
  'nacks',
])('no name of a megabyte is whole in /%s', async (route) => {
  const url = `${server.url}/${route.replace('IMPORTED', imported)}`;
  const response = await fetch(url);
  expect(response.status).toBe(200);
  const text = await response.text();
  expect(text.includes(whole)).toBe(false);
});

it('states the length of a long name, and has the whole in the body of its resource', async () => {
  const { items } = await getJson<{ items: { name: string; hash: string; versionInfo: string }[] }>(
    `${server.url}/api/v1/clients/${imported}/resources`,
  );
  const [row] = items;
  expect(row?.name).toMatch(/^n{1000}… \[cut: 1,048,576 characters, SHA-256 [0-9a-f]{12}\]$/);
  expect(row?.versionInfo).toBe(row?.name);
  const body = await fetch(`${server.url}/api/v1/resources/${row?.hash}`);
  expect((await body.text()).includes(long)).toBe(true);
});
