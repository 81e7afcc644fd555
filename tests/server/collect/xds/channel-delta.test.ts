import { afterEach, describe, expect, test } from 'vitest';
import { CDS, EDS, LDS, VHDS } from '@/lib/xds/resource-type';
import type { GrpcTransportKind } from '@/server/collect/xds/stream/grpc-xds-channel';
import { everything, only } from '../../../support/builders/subscriptions';
import { clusterOf, endpointsOf, listenerOf, packed } from '../../../support/builders/xds-wire';
import { ChannelStories } from '../../../support/channel-stories';
import { resourceOf, until } from '../../../support/xds-probe-story';

const stories = new ChannelStories();
const { clock } = stories;
afterEach(() => stories.close());
const play = (transport: GrpcTransportKind) => stories.play({ transport });

describe('delta', () => {
  test('an unknown name is answered at once, and sent once it exists', async () => {
    const { server, story } = await play('delta-ads');
    story.subscribe(EDS.typeUrl, only('late'));
    await until(() =>
      expect(story.responses).toMatchObject([{ removedResources: ['late'], resources: { length: 0 } }]),
    );
    server.setResource('*', resourceOf('late', endpointsOf('late')), 'v7');
    await until(() => expect(story.held(EDS.typeUrl)).toEqual({ late: 'v7' }));
  });

  test('each resource has its own version', async () => {
    const { server, story } = await play('delta-ads');
    server.setResource('*', resourceOf('a', clusterOf('a')), 'va');
    server.setResource('*', resourceOf('b', clusterOf('b')), 'vb');
    story.subscribe(CDS.typeUrl, everything);
    await until(() => expect(story.held(CDS.typeUrl)).toEqual({ a: 'va', b: 'vb' }));
    expect(story.responses[0]?.versionInfo).toBe('vb');
  });

  test('unsubscribing a name under a wildcard is answered with the resource that the wildcard covers', async () => {
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

  test('a virtual host that is subscribed to by its domain has its own name, and the domain as an alias', async () => {
    const { server, story, requests } = await play('delta');
    const host = packed(VHDS.typeUrl, { name: 'the host', domains: ['a.example'] });
    const aliases = ['routes/a.example'];
    server.setResource('*', { ...resourceOf('routes/canonical', host), aliases });
    story.subscribe(VHDS.typeUrl, only('routes/a.example'));
    await until(() => expect(requests.at(-1)?.reading).toBe('ack'));
    expect(story.find(VHDS.typeUrl, 'routes/canonical')).toMatchObject({ aliases });
    expect(story.responses[0]?.removedResources).toEqual([]);
    // Changes and the removal are sent as well.
    const changed = packed(VHDS.typeUrl, { name: 'the host', domains: ['a.example', 'b.example'] });
    server.setResource('*', { ...resourceOf('routes/canonical', changed), aliases });
    await until(() => expect(story.responses).toHaveLength(2));
    expect(story.find(VHDS.typeUrl, 'routes/canonical')?.bytes.toString()).toContain('b.example');
    server.removeResource('*', VHDS.typeUrl, 'routes/canonical');
    await until(() => expect(story.find(VHDS.typeUrl, 'routes/canonical')).toBeUndefined());
  });

  test('a removal without a stream is reported by the next stream', async () => {
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

  test('an error of a resource is reported with its name, until the resource is sent', async () => {
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
  test('is reported with the resource, renewed by a heartbeat, and removed by an update', async () => {
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
      expect(story.heartbeats).toEqual([
        { kind: 'heartbeat', name: 'mortal', aliases: [], version, ttlMs: 1_500 },
      ]),
    );
    await until(() => expect(requests.filter(({ reading }) => reading === 'ack')).toHaveLength(2));
    expect(Object.keys(story.held(CDS.typeUrl))).toEqual(['immortal', 'mortal']);
    expect(story.problems).toEqual([]);

    server.setResource('*', resourceOf('mortal', clusterOf('mortal')));
    await until(() => expect(story.find(CDS.typeUrl, 'mortal')?.ttlMs).toBeNull());
  });
});

describe('state of the world', () => {
  test('wrapped resources have names and versions as in delta', async () => {
    const { server, story } = await play('ads');
    server.setBehavior({ wrapsInSotw: true });
    server.setResource('*', resourceOf('a', clusterOf('a')), 'va');
    server.setResource('*', resourceOf('b', clusterOf('b')), 'vb');
    story.subscribe(CDS.typeUrl, everything);
    await until(() => expect(story.held(CDS.typeUrl)).toEqual({ a: 'va', b: 'vb' }));
    expect(story.responses[0]).toMatchObject({ isDelta: false, versionInfo: 'vb' });
  });

  test('an error is sent once with all other resources, and again when it changes', async () => {
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
