import { describe, expect, it } from 'vitest';
import { certificatePage } from '@/lib/views/certificates/schema';
import { churn } from '@/lib/views/churn/schema';
import { clientDetail as clientDetailSchema, clientsPage } from '@/lib/views/client/schema';
import { notableEvents } from '@/lib/views/events/schema';
import { graph as graphSchema } from '@/lib/views/graph/schema';
import { health as healthSchema } from '@/lib/views/health/schema';
import { historyDetail, historyPage, historyTimeline } from '@/lib/views/history/schema';
import { interopFleet } from '@/lib/views/interop-matrix/fleet-schema';
import { fleetStrip, issue, issuePage } from '@/lib/views/issues/schema';
import * as lab from '@/lib/views/lab/schema';
import { loadRowsPage } from '@/lib/views/load/rows-schema';
import { loadSeriesAnswer, loadSplit, loadTotalsAnswer } from '@/lib/views/load/schema';
import { nackDetail, nackPage } from '@/lib/views/nacks/schema';
import { convergence, recentConvergence } from '@/lib/views/pushes/schema';
import { exportEstimate } from '@/lib/views/recording/export-schema';
import { fileImportList, importProblems } from '@/lib/views/recording/import-schema';
import { pin, pinList } from '@/lib/views/recording/pin-schema';
import { replay, replayList } from '@/lib/views/recording/replay-schema';
import { resourcePage } from '@/lib/views/resources/schema';
import { sourcePage as sourcePageSchema, source as sourceSchema } from '@/lib/views/sources/schema';
import { fetchApi } from '../../../support/e2e-server';
import { story } from '../../../support/shared-lab';
import { waitUntil } from '../../../support/wait-until';
import { call, called, findWeb, problem, send } from './operations';

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
  await send('delete /replays/{id}', { parameters });
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
  await send('delete /imports/{id}', { parameters });
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
  const file = await send('get /export', { query: { client: clientId } });
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
  await send('delete /sources/{id}', { parameters: [source.id] });
  const left = await call('get /clients', clientsPage);
  expect(left.items.map((each) => each.id)).not.toContain(id);
}

describe('the HTTP API of a recording', () => {
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
    expect((await send('delete /pins/{id}', { parameters: [added.id] })).status).toBe(204);
    called.add('delete /pins/{id}');
    expect(await problem('delete /pins/{id}', 404, { parameters: [added.id] })).toContain(added.id);
    expect(await problem('post /pins', 400, { body: { ...body, to: body.from - 1 } })).toContain('from');
  });
});
