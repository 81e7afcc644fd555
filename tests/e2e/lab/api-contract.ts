import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { interopMatrix, interopRuns } from '@/lib/interop/run-schema';
import { certificatePage } from '@/lib/views/certificates/schema';
import { clientChanges } from '@/lib/views/changes/schema';
import { check } from '@/lib/views/check/schema';
import { churn } from '@/lib/views/churn/schema';
import {
  type ClientSummary,
  clientDetail as clientDetailSchema,
  clientsPage,
} from '@/lib/views/client/schema';
import { diffAnswer } from '@/lib/views/compare/schema';
import { connectionsPage } from '@/lib/views/connections/schema';
import { controlPlanes } from '@/lib/views/control-planes/schema';
import { notableEvents } from '@/lib/views/events/schema';
import { fleetExplanation, sharedFleetExplanation } from '@/lib/views/explain/fleet-schema';
import { explanation } from '@/lib/views/explain/schema';
import { lbTree } from '@/lib/views/failover/lb-tree-schema';
import { failovers } from '@/lib/views/failover/periods-schema';
import { failoverSimulation } from '@/lib/views/failover/schema';
import { problemDetails } from '@/lib/views/fields/problem';
import { clientFindings, validation } from '@/lib/views/findings/schema';
import { cohorts, fleetPage } from '@/lib/views/fleet/schema';
import { graph as graphSchema } from '@/lib/views/graph/schema';
import { health as healthSchema } from '@/lib/views/health/schema';
import { historyDetail, historyPage, historyTimeline } from '@/lib/views/history/schema';
import { identityPage } from '@/lib/views/identity/schema';
import {
  resourceBody as resourceBodySchema,
  resourceLinks as resourceLinksSchema,
} from '@/lib/views/inspector/schema';
import { interopFleet } from '@/lib/views/interop-matrix/fleet-schema';
import { fleetStrip, issue, issuePage } from '@/lib/views/issues/schema';
import * as lab from '@/lib/views/lab/schema';
import { loadRowsPage } from '@/lib/views/load/rows-schema';
import { loadSeriesAnswer, loadSplit, loadTotalsAnswer } from '@/lib/views/load/schema';
import { nackDetail, nackPage } from '@/lib/views/nacks/schema';
import {
  permalinkCreated as permalinkCreatedSchema,
  permalink as permalinkSchema,
} from '@/lib/views/permalinks/schema';
import { divergences, propagationPage } from '@/lib/views/propagation/schema';
import { proof, twinClients } from '@/lib/views/prove/schema';
import { convergence, recentConvergence } from '@/lib/views/pushes/schema';
import { otherQuestions } from '@/lib/views/questions';
import { exportEstimate } from '@/lib/views/recording/export-schema';
import { fileImportList, importProblems } from '@/lib/views/recording/import-schema';
import { pin, pinList } from '@/lib/views/recording/pin-schema';
import { replay, replayList } from '@/lib/views/recording/replay-schema';
import { references, resolved, witnesses } from '@/lib/views/resolved/schema';
import { tears } from '@/lib/views/resolved/tears-schema';
import { type ResourcePage, resourcePage } from '@/lib/views/resources/schema';
import { holdersAnswer, searchAnswer } from '@/lib/views/search/schema';
import { checkRun, checkRunList, checkRunSummary } from '@/lib/views/server-checks/schema';
import { sizes } from '@/lib/views/sizes/schema';
import { descriptorSet, descriptorSetList } from '@/lib/views/sources/descriptor-set-schema';
import {
  credentialsList as credentialsListSchema,
  sourcePage as sourcePageSchema,
  source as sourceSchema,
} from '@/lib/views/sources/schema';
import { testClientPage } from '@/lib/views/test-client/schema';
import { type Operation, operations } from '@/server/answers/openapi/openapi';
import { acmeFilterSet } from '../../support/builders/descriptor-set';
import { fetchApi } from '../../support/e2e-server';
import { story } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

/** Operations that were called: "get /health". */
const called = new Set<string>();

interface Ask {
  /** The values have the order of the `{parameters}` of the path. */
  readonly parameters?: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Instead of `body`. */
  readonly bytes?: Uint8Array;
}

function find(name: string): Operation {
  const found = operations.find(({ method, path: route }) => `${method} ${route}` === name);
  if (found === undefined) throw new Error(`${name} is not in the OpenAPI document`);
  return found;
}

function send(
  { method, path: route }: Operation,
  { parameters = [], query = {}, body, bytes }: Ask,
): Promise<Response> {
  const left = [...parameters];
  const filled = route.replace(/\{\w+\}/g, () => encodeURIComponent(left.shift() ?? ''));
  const asBytes = { 'content-type': 'application/octet-stream' };
  const asJson = { 'content-type': 'application/json' };
  const init: RequestInit =
    bytes !== undefined
      ? { body: new Uint8Array(bytes), headers: asBytes }
      : body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: asJson };
  const search = new URLSearchParams(query);
  return fetchApi(`${story.server.url}/api/v1${filled}?${search}`, { method: method.toUpperCase(), ...init });
}

/** Calls an operation, and asserts that its answer has the schema of the document and no other fields. */
async function call<T extends z.ZodType>(name: string, type: T, ask: Ask = {}): Promise<z.infer<T>> {
  const operation = find(name);
  const response = await send(operation, ask);
  const json: unknown = await response.json();
  expect(response.status, JSON.stringify(json).slice(0, 300)).toBe(operation.status ?? 200);
  expect(response.headers.get('content-type')).toContain('application/json');
  called.add(name);
  const parsed = type.parse(json);
  // zod drops fields that the schema does not contain.
  expect(parsed).toEqual(json);
  return parsed;
}

async function problem(name: string, status: number, ask: Ask = {}): Promise<string> {
  const response = await send(find(name), ask);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const { status: reported, detail } = problemDetails.parse(await response.json());
  expect([response.status, reported]).toEqual([status, status]);
  return detail;
}

async function findWeb(): Promise<ClientSummary> {
  return waitUntil('shop-web is there with resources', async () => {
    const { items } = await call('get /clients', clientsPage);
    return items.find(({ nodeId, resources }) => nodeId === 'shop-web' && resources > 4);
  });
}

async function checkTestClient(id: string): Promise<void> {
  const parameters = [id];
  const block = 'post /clients/{id}/test-client/block';
  const configuration = 'put /clients/{id}/test-client/configuration';
  await waitUntil('it is polled as a test client', async () => {
    const { source } = await call('get /clients/{id}/test-client', testClientPage, { parameters });
    return source?.freshness === 'live';
  });
  for (const [name, body] of [
    [configuration, { types: [] }],
    [block, { rpcs: 1 }],
  ] as const) {
    expect((await send(find(name), { parameters, body })).status).toBe(204);
    called.add(name);
  }
  const { block: counted } = await call('get /clients/{id}/test-client', testClientPage, { parameters });
  expect(counted).toMatchObject({ requested: 1 });
  expect(await problem(block, 400, { parameters, body: { rpcs: 0 } })).toContain('rpcs');
  expect(await problem(block, 404, { parameters: ['none'], body: {} })).toContain('none');
  const server = 'put /clients/{id}/test-client/server';
  const { processes } = await call('get /lab', lab.labStatus);
  const { address = '' } = processes.find(({ name }) => name === 'cart-eu-west1-a-1') ?? {};
  const serving = { parameters, body: { address, isServing: true } };
  expect((await send(find(server), serving)).status).toBe(204);
  called.add(server);
  const other = { address: '169.254.169.254:80', isServing: false };
  expect(await problem(server, 400, { parameters, body: other })).toContain('an endpoint of this client');
}

