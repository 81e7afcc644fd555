import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientsPage } from '@/lib/views/client/schema';

import { operations } from '@/server/answers/openapi/openapi';
import type { Runtime } from '@/server/compose/api';
import { startRuntime } from '@/server/compose/start-runtime';
import { readConfig } from '@/server/config/read-config';

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-ranges-'));
let runtime: Runtime;
let clientId = '';
let permalinkId = '';

function send(method: string, target: string, body?: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  return runtime.api.answerRequest(
    new Request(`http://127.0.0.1/api/v1/${target}`, { method, headers, ...json }),
  );
}

beforeAll(async () => {
  const argv = ['--no-lab', '--data-dir', dataDir];
  runtime = await startRuntime(readConfig({ argv, env: {}, cwd: dataDir, version: '0' }), '0');
  const cluster = { '@type': 'type.googleapis.com/envoy.config.cluster.v3.Cluster', name: 'a' };
  const configs = [
    {
      '@type': 'type.googleapis.com/envoy.admin.v3.ClustersConfigDump',
      dynamic_active_clusters: [{ cluster }],
    },
  ];
  const chunks = (async function* () {
    yield Buffer.from(JSON.stringify({ configs }));
  })();
  await runtime.api.addImport('one.json', chunks, null);
  const { items } = clientsPage.parse(await (await send('GET', 'clients')).json());
  clientId = items[0]?.id ?? '';
  const created = await send('POST', 'permalinks', { clientId, view: { tab: 'failover' } });
  permalinkId = ((await created.json()) as { id: string }).id;
});
afterAll(async () => {
  await runtime.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** The parameters that are times, of each operation that reads a range of time. */
const ranged = operations.flatMap(({ method, path: route, parameters = [] }) => {
  const times = parameters.flatMap((parameter) => {
    const schema: unknown = Reflect.get(parameter, 'schema');
    return JSON.stringify(schema ?? {}).includes('"format":"date-time"') ? [parameter.name] : [];
  });
  return method === 'get' && times.includes('from') && times.includes('to') ? [route] : [];
});

const valid = '2026-11-28T14:48:00Z';
const expectedTime = 'expected an ISO 8601 time as in 2026-11-21T11:04:07.123Z, or milliseconds since 1970';
const invalid = [
  'zzz',
  '',
  'NaN',
  '--1',
  '0x10',
  ' 1',
  '2026-13-01T00:00:00Z',
  '+275760-09-13T00:00:01Z',
  '2026-11-28',
  '1e99',
];

function targetOf(route: string, query: Record<string, string>): string {
  const id = route.startsWith('/permalinks/') ? permalinkId : clientId;
  const typed = {
    ...(route === '/convergence' && { type: 'CDS', version: '1' }),
    ...(route.endsWith('/load/split') && { cluster: 'a' }),
    ...(route === '/load/split' && { client: clientId }),
  };
  return `${route.slice(1).replace('{id}', id)}?${new URLSearchParams({ ...typed, ...query })}`;
}

async function detailOf(route: string, query: Record<string, string>): Promise<string> {
  const response = await send('GET', targetOf(route, query));
  const { detail } = (await response.json()) as { detail: string };
  return `${response.status} ${detail}`;
}

it('there are operations that read a range of time', () => {
  expect(ranged.length).toBeGreaterThanOrEqual(14);
  expect(ranged).toContain('/permalinks/{id}/failovers');
});

describe.each(ranged)('GET %s', (route) => {
  it.each(invalid)('rejects the time %j as either end, alone and beside a valid one', async (time) => {
    for (const name of ['from', 'to']) {
      const other = name === 'from' ? 'to' : 'from';
      const expected = `400 ${name}: ${expectedTime}, got ${JSON.stringify(time)}`;
      expect(await detailOf(route, { [name]: time })).toBe(expected);
      expect(await detailOf(route, { [name]: time, [other]: valid })).toBe(expected);
    }
    expect(await detailOf(route, { from: time, to: time })).toContain(`400 from: ${expectedTime}, got `);
  });

  it.each(['2026-11-28T14:48:00.001Z', String(Date.parse(valid) + 1)])(
    'rejects a range that ends before it begins, with both ends: from %s',
    async (from) => {
      const detail = await detailOf(route, { from, to: valid });
      expect(detail).toMatch(
        /^400 from: expected a time (?:before to|that is not after to) \(2026-11-28T14:48:00\.000Z\), got 2026-11-28T14:48:00\.001Z$/,
      );
    },
  );
});
