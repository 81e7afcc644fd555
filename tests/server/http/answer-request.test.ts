import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientsPage } from '@/lib/views/client/schema';
import { validation } from '@/lib/views/findings/schema';
import { graph } from '@/lib/views/graph/schema';
import { otherQuestions } from '@/lib/views/questions';
import { resourcePage } from '@/lib/views/resources/schema';
import type { Runtime } from '@/server/compose/api';
import { startRuntime } from '@/server/compose/start-runtime';
import { readConfig } from '@/server/config/read-config';
import { matchPath } from '@/server/http/match-path';
import { waitUntil } from '@/tests/support/wait-until';

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-answers-'));
let runtime: Runtime;

beforeAll(async () => {
  const argv = ['--no-lab', '--data-dir', dataDir];
  runtime = await startRuntime(readConfig({ argv, env: {}, cwd: dataDir, version: '0' }), '0');
});
afterAll(async () => {
  await runtime.close();
  rmSync(dataDir, { recursive: true, force: true });
});

function send(method: string, target: string, json?: unknown, signal?: AbortSignal): Promise<Response> {
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const headers = { 'content-type': 'application/json' };
  const request = new Request(`http://127.0.0.1/api/v1/${target}`, { method, ...body, headers, signal });
  return runtime.api.answerRequest(request);
}

const longName = 'n'.repeat(20_000);
const cut = /^n{1000}… \[cut: 20,000 characters, SHA-256 [0-9a-f]{12}\]$/;

it.each(Object.keys(otherQuestions))('finds the question %s by its path', (question) => {
  const segments = question.replaceAll(/[{}]/g, '').split('/');
  expect(matchPath(Object.keys(otherQuestions), segments)?.path).toBe(question);
});

const clusterType = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';

describe('a request whose client closes the connection', () => {
  it('frees its place among the jobs that wait for a worker', async () => {
    // So large that it is validated in the worker, whose queue has 1,000 places.
    const document = {
      resources: Array.from({ length: 100 }, (_, at) => ({ '@type': clusterType, name: `cluster ${at}` })),
    };
    const client = new AbortController();
    const requests = Array.from({ length: 1_500 }, () => send('POST', 'validate', document, client.signal));
    // The first that is answered is one that finds no place: the worker has not even started.
    const first = await Promise.race(requests);
    expect(first.status).toBe(503);
    expect(await first.json()).toMatchObject({
      detail: 'validating resources failed: expected at most 1000 waiting jobs, got 1001',
    });
    client.abort();
    const statuses = new Set((await Promise.all(requests)).map(({ status }) => status));
    expect([...statuses].sort()).toEqual([499, 503]);
    const next = await send('POST', 'validate', document);
    expect(next.status).toBe(200);
    expect(validation.parse(await next.json()).resources).toHaveLength(100);
  });

  it("frees the worker's turn: the next question about the same client is answered", async () => {
    const resources = Array.from({ length: 3_000 }, (_, at) => ({
      cluster: { '@type': clusterType, name: `cluster ${at}`, altStatName: 'x'.repeat(100) },
    }));
    const dump = {
      configs: [
        {
          '@type': 'type.googleapis.com/envoy.admin.v3.ClustersConfigDump',
          dynamic_active_clusters: resources,
        },
      ],
    };
    const chunks = (async function* () {
      yield Buffer.from(JSON.stringify(dump));
    })();
    await runtime.api.addImport('large.json', chunks, null);
    const id = await waitUntil('all of it is a client', async () => {
      const { items } = clientsPage.parse(await (await send('GET', 'clients')).json());
      const large = items.find((each) => each.resources === resources.length);
      return large?.id;
    });
    const client = new AbortController();
    const left = ['graph', 'graph', 'references?kind=orphan'].map((question) =>
      send('GET', `clients/${id}/${question}`, undefined, client.signal),
    );
    client.abort();
    for (const answer of left) expect((await answer).status).toBe(499);
    const answer = await send('GET', `clients/${id}/graph`);
    expect(answer.status).toBe(200);
    expect(graph.parse(await answer.json()).totals.nodes).toBeGreaterThanOrEqual(resources.length);
  });
});

