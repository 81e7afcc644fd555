import { describe, expect, it } from 'vitest';
import { check } from '@/lib/views/check/schema';
import { clientFindings, validation } from '@/lib/views/findings/schema';
import { cohorts, fleetPage } from '@/lib/views/fleet/schema';
import { identityPage } from '@/lib/views/identity/schema';
import { divergences, propagationPage } from '@/lib/views/propagation/schema';
import { holdersAnswer, searchAnswer } from '@/lib/views/search/schema';
import { sizes } from '@/lib/views/sizes/schema';
import { fetchApi } from '../../../support/e2e-server';
import { story } from '../../../support/shared-lab';
import { waitUntil } from '../../../support/wait-until';
import { call, findWeb, problem } from './operations';

describe('the HTTP API of a fleet', () => {
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
});
