import { afterEach, describe, expect, test } from 'vitest';
import { CDS, EDS, LDS, VHDS } from '@/lib/xds/resource-type';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import type { RequestEvent } from '@/server/lab/management-server/stream-logic';
import type { GrpcTransportKind } from '@/server/xds/stream/grpc-xds-channel';
import { everything, GrpcChannelStory, only } from '../../support/grpc-channel-story';
import { ManualClock } from '../../support/recorder-manual-clock';
import { resourceOf, until } from '../../support/xds-probe-story';
import { clusterOf, endpointsOf, listenerOf, packed } from '../../support/xds-wire';

const clock = new ManualClock();
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function play(transport: GrpcTransportKind): Promise<{
  server: ManagementServer;
  story: GrpcChannelStory;
  requests: RequestEvent[];
}> {
  const server = new ManagementServer({ clock });
  const requests: RequestEvent[] = [];
  server.onRequest((request) => requests.push(request));
  const story = new GrpcChannelStory({ target: await server.listen(), clock, transport });
  closing.push(
    () => server.close(),
    () => story.channel.stop(),
  );
  story.channel.start();
  return { server, story, requests };
}

describe('delta', () => {
  test('a name that the server does not know is answered at once, and sent when it comes', async () => {
    const { server, story } = await play('delta-ads');
    story.subscribe(EDS.typeUrl, only('late'));
    await until(() =>
      expect(story.responses).toMatchObject([{ removedResources: ['late'], resources: { length: 0 } }]),
    );
    server.setResource('*', resourceOf('late', endpointsOf('late')), 'v7');
    await until(() => expect(story.held(EDS.typeUrl)).toEqual({ late: 'v7' }));
  });

  test('each resource has a version of its own', async () => {
    const { server, story } = await play('delta-ads');
    server.setResource('*', resourceOf('a', clusterOf('a')), 'va');
    server.setResource('*', resourceOf('b', clusterOf('b')), 'vb');
    story.subscribe(CDS.typeUrl, everything);
    await until(() => expect(story.held(CDS.typeUrl)).toEqual({ a: 'va', b: 'vb' }));
    expect(story.responses[0]?.versionInfo).toBe('vb');
  });

  test('unsubscribing a name while everything is held is answered with what still covers it', async () => {
    const { server, story, requests } = await play('delta-ads');
    server.setResource('*', resourceOf('a', clusterOf('a')));
    story.subscribe(CDS.typeUrl, { wildcard: true, names: new Set(['a', 'unknown']) });
    await until(() => expect(Object.keys(story.held(CDS.typeUrl))).toEqual(['a']));
    story.subscribe(CDS.typeUrl, everything);
    await until(() => expect(story.responses).toHaveLength(2));
    expect(requests.find(({ unsubscribed }) => unsubscribed.length > 0)?.unsubscribed).toEqual([
      'a',
      'unknown',
    ]);
    expect([...(story.responses[1]?.resources ?? [])].map(({ name }) => name)).toEqual(['a']);
    expect(story.responses[1]?.removedResources).toEqual(['unknown']);
    expect(Object.keys(story.held(CDS.typeUrl))).toEqual(['a']);
  });

  test('a virtual host that is asked for by its domain comes under its own name, with the domain as an alias', async () => {
    const { server, story, requests } = await play('delta');
    const host = packed(VHDS.typeUrl, { name: 'the host', domains: ['a.example'] });
    const aliases = ['routes/a.example'];
    server.setResource('*', { ...resourceOf('routes/canonical', host), aliases });
    story.subscribe(VHDS.typeUrl, only('routes/a.example'));
    await until(() => expect(requests.at(-1)?.reading).toBe('ack'));
    expect(story.find(VHDS.typeUrl, 'routes/canonical')).toMatchObject({ aliases });
    expect(story.responses[0]?.removedResources).toEqual([]);
    // It stays subscribed to: a change is sent, a removal too.
    const changed = packed(VHDS.typeUrl, { name: 'the host', domains: ['a.example', 'b.example'] });
    server.setResource('*', { ...resourceOf('routes/canonical', changed), aliases });
    await until(() => expect(story.responses).toHaveLength(2));
    expect(story.find(VHDS.typeUrl, 'routes/canonical')?.bytes.toString()).toContain('b.example');
    server.removeResource('*', VHDS.typeUrl, 'routes/canonical');
    await until(() => expect(story.find(VHDS.typeUrl, 'routes/canonical')).toBeUndefined());
  });

  test('what was removed while no stream was there is reported by the next one', async () => {
    const { server, story, requests } = await play('delta-ads');
    server.setResources('*', [resourceOf('a', clusterOf('a')), resourceOf('b', clusterOf('b'))]);
    story.subscribe(CDS.typeUrl, everything);
    await until(() => expect(Object.keys(story.held(CDS.typeUrl))).toEqual(['a', 'b']));
    server.setSilent(true);
    server.removeResource('*', CDS.typeUrl, 'a');
    server.stopStreams();
    await until(() => expect(story.closed).toHaveLength(1));
    clock.advance(1_000);
    await until(() => expect(requests.at(-1)?.initialResourceVersions?.size).toBe(2));
    server.setSilent(false);
    await until(() => expect(Object.keys(story.held(CDS.typeUrl))).toEqual(['b']));
    expect(story.responses.at(-1)).toMatchObject({ removedResources: ['a'], resources: { length: 0 } });
  });

  test('an error in place of a resource is reported with its name, and taken back by the resource', async () => {
    const { server, story } = await play('delta-ads');
    const error = { name: 'secret', code: 7, message: 'not for you' };
    server.setError('*', EDS.typeUrl, error);
    story.subscribe(EDS.typeUrl, only('secret'));
    await until(() =>
      expect(story.responses).toMatchObject([{ resourceErrors: [error], removedResources: [] }]),
    );
    server.setResource('*', resourceOf('secret', endpointsOf('secret')));
    await until(() => expect(Object.keys(story.held(EDS.typeUrl))).toEqual(['secret']));
    expect(story.responses.at(-1)?.resourceErrors).toEqual([]);
  });
});