describe('answerRequest()', () => {
  it('cuts long texts in the answers to questions', async () => {
    const dump = {
      configs: [
        {
          '@type': 'type.googleapis.com/envoy.admin.v3.ClustersConfigDump',
          dynamic_active_clusters: [
            {
              cluster: {
                '@type': 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
                name: longName,
              },
            },
          ],
        },
      ],
    };
    const chunks = (async function* () {
      yield Buffer.from(JSON.stringify(dump));
    })();
    await runtime.api.addImport('long.json', chunks, null);
    const { items } = clientsPage.parse(await (await send('GET', 'clients')).json());
    const answer = await send(
      'GET',
      `clients/${items.find(({ resources }) => resources === 1)?.id}/resources`,
    );
    const page = resourcePage.parse(await answer.json());
    expect(page.items.map(({ name }) => name)).toEqual([expect.stringMatching(cut)]);
  });

  it('cuts long texts in the answers to commands', async () => {
    const typeUrl = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
    const document = { resources: [{ '@type': typeUrl, name: longName }] };
    const answer = await send('POST', 'validate', document);
    const { resources } = validation.parse(await answer.json());
    expect(resources?.map(({ name }) => name)).toEqual([expect.stringMatching(cut)]);
  });

  it('answers a command with its status, and one without an answer with 204', async () => {
    const pin = {
      from: Date.parse('2026-01-01T00:00:00Z'),
      to: Date.parse('2026-01-02T00:00:00Z'),
      label: 'outage',
    };
    const added = await send('POST', 'pins', pin);
    expect(added.status).toBe(201);
    expect(added.headers.get('cache-control')).toBe('no-store');
    const { id } = await added.json();
    const removed = await send('DELETE', `pins/${id}`);
    expect([removed.status, await removed.text()]).toEqual([204, '']);
  });

  it('reads a parameter of the path percent-decoded', async () => {
    const answer = await send('PATCH', `sources/${encodeURIComponent('csds:a:1')}`, { paused: true });
    expect([answer.status, await answer.json()]).toEqual([
      404,
      expect.objectContaining({ detail: 'no source has the id "csds:a:1"' }),
    ]);
  });

  it('lists the methods of a path', async () => {
    const answer = await send('OPTIONS', 'sources');
    expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'GET, POST, DELETE, HEAD, OPTIONS']);
  });

  it.each([
    ['POST', 'pins', { label: 'x' }, 400, /^from: /],
    ['DELETE', 'sources', undefined, 400, /^id: /],
    [
      'POST',
      'validate?profile=nginx',
      {},
      400,
      'profile: expected one of core, go, java, node, envoy, core-1.51, .*, got "nginx"',
    ],
    ['POST', 'lab/background-faults', { backgroundFaults: 'on' }, 409, /embedded lab does not run/],
    ['GET', 'lab/resources', undefined, 409, /embedded lab does not run/],
    ['GET', 'permalinks/none', undefined, 404, 'no permalink has the id "none"'],
    ['GET', 'permalinks/none/load/series', undefined, 404, 'no permalink with load has the id "none"'],
    ['GET', 'load/split?client=none&cluster=a', undefined, 404, 'no client has the id "none"'],
    ['POST', 'health', {}, 404, 'POST /api/v1/health is not in /api/v1/openapi.json'],
    ['GET', 'nothing', undefined, 404, 'GET /api/v1/nothing is not in /api/v1/openapi.json'],
  ] as const)(
    'answers %s %s with body %j with the problem %i',
    async (method, target, json, status, detail) => {
      const answer = await send(method, target, json);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
      const problem = await answer.json();
      expect(problem).toMatchObject({ status, detail: expect.stringMatching(detail) });
      expect(answer.status).toBe(status);
    },
  );
});
