import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CDS, EDS, RTDS, SDS, VHDS } from '@/lib/xds/resource-type';
import { messageType } from '@/server/codec/root';
import type { ManagementServer } from '@/server/lab/management-server/management-server';
import { readCapture } from '../../../support/builders/codec-corpus';
import { type AnyMessage, clusterOf, packed, responseOf } from '../../../support/builders/xds-wire';
import { ClientStories, only, rowsOf } from '../../../support/xds-client-story';
import { resourceOf, until } from '../../../support/xds-probe-story';

describe('a client', () => {
  let stories: ClientStories;
  let server: ManagementServer;
  let target: string;

  beforeEach(async () => {
    stories = new ClientStories();
    ({ server, target } = await stories.server());
  });
  afterEach(() => stories.close());

  test('subscribes to names of any type, and to all resources of a type by "*"', async () => {
    const secret = (name: string) =>
      resourceOf(name, packed(SDS.typeUrl, { name, genericSecret: { secret: { inlineString: 's3cret' } } }));
    const runtime = resourceOf('flags', packed(RTDS.typeUrl, { name: 'flags', layer: { fields: {} } }));
    server.setResources('*', [secret('ours'), secret('theirs'), runtime, resourceOf('c', clusterOf('c'))]);
    const resources = new Map([
      [SDS.typeUrl, ['ours']],
      [RTDS.typeUrl, ['*']],
    ]);
    const story = stories.start(target, { interest: { wildcard: false, listeners: [], resources } });
    await until(() => expect(rowsOf(story.reported).get('flags')?.clientStatus).toBe('ACKED'));
    await until(() => expect(rowsOf(story.reported).get('ours')?.clientStatus).toBe('ACKED'));
    expect([...rowsOf(story.reported).keys()].sort()).toEqual(['flags', 'ours']);
    expect(story.bodies.map(({ bytes }) => Buffer.from(bytes).toString('latin1')).join()).not.toContain(
      's3cret',
    );
  });

  test('has the row of a virtual host under the alias that it subscribed to', async () => {
    const host = packed(VHDS.typeUrl, { name: 'all', domains: ['*'] });
    server.setResources('*', [{ ...resourceOf('routes/all', host), aliases: ['routes/a.example'] }]);
    const story = stories.start(target, {
      transport: 'delta-ads',
      interest: only(VHDS.typeUrl, 'routes/a.example'),
    });
    await until(() =>
      expect(rowsOf(story.reported).get('routes/a.example')).toMatchObject({
        clientStatus: 'ACKED',
        canonicalName: 'routes/all',
      }),
    );
    server.removeResource('*', VHDS.typeUrl, 'routes/all');
    await until(() =>
      expect(rowsOf(story.reported).get('routes/a.example')?.clientStatus).toBe('DOES_NOT_EXIST'),
    );
  });

  describe.each(['delta-ads', 'ads'] as const)(
    'by %s, has the named rows of the types of ztunnel',
    (transport) => {
      test.each([
        ['Address', '000-delta-Address.bin', 'amb/hello.amb.svc.cluster.local'],
        ['Workload', '001-delta-Workload.bin', 'Kubernetes//Pod/amb/edge-1'],
        ['Authorization', '002-delta-Authorization.bin', 'istio-system/istio_converted_static_strict'],
      ])('%s', async (_, file, name) => {
        const message = readCapture('istio', 'ads-ztunnel-delta', file);
        const delta = messageType('envoy.service.discovery.v3.DeltaDiscoveryResponse');
        const { typeUrl, nonce, resources } = delta.toObject(delta.decode(message));
        const story = stories.start(target, { transport, interest: only(typeUrl, '*') });
        await story.nth('request-sent', 1);
        const bare = resources.map(({ resource }: { resource: AnyMessage }) => resource);
        const isDelta = transport === 'delta-ads';
        server.pushRaw(
          '*',
          isDelta ? message : responseOf({ typeUrl, versionInfo: '1', nonce, resources: bare }),
        );
        await until(() => expect(rowsOf(story.reported).get(name)).toBeDefined());
        expect(rowsOf(story.reported).size).toBe(resources.length);
      });
    },
  );

  test('has one row of the NameTable of istiod, which has no name', async () => {
    const message = readCapture('istio', '004-sotw-NameTable.bin');
    const typeUrl = 'type.googleapis.com/istio.networking.nds.v1.NameTable';
    const story = stories.start(target, { interest: only(typeUrl, '*') });
    await story.nth('request-sent', 1);
    server.pushRaw('*', message);
    await until(() => expect(rowsOf(story.reported).get('')?.clientStatus).toBe('ACKED'));
    expect(story.probe.status.notes.join()).not.toContain('decode');
  });

  test('marks rows and responses of the v2 API', async () => {
    server.setResources('*', [resourceOf('c', clusterOf('c', 'e'))]);
    const story = stories.start(target, { apiVersion: 'v2', interest: only(CDS.typeUrl, 'c') });
    await until(() =>
      expect(rowsOf(story.reported).get('c')).toMatchObject({ clientStatus: 'ACKED', apiVersion: 'v2' }),
    );
    expect(story.of('response-received')[0]).toMatchObject({ typeUrl: CDS.typeUrl, apiVersion: 'v2' });
  });

  test('has the own version of each resource in delta', async () => {
    server.setResources(
      '*',
      [resourceOf('a', clusterOf('a', 'x')), resourceOf('b', clusterOf('b', 'x'))],
      '1',
    );
    const interest = only(CDS.typeUrl, 'a', 'b');
    const story = stories.start(target, { transport: 'delta-ads', interest });
    await until(() => expect(rowsOf(story.reported).get('b')?.clientStatus).toBe('ACKED'));
    const before = rowsOf(story.reported).get('a')?.versionInfo;
    server.setResource('*', resourceOf('b', clusterOf('b', 'y')), '2');
    await until(() => expect(rowsOf(story.reported).get('b')?.versionInfo).toBe('2'));
    expect(rowsOf(story.reported).get('a')?.versionInfo).toBe(before);
  });

  test('notes a response above the default limit of gRPC clients', async () => {
    const large = Array.from({ length: 60 }, (_, index) =>
      packed(CDS.typeUrl, { name: `c${index}`, altStatName: 'x'.repeat(80_000), type: 'STATIC' }),
    );
    const interest = { wildcard: true, listeners: [], resources: new Map() };
    const story = stories.start(target, { interest });
    await until(() => expect(server.connectedNodes()).toHaveLength(1));
    server.setResources(
      '*',
      large.map((each, index) => resourceOf(`c${index}`, each)),
    );
    await until(() => expect(story.probe.status.notes.join()).toMatch(/CDS response of 4\.8\d? MB.*4 MiB/));
    server.setResources('*', []);
    await until(() => expect(story.probe.status.notes).toEqual([]));
  });

  test('limits the observations of a server that answers each ACK with a new version', async () => {
    const resources = [clusterOf('c', 'e')];
    server.setResources('*', [resourceOf('c', clusterOf('c', 'e'))]);
    const story = stories.start(target, { interest: only(CDS.typeUrl, 'c') });
    await story.nth('ack-sent', 1);
    const before = story.of('response-received').length;
    for (let version = 1; version <= 200; version++) {
      const response = { typeUrl: CDS.typeUrl, versionInfo: `v${version}`, nonce: `n${version}`, resources };
      server.pushRaw('*', responseOf(response));
    }
    // The last response is of another type, so that all others have arrived before it.
    server.pushRaw(
      '*',
      responseOf({ typeUrl: EDS.typeUrl, versionInfo: 'last', nonce: 'last', resources: [] }),
    );
    await until(() => expect(story.of('response-received').at(-1)).toMatchObject({ versionInfo: 'last' }));
    await until(() => {
      stories.clock.advance(1_000);
      expect(story.of('ack-sent').at(-1)).toMatchObject({ versionInfo: 'v200', nonce: 'n200' });
    });
    const reported = story.of('response-received').slice(before);
    const counted = reported.filter(({ typeUrl }) => typeUrl === CDS.typeUrl);
    expect(counted.reduce((sum, { repeats = 1 }) => sum + repeats, 0)).toBe(200);
    expect(counted.length).toBeLessThan(200);
  });
});
