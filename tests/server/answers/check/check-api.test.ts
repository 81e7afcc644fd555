import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { check } from '@/lib/views/check/schema';
import {
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
} from '../../../support/builders/topology-mesh';
import { openClientStory } from '../../../support/client-story';

let shop: Awaited<ReturnType<typeof openClientStory>>;
beforeAll(async () => {
  shop = await openClientStory({}, { userAgentName: 'gRPC Go', userAgentVersion: '1.85.0' });
  shop.clock.advance(1_000);
  shop.observe([
    apiListener('shop', { rds: 'r' }),
    routeConfig('r', { '/a': 'a', '': 'b' }),
    edsCluster('a'),
    edsCluster('b'),
    endpoints('a', [{ zone: 'z', endpoints: ['10.0.0.1:1'] }]),
    endpoints('b', [{ zone: 'z', endpoints: ['10.0.0.2:1'] }]),
    // No listener leads to it.
    edsCluster('unused'),
  ]);
});
afterAll(() => shop.close());

function documentOf(...resources: readonly MeshResource[]): Uint8Array {
  return Buffer.from(
    JSON.stringify({ resources: resources.map(({ typeUrl, body }) => ({ '@type': typeUrl, ...body })) }),
  );
}

const maglev = (name: string): MeshResource => {
  const { body, ...cluster } = edsCluster(name);
  return { ...cluster, body: { ...body, lbPolicy: 'MAGLEV' } };
};

describe('POST check', () => {
  it('has a verdict for each resource and each client version of the fleet, and counts who has the resource', async () => {
    const answer = await shop.checks.check({ bytes: documentOf(maglev('a'), edsCluster('new')) });
    expect(check.parse(answer)).toEqual(answer);
    expect(answer.columns).toEqual([
      { profile: 'go-1.85', clients: 1, named: [{ id: 'c', nodeId: 'shop' }] },
    ]);
    expect(answer.fleet).toEqual({ clients: 1, unidentified: 0, wouldReject: 1, holdersWouldReject: 1 });
    expect(answer.resources.map(({ name, cells, holders }) => [name, cells, holders])).toEqual([
      ['a', ['NACK'], { clients: 1, wouldReject: 1 }],
      ['new', ['ACK'], { clients: 0, wouldReject: 0 }],
    ]);
    expect(answer.resources[0]?.findings[0]).toMatchObject({ ruleId: 'C6', fieldPath: 'lbPolicy' });
    expect(answer.shown?.text).toContain('lbPolicy: MAGLEV');
  });

  it('lists references that neither the document nor the client resolves', async () => {
    const bytes = documentOf(routeConfig('r', { '/a': 'a', '': 'gone' }));
    const alone = await shop.checks.check({ bytes });
    expect(alone.dangling.map(({ name }) => name)).toEqual(['a', 'gone']);
    const { dangling } = await shop.checks.check({ bytes, client: 'c' });
    expect(dangling).toMatchObject([{ service: 'CDS', name: 'gone', usedBy: [{ name: 'r' }] }]);
  });

  it('lists the routes, clusters and shares that change at the client', async () => {
    const moved = endpoints('b', [
      { zone: 'z', weight: 3, endpoints: ['10.0.0.2:1', '10.0.0.3:1'] },
      { zone: 'y', weight: 1, endpoints: ['10.0.0.4:1'] },
    ]);
    const bytes = documentOf(routeConfig('r', { '/a': 'b', '': 'b' }), moved, edsCluster('unused'));
    const { against } = await shop.checks.check({ bytes, client: 'c' });
    expect(against).toMatchObject({
      counts: { added: 0, changed: 2, equal: 1 },
      rejected: [],
      unreached: [],
    });
    expect(against?.listeners).toMatchObject([{ listener: 'shop', isCut: false }]);
    const changes = new Map(against?.listeners[0]?.changes.map((each) => [`${each.what} ${each.at}`, each]));
    const [route] = [...changes.values()].filter(({ what }) => what === 'route');
    expect(route).toMatchObject({ before: 'a', after: 'b' });
    expect(changes.get('cluster a')).toMatchObject({ before: '1 of 1 endpoint usable' });
    expect(changes.get('cluster a')).not.toHaveProperty('after');
    expect(changes.get('cluster b')?.after).toMatch(/^3 of 3 endpoints usable; P0 .*75%, P0 .*25%$/);
  });

  it('compares without what the client would reject', async () => {
    const { against } = await shop.checks.check({ bytes: documentOf(maglev('a')), client: 'c' });
    expect(against).toMatchObject({ rejected: [{ name: 'a', verdict: 'NACK' }], listeners: [] });
  });

  it('states that no listener leads to a resource', async () => {
    const { against } = await shop.checks.check({ bytes: documentOf(edsCluster('new')), client: 'c' });
    expect(against).toMatchObject({ counts: { added: 1 }, unreached: [{ name: 'new' }], listeners: [] });
  });

  it('stores nothing, and redacts what it shows', async () => {
    const before = shop.recorder.stats().bodies;
    const secret = 'c2VjcmV0LXBhc3N3b3JkLTEyMzQ1Ng==';
    const bytes = Buffer.from(
      JSON.stringify({
        '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret',
        name: 'tls',
        tlsCertificate: { privateKey: { inlineBytes: secret } },
      }),
    );
    const answer = await shop.checks.check({ bytes, client: 'c' });
    expect(JSON.stringify(answer)).not.toContain(secret);
    expect(answer.resources[0]?.cells).toEqual(['NOT_REQUESTED']);
    expect(shop.recorder.stats().bodies).toBe(before);
  });

  it('rejects what has no resource in it, and an unknown client', async () => {
    await expect(shop.checks.check({ bytes: Buffer.from('resources: [') })).rejects.toMatchObject({
      status: 400,
    });
    await expect(
      shop.checks.check({ bytes: documentOf(edsCluster('a')), client: 'nobody' }),
    ).rejects.toMatchObject({ status: 404 });
  });
});