/** tests/e2e/interop-runs.test.ts runs a case; a run here would be a client more for the other stories. */
async function checkInteropRuns(): Promise<void> {
  const { clients, cases } = await call('get /interop/runs', interopRuns);
  expect(clients.map(({ name }) => name)).toContain('grpc-js');
  const { cells } = await call('get /interop/matrix', interopMatrix);
  expect(cells).toHaveLength(clients.length * cases.length);
  const run = 'get /interop/runs/{id}';
  expect(await problem(run, 404, { parameters: ['absent'] })).toContain('absent');
  const start = 'post /interop/runs';
  expect(await problem(start, 400, { body: { client: 'absent' } })).toContain('absent');
  const stop = 'delete /interop/runs';
  expect((await send(find(stop), {})).status).toBe(204);
  for (const operation of [run, start, stop]) called.add(operation);
}

async function checkServerChecks(): Promise<void> {
  const { items: servers } = await call('get /interop/control-planes', controlPlanes);
  expect(servers.some(({ identifiers }) => identifiers.includes('xdscope-lab'))).toBe(true);
  const all = await call('get /interop/server-checks', checkRunList);
  expect(all.checks.length).toBeGreaterThanOrEqual(40);
  const shipped = all.items.find(({ origin }) => origin === 'repository');
  const start = 'post /interop/server-checks';
  const started = await call(start, checkRunSummary, { body: { checks: ['S1'] } });
  const parameters = [started.id];
  const run = 'get /interop/server-checks/{id}';
  await waitUntil('it has ended', async () => (await call(run, checkRun, { parameters })).state === 'done');
  const junit = await send(find(run), { parameters, query: { format: 'junit' } });
  expect(await junit.text()).toContain('<testsuite');
  const shared = await call('post /interop/server-checks/{id}/share', permalinkCreatedSchema, { parameters });
  const remove = 'delete /interop/server-checks/{id}';
  expect((await send(find(remove), { parameters })).status).toBe(204);
  called.add(remove);
  expect(await problem(run, 404, { parameters })).toContain(started.id);
  const permalink = 'get /interop/server-check-permalinks/{id}';
  const kept = await call(permalink, checkRun, { parameters: [shared.id] });
  expect(kept).toMatchObject({ isShared: true, verdicts: { S1: 'passes' } });
  expect(await problem(permalink, 404, { parameters: ['absent'] })).toContain('absent');
  expect(await problem(remove, 409, { parameters: [shipped?.id ?? ''] })).toContain('ships with xdscope');
  expect(await problem(start, 400, { body: { target: 'nowhere' } })).toContain('nowhere');
}