describe.each(['ads', 'delta-ads', 'sotw', 'delta'] as const)('%s: time to live', (transport) => {
  test('is reported with the resource, renewed by a heartbeat without a body, and taken back by an update', async () => {
    const { server, story, requests } = await play(transport);
    server.setResource('*', { ...resourceOf('mortal', clusterOf('mortal')), ttlMs: 1_500 });
    server.setResource('*', resourceOf('immortal', clusterOf('immortal')));
    story.subscribe(CDS.typeUrl, everything);
    await until(() => expect(requests.at(-1)?.reading).toBe('ack'));
    expect(story.find(CDS.typeUrl, 'mortal')?.ttlMs).toBe(1_500);
    expect(story.find(CDS.typeUrl, 'immortal')?.ttlMs).toBeNull();
    const { version } = story.find(CDS.typeUrl, 'mortal') ?? { version: '' };

    server.sendHeartbeats(CDS.typeUrl);
    await until(() =>
      expect(story.heartbeats).toEqual([{ kind: 'heartbeat', name: 'mortal', version, ttlMs: 1_500 }]),
    );
    await until(() => expect(requests.filter(({ reading }) => reading === 'ack')).toHaveLength(2));
    expect(Object.keys(story.held(CDS.typeUrl))).toEqual(['immortal', 'mortal']);
    expect(story.problems).toEqual([]);

    server.setResource('*', resourceOf('mortal', clusterOf('mortal')));
    await until(() => expect(story.find(CDS.typeUrl, 'mortal')?.ttlMs).toBeNull());
  });
});

describe('state of the world', () => {
  test('wrapped resources have names, versions and aliases as in delta', async () => {
    const { server, story } = await play('ads');
    server.setBehavior({ wrapsInSotw: true });
    server.setResource('*', resourceOf('a', clusterOf('a')), 'va');
    server.setResource('*', resourceOf('b', clusterOf('b')), 'vb');
    story.subscribe(CDS.typeUrl, everything);
    await until(() => expect(story.held(CDS.typeUrl)).toEqual({ a: 'va', b: 'vb' }));
    expect(story.responses[0]).toMatchObject({ isDelta: false, versionInfo: 'vb' });
  });

  test('an error comes once, beside all other resources, and again when it is another one', async () => {
    const { server, story } = await play('ads');
    server.setResource('*', resourceOf('l', listenerOf('l')));
    server.setError('*', LDS.typeUrl, { name: 'gone', code: 5, message: 'never was' });
    story.subscribe(LDS.typeUrl, only('l', 'gone'));
    await until(() => expect(story.responses).toHaveLength(1));
    expect(story.responses[0]).toMatchObject({
      resourceErrors: [{ name: 'gone', code: 5, message: 'never was' }],
    });
    expect(Object.keys(story.held(LDS.typeUrl))).toEqual(['l']);
    server.setResource('*', resourceOf('l', listenerOf('l', 'r')));
    await until(() => expect(story.responses).toHaveLength(2));
    expect(story.responses[1]?.resourceErrors).toEqual([]);
    server.setError('*', LDS.typeUrl, { name: 'gone', code: 7, message: 'not for you' });
    await until(() => expect(story.responses[2]).toMatchObject({ resourceErrors: [{ code: 7 }] }));
    expect(story.responses[2]?.resources).toHaveLength(1);
  });
});
