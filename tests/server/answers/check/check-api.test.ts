import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeCheck } from '@/lib/views/check/describe-check';
import { check } from '@/lib/views/check/schema';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { createCodec } from '@/server/codec/codec';
import {
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
} from '../../../support/builders/topology-mesh';
import { openClientStory } from '../../../support/client-story';

let shop: Awaited<ReturnType<typeof openClientStory>>;
/** Its client is an Envoy. */
let envoys: typeof shop;
beforeAll(async () => {
  envoys = await openClientStory({}, { userAgentName: 'envoy', userAgentVersion: '1.40.0' });
  envoys.observe([edsCluster('a')]);
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
afterAll(() => Promise.all([shop.close(), envoys.close()]));

const codec = createCodec({ redactionKey: Buffer.from('tests') });
const discovery = (name: string) => `type.googleapis.com/envoy.service.discovery.v3.${name}`;

function frameHeader({ length }: Uint8Array): Uint8Array {
  const header = Buffer.alloc(5);
  header.writeUInt32BE(length, 1);
  return header;
}

const admin = 'type.googleapis.com/envoy.admin.v3.';

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

  it('removes what the input lacks, if the input is everything that the server has', async () => {
    const bytes = documentOf(edsCluster('a'), endpoints('b', []));
    const kept = await shop.checks.check({ bytes, client: 'c' });
    expect(kept.against).toMatchObject({ counts: { absent: 2 }, removed: [], removedTotal: 0 });
    expect(kept.removals).toBeUndefined();
    const answer = await shop.checks.check({ bytes, client: 'c', whole: 'true' });
    expect(check.parse(answer)).toEqual(answer);
    const { against, dangling, removals } = answer;
    expect(against).toMatchObject({
      counts: { absent: 2 },
      removed: [
        { service: 'CDS', name: 'b', isReached: true },
        { service: 'CDS', name: 'unused', isReached: false },
      ],
    });
    expect(dangling).toMatchObject([{ service: 'CDS', name: 'b', usedBy: [{ name: 'r' }] }]);
    expect(against?.listeners[0]?.changes.map(({ what, at, after }) => [what, at, after])).toContainEqual([
      'cluster',
      'b',
      'error: cluster "b" does not exist',
    ]);
    expect(removals).toEqual([
      {
        ...{ service: 'CDS', typeUrl: edsCluster('a').typeUrl, profiles: ['go-1.85'] },
        text: expect.stringMatching(/RPCs of routes that name it fail, unless ignore_resource_deletion/),
      },
      {
        ...{ service: 'EDS', typeUrl: endpoints('b', []).typeUrl, profiles: [] },
        text: expect.stringContaining('Absence from a response removes nothing'),
      },
    ]);
  });

  it('states that the listener to which the client leads is gone', async () => {
    const bytes = documentOf(apiListener('other', { rds: 'r' }));
    const { against } = await shop.checks.check({ bytes, client: 'c', whole: 'true' });
    expect(against?.removed).toMatchObject([{ service: 'LDS', name: 'shop', isReached: true }]);
    expect(against?.listeners.find(({ listener }) => listener === 'shop')?.changes).toContainEqual(
      expect.objectContaining({ what: 'config', before: 'resolved', after: expect.stringMatching(/not/) }),
    );
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

describe('a document with the config of several clients', () => {
  const cluster = (name: string) => ({ '@type': CDS.typeUrl, name, type: 'STATIC' });
  const dumpOf = (listener: object, ...clusters: string[]) => ({
    configs: [
      { '@type': `${admin}ListenersConfigDump`, static_listeners: [{ listener }] },
      {
        '@type': `${admin}ClustersConfigDump`,
        static_clusters: clusters.map((each) => ({ cluster: cluster(each) })),
      },
    ],
  });
  const listenerTo = (name: string, to: string) => ({
    ...{ '@type': LDS.typeUrl, name },
    address: { socket_address: { address: '127.0.0.1', port_value: 9001 } },
    filter_chains: [
      {
        filters: [
          {
            name: 'tcp',
            typed_config: {
              '@type': 'type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy',
              ...{ stat_prefix: 'a', cluster: to },
            },
          },
        ],
      },
    ],
  });
  const document = {
    checkout: dumpOf(listenerTo('pay', 'pay'), 'pay'),
    web: dumpOf(listenerTo('stock', 'pay'), 'stock'),
  };

  it('is checked as the config of each: addresses and clusters of one are not those of another', async () => {
    const answer = await envoys.checks.check({ bytes: Buffer.from(JSON.stringify(document)) });
    expect(answer.clientsInInput).toBe(2);
    expect(answer.resources.map(({ name, cells }) => [name, cells])).toEqual([
      ['pay', ['ACK']],
      ['pay', ['ACK']],
      ['stock', ['ACK']],
      ['stock', ['ACK']],
    ]);
    expect(answer.dangling).toMatchObject([{ service: 'CDS', name: 'pay', usedBy: [{ name: 'stock' }] }]);
    expect(describeCheck(answer)).toContain(
      'The input contains the config of 2 clients: each is checked alone.',
    );
  });

  it('is one push if it is a list, in which Envoy rejects a name or an address that occurs twice', async () => {
    const bytes = Buffer.from(
      JSON.stringify([cluster('a'), cluster('a'), listenerTo('pay', 'a'), listenerTo('stock', 'a')]),
    );
    const { resources, clientsInInput } = await envoys.checks.check({ bytes });
    expect(clientsInInput).toBeUndefined();
    expect(resources.map(({ cells }) => cells)).toEqual([['ACK'], ['NACK'], ['ACK'], ['NACK']]);
    expect(resources[1]?.findings[0]).toMatchObject({ ruleId: 'ENVOY-repeated' });
  });
});

describe('responses of several types', () => {
  it('are one config, also as frames of gRPC: what one refers to is in another', async () => {
    const route = routeConfig('r', { '/a': 'here', '': 'gone' });
    const any = ({ typeUrl, body }: MeshResource) => ({ '@type': typeUrl, ...body });
    const responses = [[route], [edsCluster('here')]].map((some) =>
      codec.encode(discovery('DiscoveryResponse'), {
        ...{ versionInfo: '1', typeUrl: some[0]?.typeUrl, resources: some.map(any) },
      }),
    );
    const bytes = Buffer.concat(responses.flatMap((each) => [frameHeader(each), each]));
    const { dangling, total, clientsInInput } = await shop.checks.check({ bytes });
    expect([total, clientsInInput]).toEqual([2, undefined]);
    expect(dangling.map(({ service, name }) => `${service} ${name}`)).toEqual(['CDS gone', 'EDS here']);
  });
});

describe('a response that removes', () => {
  const deltaResponse = (more: object) =>
    codec.encode(discovery('DeltaDiscoveryResponse'), { typeUrl: CDS.typeUrl, nonce: '1', ...more });
  const response = (more: object) =>
    Buffer.from(JSON.stringify({ typeUrl: CDS.typeUrl, nonce: '1', ...more }));

  it('names in delta is compared with what the client has', async () => {
    const bytes = response({ systemVersionInfo: '2', removedResources: ['a', 'gone'] });
    const answer = await shop.checks.check({ bytes, client: 'c' });
    expect(check.parse(answer)).toEqual(answer);
    expect(answer).toMatchObject({
      total: 0,
      removedByNameTotal: 2,
      removedByName: [{ name: 'a' }, { name: 'gone' }],
    });
    expect(answer.against).toMatchObject({ removedTotal: 1, removed: [{ name: 'a' }], counts: { named: 1 } });
    expect(answer.against?.listeners[0]?.changes).toContainEqual(
      expect.objectContaining({ what: 'cluster', at: 'a' }),
    );
    expect(answer.removals?.[0]?.text).toContain('Drops it');
    expect(describeCheck(answer)).toEqual([
      'The input removes 2 resources by name.',
      'It has no resource that a client could reject.',
    ]);
  });

  it('names in delta is read in binary protobuf as well, alone and beside resources', async () => {
    const alone = deltaResponse({ systemVersionInfo: '2', removedResources: ['a', 'gone'] });
    const names = { removedByName: [{ name: 'a' }, { name: 'gone' }] };
    expect(await shop.checks.check({ bytes: alone, client: 'c' })).toMatchObject({
      ...{ total: 0, ...names },
      against: { removedTotal: 1, counts: { named: 1 } },
    });
    const resource = { '@type': CDS.typeUrl, ...edsCluster('new').body };
    const beside = deltaResponse({
      ...{ resources: [{ name: 'new', version: '1', resource }], removedResources: ['a', 'gone'] },
    });
    expect(await shop.checks.check({ bytes: beside, client: 'c' })).toMatchObject({
      ...{ total: 1, ...names, resources: [{ name: 'new' }] },
      against: { counts: { added: 1, named: 1 } },
    });
  });

  it('a resource that a later response has again removes nothing, and the other way round it does', async () => {
    const removal = { typeUrl: CDS.typeUrl, nonce: '1', systemVersionInfo: '1', removedResources: ['new'] };
    const { typeUrl, body } = edsCluster('new');
    const sent = { typeUrl, nonce: '2', versionInfo: '2', resources: [{ '@type': typeUrl, ...body }] };
    const againstOf = async (...responses: object[]) =>
      (await shop.checks.check({ bytes: Buffer.from(JSON.stringify(responses)), client: 'c' })).against;
    expect(await againstOf(removal, sent)).toMatchObject({ counts: { added: 1 }, removedTotal: 0 });
    expect(await againstOf(sent, removal)).toMatchObject({ counts: { added: 0 }, removedTotal: 0 });
  });

  it('is no request, whose rejection has the field number of the removed names', async () => {
    const bytes = codec.encode(discovery('DiscoveryRequest'), {
      ...{ typeUrl: CDS.typeUrl, versionInfo: '1', responseNonce: '1', errorDetail: { message: 'bad' } },
    });
    await expect(shop.checks.check({ bytes })).rejects.toThrow('got a DiscoveryRequest');
  });

  it('everything of its type, as it has no resource, if it is all that the server has', async () => {
    const bytes = response({ versionInfo: '2', resources: [] });
    const { against } = await shop.checks.check({ bytes, client: 'c', whole: 'true' });
    expect(against?.removed.map(({ name }) => name)).toEqual(['a', 'b', 'unused']);
    const kept = await shop.checks.check({ bytes, client: 'c' });
    expect(kept.against).toMatchObject({ removedTotal: 0, counts: { absent: 3 } });
  });

  it('must state its type', async () => {
    const bytes = Buffer.from('{"version_info":"1","resources":[]}');
    await expect(shop.checks.check({ bytes })).rejects.toThrow(
      'got a response without resources, which states no type_url',
    );
  });
});