/** Pages contain each row once; an unchanged answer is 304. */
async function checkPages(id: string): Promise<void> {
  const ask = (query: Readonly<Record<string, string>>) =>
    call('get /clients/{id}/resources', resourcePage, { parameters: [id], query });
  const all = await ask({});
  const names: string[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page: ResourcePage = await ask({ limit: '2', sort: '-changed', ...(cursor && { cursor }) });
    expect(page.items.length).toBeLessThanOrEqual(2);
    names.push(...page.items.map(({ service, name }) => `${service} ${name}`));
    cursor = page.nextCursor;
  }
  expect([...names].sort()).toEqual(all.items.map(({ service, name }) => `${service} ${name}`).sort());
  const clusters = await ask({ type: 'CDS', limit: '0' });
  expect(clusters).toMatchObject({ items: [], total: all.total });
  expect(clusters.matched).toBe(all.items.filter(({ service }) => service === 'CDS').length);
  expect(
    await problem('get /clients/{id}/resources', 400, { parameters: [id], query: { sort: 'age' } }),
  ).toMatch(/^sort: /);
  const other = { cursor: 'abc', sort: 'name' };
  expect(await problem('get /clients/{id}/resources', 400, { parameters: [id], query: other })).toMatch(
    /^cursor: expected the nextCursor of a page with sort=name/,
  );
  const url = `${story.server.url}/api/v1/clients/${id}/resources?limit=1`;
  await waitUntil('an answer that still holds', async () => {
    const first = await fetchApi(url);
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const again = await fetchApi(url, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
    return again.status === 304;
  });
}

/** The stream of an imported client is replayed step by step. */
async function checkReplay(id: string): Promise<void> {
  const body = { mode: 'stream', clientId: id };
  const started = await call('post /replays', replay, { body });
  expect(started).toMatchObject({
    mode: 'stream',
    nodeId: 'shop-web',
    step: -1,
    playing: false,
    clients: [],
  });
  expect(started.stepCount).toBeGreaterThan(3);
  const parameters = [started.id];
  const changed = await call('patch /replays/{id}', replay, { parameters, body: { step: 1, speed: 10 } });
  expect(changed).toMatchObject({ step: 1, speed: 10, address: expect.stringMatching(/^127\.0\.0\.1:\d+$/) });
  const walked = await call('patch /replays/{id}', replay, { parameters, body: { by: -1 } });
  expect(walked).toMatchObject({ step: 0 });
  expect(await problem('patch /replays/{id}', 400, { parameters, body: { step: 1, by: 1 } })).toContain(
    'expected either step or by, got both',
  );
  expect((await call('get /replays', replayList)).items.map((each) => each.id)).toEqual([started.id]);
  expect(await problem('post /replays', 400, { body: { mode: 'stream' } })).toMatch(/^clientId: /);
  await send(find('delete /replays/{id}'), { parameters });
  called.add('delete /replays/{id}');
  expect((await call('get /replays', replayList)).items).toEqual([]);
  const snapshot = await call('post /replays', replay, { body: { mode: 'snapshot', clientId: id } });
  expect(snapshot.stepCount).toBeGreaterThan(0);
  expect(await problem('delete /replays/{id}', 404, { parameters: ['r99'] })).toMatch(/r99/);
}

/** The parts of a file that could not be read are reported; the rest is imported. */
async function checkBrokenImport(): Promise<void> {
  const dump = { configs: [{ dynamic_active_clusters: [{ cluster: { name: 'a' } }, 7] }] };
  const text = JSON.stringify(dump);
  const bytes = new TextEncoder().encode(text);
  await call('post /imports', sourceSchema, { bytes, query: { name: 'broken.json' } });
  const { items } = await call('get /imports', fileImportList);
  const broken = items.find(({ label }) => label === 'broken.json');
  expect(broken).toMatchObject({ state: 'done', what: 'Envoy config dump, JSON', resources: 1, problems: 1 });
  const parameters = [broken?.id ?? ''];
  const { items: problems } = await call('get /imports/{id}/problems', importProblems, { parameters });
  expect(problems).toMatchObject([
    { place: 'configs[0].dynamic_active_clusters[1]', offset: text.indexOf('7') },
  ]);
  await send(find('delete /imports/{id}'), { parameters });
  called.add('delete /imports/{id}');
  const left = await call('get /imports', fileImportList);
  expect(left.items.map(({ label }) => label)).not.toContain('broken.json');
  expect(await problem('get /imports/{id}/problems', 404, { parameters })).toMatch(/no import has the id/);
}

/** An exported range is imported as a client of its own. */
async function checkFiles(clientId: string): Promise<void> {
  await waitUntil('its streams are in the log', async () => {
    const query = { client: clientId, kind: 'ack-sent' };
    return (await call('get /history', historyPage, { query })).items.length > 4;
  });
  const estimate = await call('get /export/estimate', exportEstimate, { query: { client: clientId } });
  expect(estimate.observations).toBeGreaterThan(0);
  const file = await send(find('get /export'), { query: { client: clientId } });
  called.add('get /export');
  expect(file.headers.get('content-disposition')).toMatch(
    /^attachment; filename="xdscope-shop-web-.*\.xdscope"$/,
  );
  const bytes = new Uint8Array(await file.arrayBuffer());
  const source = await call('post /imports', sourceSchema, { bytes, query: { name: 'web.xdscope' } });
  expect(source).toMatchObject({ id: 'file:web.xdscope', kind: 'file', state: 'up', clients: 1 });
  const { items } = await call('get /clients', clientsPage);
  const ours = items.find(({ scope }) => scope === 'web.xdscope');
  expect(ours).toMatchObject({ nodeId: 'shop-web', freshness: 'stale' });
  const id = ours?.id ?? '';
  const rows = await call('get /clients/{id}/resources', resourcePage, { parameters: [id] });
  expect(rows.total).toBeGreaterThan(4);
  await call('get /clients/{id}/graph', graphSchema, { parameters: [id] });
  const history = await call('get /history', historyPage, { query: { client: id } });
  expect(history.items.every(({ vantage }) => vantage === 'dump')).toBe(true);
  await call('get /clients/{id}', clientDetailSchema, {
    parameters: [id],
    query: { at: new Date(history.items[0]?.at ?? 0).toISOString() },
  });
  expect(await problem('post /imports', 400, { bytes: new Uint8Array([1, 2, 3]) })).toMatch(
    /got 3 bytes that are neither text nor protobuf of any of them$/,
  );
  expect(await problem('get /export', 404, { query: { client: 'nobody' } })).toMatch(/nobody/);
  await checkBrokenImport();
  await checkReplay(id);
  await send(find('delete /sources/{id}'), { parameters: [source.id] });
  const left = await call('get /clients', clientsPage);
  expect(left.items.map((each) => each.id)).not.toContain(id);
}

describe('the HTTP API of a running server', () => {
  it('returns health, sources and lab as documented', async () => {
    const { recorder } = await call('get /health', healthSchema);
    expect(recorder).toMatchObject({ state: 'recording', limits: { maxAgeMs: 604_800_000 } });
    expect(recorder.limits.maxCount).toBeUndefined();
    const document = await (await fetchApi(`${story.server.url}/api/v1/openapi.json`)).json();
    called.add('get /openapi.json');
    expect(Object.keys(document.paths)).toContain('/clients/{id}/graph');
    expect((await call('get /sources', sourcePageSchema)).items).not.toEqual([]);
    await call('get /events', notableEvents, { query: { limit: '5' } });
    await call('get /lab', lab.labStatus);
    const asked = { query: { limit: '5', client: (await findWeb()).id } };
    await waitUntil('load was reported', async () => (await call('get /load', loadRowsPage, asked)).items[0]);
  });

  it('exports its log, and imports a file', async () => {
    await checkFiles((await findWeb()).id);
  });

  it('returns its log as documented', async () => {
    const { id } = await findWeb();
    const page = await waitUntil('its config is in the log', async () => {
      const found = await call('get /history', historyPage, {
        query: { client: id, kind: 'client-config-changed' },
      });
      return found.items.length > 0 && found;
    });
    const [newest] = page.items;
    if (newest === undefined) throw new Error('no event');
    expect(newest).toMatchObject({ clientId: id, kind: 'client-config-changed' });
    const detail = await call('get /history/{seq}', historyDetail, {
      parameters: [String(newest.seq)],
      query: { limit: '1' },
    });
    expect(detail.event).toEqual(newest);
    await problem('get /history/{seq}', 404, { parameters: ['999999999'] });
    const timeline = await call('get /history/timeline', historyTimeline, { query: { client: id } });
    expect(timeline.kind).toBe('marks');
    expect(await problem('get /history', 400, { query: { type: 'XDS' } })).toContain('LDS, RDS');
  });

  it('returns convergence as documented', async () => {
    const push = await waitUntil('a push to clients of the lab is listed', async () => {
      const { items } = await call('get /convergence/recent', recentConvergence, { query: { limit: '50' } });
      // The clients of a server check have ended.
      return items.find(({ spread }) => spread.total > 0);
    });
    const { typeUrl, name, version, server } = push.subject;
    const which: Record<string, string> =
      name === undefined ? { version, ...(server !== undefined && { server }) } : { resource: name };
    const found = await call('get /convergence', convergence, { query: { type: typeUrl, ...which } });
    expect(found.spread.total).toBeGreaterThan(0);
    expect(await problem('get /convergence', 400, { query: { type: 'CDS' } })).toContain('resource');
    expect(await problem('get /convergence', 404, { query: { type: 'CDS', version: 'nobody' } })).toContain(
      'the recording has no such version or resource',
    );
  });

  it('lists clients page by page', async () => {
    await findWeb();
    const second = await call('get /clients', clientsPage, { query: { offset: '1', limit: '1' } });
    expect(second.items).toHaveLength(1);
    expect(second.offset).toBe(1);
    expect(second.total).toBeGreaterThan(1);
    expect(await problem('get /clients', 400, { query: { limit: '5000' } })).toContain('limit');
  });

  it('returns the releases of the fleet as documented', async () => {
    await waitUntil('a client of the lab is live', async () => {
      const { releases } = await call('get /interop/fleet', interopFleet);
      return releases.some(({ client, release }) => client === 'node' && release === '1.14');
    });
  });

  it('returns certificates as documented', async () => {
    const { items } = await call('get /certificates', certificatePage, { query: { q: 'shop' } });
    expect(items).toEqual([]);
    expect(await problem('get /certificates', 400, { query: { before: 'soon' } })).toContain('before');
  });

  it('returns load as documented', async () => {
    const { groups } = await waitUntil('load is kept', async () => {
      const answer = await call('get /load/totals', loadTotalsAnswer, { query: { by: 'locality' } });
      return answer.groups.length > 0 && answer;
    });
    expect(groups[0]?.totals.successful).toMatch(/^[0-9]+$/);
    await call('get /load/series', loadSeriesAnswer, { query: { by: 'client', measure: 'requests,errors' } });
    const valuesFrom = new Date(Date.now() - 30_000).toISOString();
    const newest = await call('get /load/series', loadSeriesAnswer, { query: { valuesFrom, step: '10s' } });
    expect(newest.valuesFrom > newest.from).toBe(true);
    const at = { at: new Date().toISOString(), span: '1h' };
    expect((await call('get /load/series', loadSeriesAnswer, { query: at })).by).toBe('cluster');
    expect(await problem('get /load/series', 400, { query: { step: '7s' } })).toContain('expected one of');
    expect(await problem('get /load/totals', 400, { query: { by: 'planet' } })).toContain('by');
    const { groups: clients } = await call('get /load/totals', loadTotalsAnswer, {
      query: { by: 'client', cluster: 'cart' },
    });
    const query = { client: clients[0]?.key.clientId ?? '', cluster: 'cart' };
    const split = await call('get /load/split', loadSplit, { query });
    expect(split.lines.reduce((sum, { expected }) => sum + (expected ?? 0), 0)).toBeCloseTo(1);
    expect(await problem('get /load/split', 404, { query: { ...query, client: 'nobody' } })).toContain(
      'nobody',
    );
    const csv = await fetchApi(`${story.server.url}/api/v1/load/series?format=csv`);
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect(await csv.text()).toContain('time,step_seconds,name');
    const metrics = await fetchApi(`${story.server.url}/metrics`);
    expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await metrics.text();
    expect(text).toMatch(/^xdscope_load_requests_total\{[^}]*result="success"\} \d+$/m);
    expect(text).toMatch(/^xdscope_resources\{type="EDS",status="ACKED"\} \d+$/m);
    for (const line of text.split('\n')) {
      expect(line).toMatch(/^$|^# (HELP|TYPE) \w+ .+$|^\w+(\{.*\})? \S+$/);
    }
  });

  it('returns churn as documented', async () => {
    await call('get /churn', churn);
    expect(await problem('get /churn', 400, { query: { type: 'XDS' } })).toContain('LDS, RDS');
  });

  it('returns NACKs as documented', async () => {
    const { items } = await waitUntil('the lab has a NACK', async () => {
      const page = await call('get /nacks', nackPage, { query: { state: 'open', type: 'CDS', limit: '1' } });
      return page.items.length > 0 && page;
    });
    const [group] = items;
    if (group === undefined) throw new Error('no NACK');
    const detail = await call('get /nacks/{groupId}', nackDetail, { parameters: [group.id] });
    expect(detail.clients.length).toBeGreaterThan(0);
    expect(detail.statements.map(({ from, to }) => detail.text.slice(from, to))).toEqual(
      detail.statements.map(({ reason }) => reason),
    );
    expect(await problem('get /nacks', 400, { query: { cursor: 'x' } })).toContain('cursor');
    expect(await problem('get /nacks', 400, { query: { state: 'shut' } })).toContain('state');
    await problem('get /nacks/{groupId}', 404, { parameters: ['0123456789abcdef'] });
  });

  it('returns issues as documented', async () => {
    const first = await waitUntil('a client of the lab has an issue', async () => {
      const { items } = await call('get /issues', issuePage, { query: { limit: '5' } });
      return items.find(({ clients }) => clients.total > 0);
    });
    const strip = await call('get /issues/strip', fleetStrip);
    expect(strip.rows.flatMap(({ spans }) => spans.map(({ issueId }) => issueId))).toContain(first.id);
    const turned = { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' };
    expect(await problem('get /issues/strip', 400, { query: turned })).toContain('from');
    const found = await call('get /issues/{issueId}', issue, { parameters: [first.id] });
    expect(found.title).toBe(first.title);
    expect(await problem('get /issues', 400, { query: { state: 'shut' } })).toContain('state');
    await problem('get /issues/{issueId}', 404, { parameters: ['0123456789abcdef'] });
    const until = Date.now() + 60_000;
    const muted = await call('post /issues/{id}/mute', issue, { parameters: [first.id], body: { until } });
    expect(muted).toMatchObject({ state: 'muted', mutedUntil: until });
    await call('post /issues/{id}/mute', issue, { parameters: [first.id], body: { until: null } });
    await problem('post /issues/{id}/mute', 404, { parameters: ['0123456789abcdef'], body: { until: null } });
  });

  it('pins a range, lists it and unpins it', async () => {
    const body = { from: 1_767_225_600_000, to: 1_767_229_200_000, label: 'the outage' };
    const added = await call('post /pins', pin, { body });
    expect(added).toMatchObject(body);
    expect((await call('get /pins', pinList)).items).toEqual([added]);
    expect((await send(find('delete /pins/{id}'), { parameters: [added.id] })).status).toBe(204);
    called.add('delete /pins/{id}');
    expect(await problem('delete /pins/{id}', 404, { parameters: [added.id] })).toContain(added.id);
    expect(await problem('post /pins', 400, { body: { ...body, to: body.from - 1 } })).toContain('from');
  });

  it('returns a client as documented', async () => {
    const { id } = await findWeb();
    const parameters = [id];
    await call('get /clients/{id}', clientDetailSchema, { parameters });
    await call('get /clients/{id}/graph', graphSchema, { parameters });
    const { items } = await call('get /clients/{id}/resources', resourcePage, { parameters });
    await checkPages(id);
    const held = items.find(({ hash }) => hash !== null);
    if (held?.hash == null) throw new Error('no resource has a body');
    const key = { typeUrl: held.typeUrl, name: held.name };
    await call('get /clients/{id}/links', resourceLinksSchema, { parameters, query: key });
    const resolvedOf = (query: Readonly<Record<string, string>>) =>
      call('get /clients/{id}/resolved', resolved, { parameters, query });
    const whole = await waitUntil('shop-web has all that it asked for', async () => {
      const answer = await resolvedOf({});
      return answer.status === 'resolved' && answer;
    });
    expect(whole).toMatchObject({ clientId: id, profile: 'node-1.14', missing: [] });
    const marked = await call('get /clients/{id}/graph', graphSchema, {
      parameters,
      query: { resolve: 'web.shop.example' },
    });
    expect(marked.marks?.['listener:web.shop.example']).toEqual({ use: 'used', reason: '' });
    for (const kind of ['dangling', 'orphan']) {
      const list = await call('get /clients/{id}/references', references, { parameters, query: { kind } });
      expect(list).toMatchObject({ kind, offset: 0 });
    }
    const { recorder } = await call('get /health', healthSchema);
    const changes = await call('get /clients/{id}/changes', clientChanges, {
      parameters,
      query: { from: `seq:${recorder.newestSeq}`, limit: '1000' },
    });
    expect(changes.items.length).toBe(changes.total);
    const past = await resolvedOf({ at: new Date(Date.now() - 1).toISOString() });
    expect(past).toMatchObject({ clientId: id });
    expect(await call('get /clients/{id}/tears', tears, { parameters })).toMatchObject({ clientId: id });
    const connected = await call('get /clients/{id}/connections', connectionsPage, {
      parameters,
      query: { sort: '-started', limit: '2' },
    });
    expect(connected).toMatchObject({ clientId: id, source: { vantage: 'channelz' } });
    await checkTestClient(id);
    const witnessed = await call('get /clients/{id}/witnesses', witnesses, { parameters });
    expect(witnessed.items[0]).toMatchObject({ reach: 'reached', request: { method: 'POST' } });
    const explained = await call('get /clients/{id}/explain', explanation, {
      parameters,
      query: { request: 'shop.v1.Cart/Add' },
    });
    expect(explained).toMatchObject({ clientId: id, profile: 'node-1.14', outcome: { cluster: 'cart' } });
    const inParts = await call('post /clients/{id}/explain', explanation, {
      parameters,
      body: { method: 'POST', path: '/shop.v1.Cart/Add' },
    });
    expect(inParts).toMatchObject({ clientId: id, outcome: explained.outcome });
    const ofAll = await call('get /explain', fleetExplanation, {
      query: { request: 'shop.v1.Cart/Add', q: 'shop-web', sni: 'web.shop.example' },
    });
    expect(ofAll).toMatchObject({ total: 1, request: { connection: { serverName: 'web.shop.example' } } });
    const ofSome = await call('post /explain', fleetExplanation, {
      body: { method: 'POST', path: '/shop.v1.Cart/Add', q: 'shop' },
    });
    expect(ofSome.total).toBeGreaterThan(1);
    const { id: sharedId } = await call('post /explain/share', permalinkCreatedSchema, {
      body: { method: 'POST', path: '/shop.v1.Cart/Add', q: 'shop-web' },
    });
    const shared = await call('get /explain-permalinks/{id}', sharedFleetExplanation, {
      parameters: [sharedId],
    });
    expect(shared).toMatchObject({
      id: sharedId,
      q: 'shop-web',
      explanation: { total: 1, isComplete: true },
    });
    // tests/peers/stories/twin-story.test.ts has an Envoy.
    const rpc = { authority: 'web.shop.example', method: 'POST', path: '/shop.v1.Cart/Add' };
    const byEnvoy = { parameters, body: { request: rpc, program: 'Envoy' } };
    expect(await problem('post /clients/{id}/prove', 422, byEnvoy)).toMatch(/with an address/);
    expect((await call('get /twin-clients', twinClients)).items.map(({ name }) => name)).toContain('grpc-js');
    const byOther = { parameters, body: { request: rpc, program: '/bin/sh' } };
    expect(await problem('post /clients/{id}/prove', 422, byOther)).toMatch(
      /program: expected one of Envoy, .*got "\/bin\/sh"/,
    );
    const byClient = { parameters, body: { request: rpc, times: 2 } };
    expect(await call('post /clients/{id}/prove', proof, byClient)).toMatchObject({
      program: { name: 'grpc-js' },
      outcome: { cluster: 'cart', grpcCode: '0' },
      responses: [{ grpcStatus: '0', requests: 2 }],
    });
    const tree = await call('get /clients/{id}/lb-tree', lbTree, { parameters });
    expect(tree).toMatchObject({ clientId: id, profile: 'node-1.14' });
    const reported = await call('get /clients/{id}/failovers', failovers, { parameters });
    expect(reported).toMatchObject({ clientId: id });
    const played = await call('post /failover/simulate', failoverSimulation, {
      body: { client: id, seconds: 10 },
    });
    expect(played).toMatchObject({ clientId: id, profile: 'node-1.14', cluster: tree.cluster });
    const missed = await resolvedOf({ target: 'xds:///nobody', profile: 'go' });
    expect(missed).toMatchObject({ status: 'waiting', missing: [{ name: 'nobody', why: 'never-asked' }] });
    const body = await call('get /resources/{hash}', resourceBodySchema, {
      parameters: [held.hash],
      query: { meta: '1' },
    });
    expect(body.hash).toBe(held.hash);
    for (const [format, type] of [
      ['json', 'application/json'],
      ['yaml', 'application/yaml'],
      ['binary', 'application/x-protobuf'],
    ] as const) {
      const response = await send(find('get /resources/{hash}'), {
        parameters: [held.hash],
        query: { format },
      });
      expect([response.status, response.headers.get('content-type')?.split(';')[0]]).toEqual([200, type]);
      // Without meta, the answer is the resource itself, as the document states for each media type.
      const form = otherQuestions['resources/{hash}'].otherForms?.[type];
      if (format === 'json') expect(form?.parse(await response.json())).not.toHaveProperty('hash');
      else expect(form).toBeDefined();
    }
    const { id: permalinkId } = await call('post /permalinks', permalinkCreatedSchema, {
      body: { clientId: id, view: { query: { q: 'type:cds' } } },
    });
    // 128 bits as base64url.
    expect(permalinkId).toMatch(/^[\w-]{22}$/);
    const link = await call('get /permalinks/{id}', permalinkSchema, { parameters: [permalinkId] });
    expect(link).toMatchObject({ clientId: id, view: { query: { q: 'type:cds' } } });
    expect(link.resources.length).toBe(link.client.resources);
    const storedPage = await call('get /permalinks/{id}/resources', resourcePage, {
      parameters: [permalinkId],
      query: { limit: '1', sort: '-name' },
    });
    expect(storedPage).toMatchObject({ total: link.client.resources, matched: storedPage.total });
    await call('get /permalinks/{id}/links', resourceLinksSchema, { parameters: [permalinkId], query: key });
    const drawn = await call('get /permalinks/{id}/graph', graphSchema, { parameters: [permalinkId] });
    expect(drawn).toEqual(link.graph);
    const found = await call('get /permalinks/{id}/findings', clientFindings, { parameters: [permalinkId] });
    expect(found.counts.validated).toBeGreaterThan(0);
    const stored = await call('get /permalinks/{id}/resolved', resolved, { parameters: [permalinkId] });
    const loaded = await call('post /permalinks', permalinkCreatedSchema, {
      body: { clientId: id, view: { tab: 'load' } },
    });
    const loadLink = { parameters: [loaded.id] };
    const kept = await call('get /permalinks/{id}/load/series', loadSeriesAnswer, {
      ...loadLink,
      query: { by: 'locality', measure: 'requests', limit: '5' },
    });
    const clusterOf = { query: { cluster: 'catalog-stable', rules: 'grpc' } };
    await call('get /permalinks/{id}/load/split', loadSplit, { ...loadLink, ...clusterOf });
    expect(kept.by).toBe('locality');
    const none = { parameters: [permalinkId] };
    expect(await problem('get /permalinks/{id}/load/series', 404, none)).toContain(permalinkId);
    const storedConnections = await call('get /permalinks/{id}/connections', connectionsPage, {
      parameters: [permalinkId],
    });
    await call('get /permalinks/{id}/test-client', testClientPage, { parameters: [permalinkId] });
    expect(storedConnections.source?.sourceId).toBe(connected.source?.sourceId);
    const storedTree = await call('get /permalinks/{id}/lb-tree', lbTree, { parameters: [permalinkId] });
    expect(storedTree).toMatchObject({ clientId: id, cluster: tree.cluster });
    const storedWitnesses = await call('get /permalinks/{id}/witnesses', witnesses, {
      parameters: [permalinkId],
    });
    expect(storedWitnesses.items).toEqual(witnessed.items);
    const storedExplanation = await call('get /permalinks/{id}/explain', explanation, {
      parameters: [permalinkId],
      query: { request: 'shop.v1.Cart/Add' },
    });
    expect(storedExplanation).toMatchObject({ clientId: id, outcome: { cluster: 'cart' } });
    const { id: linkOfFailover } = await call('post /permalinks', permalinkCreatedSchema, {
      body: { clientId: id, view: { tab: 'failover' } },
    });
    const storedFailovers = await call('get /permalinks/{id}/failovers', failovers, {
      parameters: [linkOfFailover],
    });
    expect(storedFailovers).toMatchObject({ clientId: id, cluster: tree.cluster });
    const { id: linkOfPropagation } = await call('post /permalinks', permalinkCreatedSchema, {
      body: { clientId: id, view: { tab: 'propagation' } },
    });
    const storedPropagation = await call('get /permalinks/{id}/propagation', propagationPage, {
      parameters: [linkOfPropagation],
      query: { limit: '2' },
    });
    expect(storedPropagation.total).toBeGreaterThanOrEqual(link.client.resources);
    expect(storedPropagation.items).toHaveLength(2);
    expect(await problem('get /permalinks/{id}/propagation', 404, none)).toContain('another tab');
    const dangling = await call('get /permalinks/{id}/references', references, {
      parameters: [permalinkId],
      query: { kind: 'dangling' },
    });
    expect(dangling.kind).toBe('dangling');
    expect(stored).toMatchObject({ clientId: id, revision: permalinkId, status: 'resolved' });
    const left = `permalink/${permalinkId}`;
    const diff = await call('get /diff', diffAnswer, { query: { left, right: `client/${id}`, type: 'CDS' } });
    expect(diff).toMatchObject({ left: { clientId: id, address: left }, right: { clientId: id } });
    const one = `${left}/${held.service}/${held.name}`;
    const same = await call('get /diff', diffAnswer, { query: { left: one, right: one } });
    expect(same).toMatchObject({ counts: { equal: 1 }, items: [], tree: { rows: [], isCut: false } });
    const by = (source: string, at = '') => `client/${id}${at};source=${encodeURIComponent(source)}`;
    const sources = await call('get /diff', diffAnswer, {
      query: { left: by('tap:lab'), right: by('tap:lab', `@seq:${recorder.newestSeq}`), type: 'LDS' },
    });
    expect(sources).toMatchObject({ left: { sourceId: 'tap:lab', side: 'client' }, counts: { changed: 0 } });
    expect(sources.left.resources).toBeGreaterThan(0);
    expect(
      await problem('get /diff', 404, { query: { left: by('tap:none'), right: by('tap:lab') } }),
    ).toMatch('the source "tap:none" reports nothing');
    expect(await problem('get /diff', 400, { query: { left, right: 'nothing' } })).toMatch(
      /^right: expected/,
    );
  });

  it('validates a resource of the request', async () => {
    const typeUrl = 'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment';
    const good = { cluster_name: 'cart' };
    const gap = { clusterName: 'cart', endpoints: [{ priority: 1, locality: {}, loadBalancingWeight: 1 }] };
    const validate = (resource: unknown) =>
      call('post /validate', validation, { query: { profile: 'go' }, body: { typeUrl, resource } });
    expect(await validate(good)).toMatchObject({
      verdict: 'ACK',
      profile: 'go-1.85',
      verdicts: { 'core-1.51': 'ACK', 'envoy-1.40': 'ACK' },
      findings: [],
      totals: { findings: { NACK: 0, ignore: 0, accept: 0 }, resources: { ACK: 1, NACK: 0 }, problems: 0 },
    });
    const { verdict, findings } = await validate(gap);
    expect(verdict).toBe('NACK');
    expect(findings.map((finding) => finding.reactions['go-1.85'])).toContain('NACK');
    const garbage = await call('post /validate', validation, {
      body: { typeUrl, valueBase64: '////' },
    });
    expect(garbage.verdict).toBe('NACK');
  });

  it('checks a resource of the request against a client', async () => {
    const client = (await findWeb()).id;
    const typeUrl = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
    const body = { typeUrl, resource: { name: 'cart', type: 'STATIC' } };
    const answer = await call('post /check', check, { query: { client }, body });
    expect(answer.resources).toMatchObject([{ service: 'CDS', name: 'cart' }]);
    expect(answer.against).toMatchObject({
      nodeId: 'shop-web',
      rejected: [{ name: 'cart', verdict: 'NACK' }],
    });
    expect(await problem('post /check', 404, { query: { client: 'nobody' }, body })).toContain('nobody');
  });

  it('finds resources of the fleet, and who holds them', async () => {
    const found = await waitUntil('the index has the cluster', async () => {
      const answer = await call('get /search', searchAnswer, { query: { q: 'type=CDS payment-v1' } });
      return answer.resources.items.find(({ name, holders }) => name === 'payment-v1' && holders > 0);
    });
    const query = { type: found.service, name: found.name };
    const holding = await call('get /holders', holdersAnswer, { query });
    expect(holding.items.map(({ nodeId }) => nodeId)).toContain('shop-checkout');
    expect(await problem('get /holders', 400, { query: { type: 'nothing', name: 'a' } })).toMatch(
      /^type: expected a type URL or one of LDS/,
    );
  });

  it('returns a window of the fleet, and its cohorts', async () => {
    await findWeb();
    const query = { sort: '-resources', group: 'agent', limit: '1', q: 'node=shop-web fresh=live' };
    const grouped = await call('get /fleet', fleetPage, { query });
    expect(grouped).toMatchObject({ groups: 1, matched: { clients: 1 }, problems: [] });
    const [group] = grouped.items;
    if (group?.kind !== 'group') throw new Error('expected a group');
    const opened = await call('get /fleet', fleetPage, {
      query: { ...query, open: group.value, offset: '1' },
    });
    expect(opened.items).toMatchObject([{ kind: 'client', client: { nodeId: 'shop-web' } }]);
    const reported = await call('get /cohorts', cohorts, { query: { type: 'CDS' } });
    expect(reported.alike + reported.differ).toBe(reported.clients);
    expect(await problem('get /fleet', 400, { query: { group: 'nope' } })).toMatch(/^group: expected/);
    expect(await problem('get /cohorts', 400, { query: { type: '%' } })).toMatch(/^type: expected/);
  });

  it('returns the propagation of each resource', async () => {
    const { id } = await findWeb();
    const ask = { parameters: [id], query: { type: 'CDS', limit: '2' } };
    const { counts, items } = await call('get /clients/{id}/propagation', propagationPage, ask);
    const { resources, ...kinds } = counts;
    expect(Object.values(kinds).reduce((sum, each) => sum + each, 0)).toBe(resources);
    expect(items.length).toBeLessThanOrEqual(2);
    const wrong = { parameters: [id], query: { only: 'some' } };
    expect(await problem('get /clients/{id}/propagation', 400, wrong)).toContain('only');
    expect(await problem('get /clients/{id}/propagation', 404, { parameters: ['nobody'] })).toContain(
      'nobody',
    );
    expect((await call('get /divergences', divergences)).pairs).toHaveLength(1);
    const at = new Date().toISOString();
    const then = await call('get /clients/{id}/propagation', propagationPage, {
      parameters: [id],
      query: { at },
    });
    expect(then.moment?.at).toBe(Date.parse(at));
    expect(await call('get /divergences', divergences, { query: { at } })).toMatchObject({
      at: Date.parse(at),
    });
    for (const [operation, parameters] of [
      ['get /clients/{id}/propagation', [id]],
      ['get /divergences', []],
    ] as const) {
      expect(await problem(operation, 400, { parameters: [...parameters], query: { at: 'soon' } })).toContain(
        'at:',
      );
    }
  });

  it('returns sizes of clients, down to a field', async () => {
    const { id } = await findWeb();
    const all = await call('get /sizes', sizes, { query: { q: 'shop-web' } });
    expect(all).toMatchObject({ level: 'client', items: [{ key: id, label: 'shop-web' }] });
    expect(all.items[0]?.before?.bytes).toBeGreaterThanOrEqual(0);
    await call('get /sizes', sizes, { query: { sort: 'growth' } });
    const [group] = (await call('get /sizes', sizes, { query: { group: 'zone' } })).items;
    const inside = await call('get /sizes', sizes, { query: { q: group?.key ?? '' } });
    expect([inside.total.clients, inside.total.bytes]).toEqual([group?.clients?.count, group?.bytes]);
    expect((await call('get /sizes', sizes, { query: { group: 'auto', limit: '2' } })).group).toBeDefined();
    expect(await problem('get /sizes', 400, { query: { group: 'colour' } })).toContain('meta.KEY');
    expect(await problem('get /sizes', 400, { query: { sort: 'age' } })).toContain('sort');
    const types = await call('get /sizes', sizes, { query: { client: id } });
    expect(types.items.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(types.total.bytes);
    expect(types.growth.length).toBeGreaterThanOrEqual(2);
    const resources = await call('get /sizes', sizes, { query: { client: id, type: 'CDS' } });
    expect(resources.level).toBe('resource');
    const name = resources.items[0]?.key ?? '';
    const fields = await call('get /sizes', sizes, { query: { client: id, type: 'CDS', name } });
    expect(fields.items.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(fields.total.bytes);
    expect(await problem('get /sizes', 400, { query: { type: 'CDS' } })).toContain(
      'expected a client beside it',
    );
    expect(await problem('get /sizes', 404, { query: { client: 'nobody' } })).toContain('nobody');
  });

  it('returns problems of identity', async () => {
    const { counts } = await call('get /identity', identityPage, { query: { kind: 'changed' } });
    expect(counts.duplicate).toBe(0);
    expect(await problem('get /identity', 400, { query: { kind: 'other' } })).toContain('kind');
  });

  it('validates what a client holds', async () => {
    const { id } = await findWeb();
    const ask = { parameters: [id], query: { profile: 'envoy', limit: '2' } };
    const { counts, profile, items } = await call('get /clients/{id}/findings', clientFindings, ask);
    expect(profile).toBe('envoy-1.40');
    expect(counts.validated).toBeGreaterThan(0);
    expect(items.length).toBeLessThanOrEqual(2);
  });

  it('validates a document of several resources as YAML', async () => {
    const yaml = [
      'resources:',
      "- '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster",
      '  name: a',
      '  type: STATIC',
      "- '@type': type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
      '  cluster_name: b',
    ].join('\n');
    const post = (profile: string, body: string, contentType = 'application/yaml') =>
      fetchApi(`${story.server.url}/api/v1/validate?profile=${profile}`, {
        method: 'POST',
        headers: { 'content-type': contentType },
        body,
      });
    const reported = validation.parse(await (await post('go', yaml)).json());
    expect(reported.verdict).toBe('NACK');
    expect(reported.resources?.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['a', 'NACK'],
      ['b', 'ACK'],
    ]);
    expect(validation.parse(await (await post('envoy', yaml)).json()).verdict).toBe('ACK');
    const bad = await post('go', 'resources: [');
    expect(bad.status).toBe(400);
    expect((await post('go', yaml, 'image/png')).status).toBe(415);
  });

  it('adds, pauses, resumes and removes a source', async () => {
    const body = { kind: 'csds', target: '127.0.0.1:1', label: 'nobody' };
    const { id } = await call('post /sources', sourceSchema, { body });
    const parameters = [id];
    expect(await problem('post /sources', 409, { body })).toContain('is a source already');
    const paused = await call('patch /sources/{id}', sourceSchema, { parameters, body: { paused: true } });
    expect(paused).toMatchObject({ paused: true, state: 'paused', label: 'nobody' });
    const resumed = await call('patch /sources/{id}', sourceSchema, { parameters, body: { paused: false } });
    expect(resumed.paused).toBe(false);
    await waitUntil('it is down', async () => {
      const source = await call('get /sources/{id}', sourceSchema, { parameters });
      return source.state === 'down' && source.problem !== undefined;
    });
    expect((await send(find('delete /sources/{id}'), { parameters })).status).toBe(204);
    await call('post /sources', sourceSchema, { body });
    expect((await send(find('delete /sources'), { query: { id } })).status).toBe(204);
    called.add('delete /sources/{id}').add('delete /sources');
    await problem('get /sources/{id}', 404, { parameters });
  });

  it('adds a probe with settings or a bootstrap, and changes its mode', async () => {
    const settings = { transport: 'delta-ads', listeners: ['xds:///shop'] };
    const body = { kind: 'ads', target: '127.0.0.1:1', settings };
    const probe = await call('post /sources', sourceSchema, { body });
    expect(probe.settings).toMatchObject({ transport: 'delta-ads', mode: 'observe', listeners: ['shop'] });
    const parameters = [probe.id];
    const change = { mode: 'validate', profile: 'go', errorModel: 'a88' };
    const changed = await call('patch /sources/{id}', sourceSchema, { parameters, body: change });
    expect(changed).toMatchObject({ id: probe.id, settings: change });
    expect((await send(find('delete /sources/{id}'), { parameters })).status).toBe(204);

    const xds_servers = [{ server_uri: '127.0.0.1:1', channel_creds: [{ type: 'insecure' }] }];
    const bootstrap = { xds_servers, node: { id: 'from-a-bootstrap' } };
    const added = await call('post /sources', sourceSchema, { body: { kind: 'ads', bootstrap } });
    expect(added.settings?.nodeId).toBe('from-a-bootstrap');
    expect((await send(find('delete /sources/{id}'), { parameters: [added.id] })).status).toBe(204);
    const odd = { kind: 'ads', bootstrap: { xds_servers: [] } };
    expect(await problem('post /sources', 400, { body: odd })).toContain('bootstrap: xds_servers: expected');
  });

  it('lists credentials by name', async () => {
    expect(await call('get /credentials', credentialsListSchema)).toEqual({ items: [] });
    const settings = { credentials: 'mesh-a' };
    const body = { kind: 'csds', target: '127.0.0.1:1', settings };
    expect(await problem('post /sources', 400, { body })).toContain('settings.credentials: expected no name');
  });

  it('controls the lab', async () => {
    const { processes } = await call('get /lab', lab.labStatus);
    const { items } = await call('get /lab/resources', lab.labResources);
    const [first] = items;
    if (first === undefined) throw new Error('the lab has no resources');
    const name = 'contract-test';
    const cluster = { typeUrl: 'type.googleapis.com/envoy.config.cluster.v3.Cluster', name };
    const added = await call('put /lab/resources', lab.labResources, {
      body: { ...cluster, resource: { name } },
    });
    expect(added.items.map((item) => item.name)).toContain(name);
    const left = await call('delete /lab/resources', lab.labResources, { query: cluster });
    expect(left.items.map((item) => item.name)).not.toContain(name);
    const reporting = await call('post /lab/load-reporter', lab.labStatus, { body: { running: true } });
    expect(reporting.processes.find(({ kind }) => kind === 'load-reporter')?.state).toBe('running');
    await call('post /lab/load-reporter', lab.labStatus, { body: { running: false } });
    for (const running of [false, true]) {
      const status = await call('post /lab/management-server', lab.labStatus, { body: { running } });
      const found = status.processes.find(({ kind }) => kind === 'management-server');
      expect(found?.state).toBe(running ? 'running' : 'stopped');
    }
    const backgroundFaults = await call('post /lab/background-faults', lab.labStatus, {
      body: { backgroundFaults: 'off' },
    });
    expect(backgroundFaults.backgroundFaults).toBe('off');
    expect((await call('post /lab/start', lab.labStatus)).running).toBe(true);
    const renewed = await call('post /lab/renew', lab.labStatus, { body: { type: 'CDS' } });
    expect(renewed.running).toBe(true);
    const backend = processes.find(({ kind }) => kind === 'backend')?.name ?? '';
    for (const running of [false, true]) {
      const status = await call('post /lab/backends/{name}', lab.labStatus, {
        parameters: [backend],
        body: { running },
      });
      expect(status.processes.find((process) => process.name === backend)?.state).toBe(
        running ? 'running' : 'stopped',
      );
    }
    for (const [body, weight] of [
      [{ priority: 0, zone: 'eu-west1-b', weight: 25 }, 25],
      [{ weight: 100 }, 100],
    ] as const) {
      const status = await call('post /lab/assignments/{name}', lab.labStatus, {
        parameters: ['cart'],
        body,
      });
      const cart = status.assignments.find((each) => each.name === 'cart');
      expect(cart?.localities.find(({ locality }) => locality.zone === 'eu-west1-b')?.weight).toBe(weight);
    }
    const fault = 'missing-cluster';
    for (const active of [true, false]) {
      const status = await call('post /lab/faults/{name}', lab.labStatus, {
        parameters: [fault],
        body: { active },
      });
      expect(status.faults.find((each) => each.name === fault)?.active).toBe(active);
    }
  });

  it('checks a management server', async () => {
    await checkServerChecks();
    await checkInteropRuns();
  });

  it('adds descriptor sets, and removes them', async () => {
    const reported = await call('post /descriptor-sets', descriptorSet, {
      query: { name: 'acme.binpb' },
      bytes: acmeFilterSet,
    });
    expect(reported).toMatchObject({
      name: 'acme.binpb',
      origin: 'browser',
      types: ['acme.v1.Filter', 'acme.v1.Mode'],
    });
    const { items } = await call('get /descriptor-sets', descriptorSetList);
    expect(items).toEqual([reported]);
    const typeUrl = 'type.googleapis.com/acme.v1.Filter';
    const validate = () =>
      send(find('post /validate'), { body: { typeUrl, resource: { filter_name: 'f' } } });
    expect((await validate()).status).toBe(200);
    const gone = await send(find('delete /descriptor-sets/{id}'), { parameters: [reported.id] });
    expect(gone.status).toBe(204);
    called.add('delete /descriptor-sets/{id}');
    expect((await validate()).status).toBe(400);
  });

  it('sends security headers with every answer', async () => {
    const policy = /^default-src 'self';.*frame-ancestors 'none'$/;
    for (const path of ['/', '/api/v1/health', '/api/v1/nothing', '/icon.svg']) {
      const { headers } = await fetchApi(story.server.url + path);
      expect(headers.get('content-security-policy'), path).toMatch(policy);
      expect(headers.get('x-content-type-options'), path).toBe('nosniff');
      expect(headers.get('referrer-policy'), path).toBe('same-origin');
    }
  });

  it('begins the stream with a hello event', async () => {
    const aborter = new AbortController();
    const response = await fetchApi(`${story.server.url}/api/v1/stream?topics=fleet`, {
      signal: aborter.signal,
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const first = await response.body?.getReader().read();
    expect(Buffer.from(first?.value ?? '').toString('utf8')).toMatch(/^event: hello\nid: \w+-\d+\ndata: \{/);
    aborter.abort();
    called.add('get /stream');
  });

  it('has called every operation of the document', () => {
    const all = operations.map(({ method, path: route }) => `${method} ${route}`);
    expect(all.filter((name) => !called.has(name))).toEqual([]);
  });

  it.each([
    ['get /clients/{id}', 404, { parameters: ['0000000000000000'] }],
    ['get /clients/{id}/graph', 404, { parameters: ['%'] }],
    ['get /clients/{id}/resolved', 404, { parameters: ['nobody'] }],
    ['get /clients/{id}/resolved', 400, { parameters: ['nobody'], query: { profile: 'istio' } }],
    ['get /clients/{id}/resolved', 400, { parameters: ['nobody'], query: { target: 'a', listener: 'b' } }],
    ['get /clients/{id}/witnesses', 404, { parameters: ['nobody'] }],
    ['get /clients/{id}/tears', 404, { parameters: ['nobody'] }],
    ['get /clients/{id}/explain', 400, { parameters: ['nobody'], query: { request: 'a b c' } }],
    ['get /clients/{id}/explain', 404, { parameters: ['nobody'], query: { request: 'a' } }],
    ['get /clients/{id}/explain', 400, { parameters: ['nobody'], query: { request: 'a', source: 'b' } }],
    ['get /explain', 400, { query: { request: 'a b c' } }],
    ['post /explain/share', 400, { body: { scheme: 'ftp' } }],
    ['get /explain-permalinks/{id}', 404, { parameters: ['nothing'] }],
    ['post /explain', 400, { body: { scheme: 'ftp' } }],
    ['post /clients/{id}/explain', 404, { parameters: ['nobody'], body: {} }],
    ['post /clients/{id}/prove', 400, { parameters: ['nobody'], body: { request: { authority: 'a\r\nb' } } }],
    ['post /clients/{id}/prove', 404, { parameters: ['nobody'], body: { request: { authority: 'a' } } }],
    ['get /clients/{id}/lb-tree', 400, { parameters: ['nobody'], query: { profile: 'ruby' } }],
    ['get /clients/{id}/failovers', 404, { parameters: ['nobody'] }],
    ['post /failover/simulate', 400, { body: { client: 'nobody', seconds: -1 } }],
    ['post /failover/simulate', 404, { body: { permalink: 'nobody' } }],
    ['get /clients/{id}/references', 400, { parameters: ['nobody'] }],
    ['get /permalinks/{id}/resolved', 404, { parameters: ['nobody'] }],
    ['get /permalinks/{id}/references', 400, { parameters: ['nobody'] }],
    ['get /clients/{id}/links', 400, { parameters: ['0000000000000000'] }],
    ['get /resources/{hash}', 400, { parameters: ['abc'] }],
    ['get /resources/{hash}', 404, { parameters: ['0'.repeat(64)] }],
    ['get /permalinks/{id}', 404, { parameters: ['../..'] }],
    ['get /stream', 400, { query: { topics: 'fleet,nope' } }],
    ['post /sources', 415, {}],
    ['post /sources', 400, { body: { kind: 'csds', target: 'unix:/run/x' } }],
    ['post /sources', 413, { body: { label: 'x'.repeat(300_000) } }],
    ['delete /sources', 409, { query: { id: 'lrs:lab' } }],
    ['post /permalinks', 404, { body: { clientId: '__proto__' } }],
    ['post /lab/assignments/{name}', 404, { parameters: ['nobody'], body: { weight: 1 } }],
    ['post /lab/assignments/{name}', 400, { parameters: ['cart'], body: { priority: 0, dropPercent: 1 } }],
    ['post /lab/assignments/{name}', 400, { parameters: ['cart'], body: { zone: 'nowhere', weight: 1 } }],
    ['post /lab/faults/{name}', 404, { parameters: ['%zz'], body: { active: true } }],
    ['post /validate', 400, { query: { profile: 'nginx' }, body: { typeUrl: 'x', resource: {} } }],
    ['post /validate', 400, { body: { typeUrl: 'acme.Nothing', resource: {} } }],
    ['post /descriptor-sets', 415, { body: {} }],
    ['post /descriptor-sets', 400, { bytes: Buffer.from('no set') }],
    ['delete /descriptor-sets/{id}', 404, { parameters: ['nobody'] }],
    ['put /lab/resources', 400, { body: { typeUrl: 'x', resource: {}, valueBase64: '' } }],
  ] satisfies [string, number, Ask][])('answers %s with %i as problem JSON', async (name, status, ask) => {
    expect(await problem(name, status, ask)).not.toBe('');
  });

  it.each([
    ['PUT', '/api/v1/health', 405],
    ['PROPFIND', '/api/v1/sources', 405],
    ['GET', '/api/v1/sources/%zz', 400],
    ['GET', '/api/v1/nope', 404],
    ['GET', '/api/v2', 404],
    ['POST', '/clients', 405],
  ])('answers %s %s with %i as problem JSON', async (method, url, status) => {
    const response = await fetchApi(`${story.server.url}${url}`, { method });
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(problemDetails.parse(await response.json()).status).toBe(status);
    expect(response.status).toBe(status);
    expect(response.headers.has('allow')).toBe(status === 405);
  });
});
