import { describe, expect, it } from 'vitest';
import { clientChanges } from '@/lib/views/changes/schema';
import { clientDetail as clientDetailSchema } from '@/lib/views/client/schema';
import { diffAnswer } from '@/lib/views/compare/schema';
import { connectionsPage } from '@/lib/views/connections/schema';
import { fleetExplanation, sharedFleetExplanation } from '@/lib/views/explain/fleet-schema';
import { explanation } from '@/lib/views/explain/schema';
import { lbTree } from '@/lib/views/failover/lb-tree-schema';
import { failovers } from '@/lib/views/failover/periods-schema';
import { failoverSimulation } from '@/lib/views/failover/schema';
import { clientFindings } from '@/lib/views/findings/schema';
import { graph as graphSchema } from '@/lib/views/graph/schema';
import { health as healthSchema } from '@/lib/views/health/schema';
import {
  resourceBody as resourceBodySchema,
  resourceLinks as resourceLinksSchema,
} from '@/lib/views/inspector/schema';
import * as lab from '@/lib/views/lab/schema';
import { loadSeriesAnswer, loadSplit } from '@/lib/views/load/schema';
import {
  permalinkCreated as permalinkCreatedSchema,
  permalink as permalinkSchema,
} from '@/lib/views/permalinks/schema';
import { propagationPage } from '@/lib/views/propagation/schema';
import { proof, twinClients } from '@/lib/views/prove/schema';
import { otherQuestions } from '@/lib/views/questions';
import { references, resolved, witnesses } from '@/lib/views/resolved/schema';
import { tears } from '@/lib/views/resolved/tears-schema';
import { type ResourcePage, resourcePage } from '@/lib/views/resources/schema';
import { testClientPage } from '@/lib/views/test-client/schema';
import { fetchApi } from '../../../support/e2e-server';
import { story } from '../../../support/shared-lab';
import { waitUntil } from '../../../support/wait-until';
import { call, called, findWeb, problem, send } from './operations';

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
    expect((await send(name, { parameters, body })).status).toBe(204);
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
  expect((await send(server, serving)).status).toBe(204);
  called.add(server);
  const other = { address: '169.254.169.254:80', isServing: false };
  expect(await problem(server, 400, { parameters, body: other })).toContain('an endpoint of this client');
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

describe('the HTTP API of a client', () => {
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
      const response = await send('get /resources/{hash}', {
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
});
