import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { clientIdOf } from '@/server/client-id';
import { createCodec } from '@/server/codec/codec';
import { ManagementServer, type VerdictEvent } from '@/server/lab/management-server/management-server';
import { ManualClock } from '../../../support/recorder-manual-clock';
import {
  type ProbeStory,
  probeNodeId,
  probeStory,
  resourceOf,
  until,
} from '../../../support/xds-probe-story';
import { anyOf, clusterOf, endpointsOf, listenerOf, responseOf, routeOf } from '../../../support/xds-wire';

const cart = resourceOf('cart', clusterOf('cart', 'cart-endpoints'));
const shop = [
  resourceOf('shop', listenerOf('shop', 'shop-routes')),
  resourceOf('shop-routes', routeOf('shop-routes', 'cart')),
  cart,
  resourceOf('cart-endpoints', endpointsOf('cart-endpoints')),
];
const broken = Buffer.from('\u000a\u0004cart<html>', 'latin1');

describe('a probe at a management server', () => {
  let clock: ManualClock;
  let server: ManagementServer;
  let target: string;
  let verdicts: VerdictEvent[];
  const stories: ProbeStory[] = [];

  beforeEach(async () => {
    clock = new ManualClock();
    server = new ManagementServer({ clock });
    target = await server.listen();
    verdicts = [];
    server.onVerdict((verdict) => verdicts.push(verdict));
  });

  afterEach(async () => {
    await Promise.all(stories.splice(0).map(({ probe }) => probe.close()));
    await server.close();
  });

  function start(options: Partial<Parameters<typeof probeStory>[0]> = {}): ProbeStory {
    const story = probeStory({ target, clock, ...options });
    stories.push(story);
    story.probe.start();
    return story;
  }

  async function startOnShop(): Promise<ProbeStory> {
    server.setResources('*', shop);
    const story = start();
    await story.nth('ack-sent', 4);
    return story;
  }

  test('takes everything by wildcard, follows references, ACKs what decodes', async () => {
    // 1. The server has a listener, its routes, a cluster and its endpoints.
    server.setResources('*', shop, 'v1');
    // 2. The probe asks for all listeners and clusters, then for the names in them.
    const story = start();
    await until(() => expect(verdicts).toHaveLength(4));
    // 3. Every response was ACKed with its version.
    expect(verdicts.every(({ accepted, versionInfo }) => accepted && versionInfo === 'v1')).toBe(true);
    // 4. All of it was observed, with bodies.
    await until(() =>
      expect(story.statuses()).toEqual({
        'Cluster cart': 'ACKED',
        'ClusterLoadAssignment cart-endpoints': 'ACKED',
        'Listener shop': 'ACKED',
        'RouteConfiguration shop-routes': 'ACKED',
      }),
    );
    const acked = story.of('ack-sent').flatMap(({ changed }) => changed);
    const stored = story.bodies.map(({ hash }) => hash);
    for (const { clientStatus, hash, versionInfo } of acked.filter((each) => each.clientStatus === 'ACKED')) {
      expect({ clientStatus, versionInfo }).toEqual({ clientStatus: 'ACKED', versionInfo: 'v1' });
      expect(stored).toContain(hash);
    }
    // 5. The names were REQUESTED on the way.
    const asked = story.of('request-sent').map(({ typeUrl, resourceNames }) => [typeUrl, resourceNames]);
    expect(asked).toEqual(
      expect.arrayContaining([
        [LDS.typeUrl, []],
        [CDS.typeUrl, []],
        [RDS.typeUrl, ['shop-routes']],
        [EDS.typeUrl, ['cart-endpoints']],
      ]),
    );
    expect(story.probe.status).toMatchObject({ state: 'up', problem: null, answers: 4 });
    expect([...story.probe.status.clients.keys()]).toEqual([clientIdOf(probeNodeId, '')]);
  });

  test('makes its client known when the stream opens, empty-handed the first time only', async () => {
    const story = await startOnShop();
    server.stopStreams();
    await story.nth('stream-closed', 1);
    clock.advance(1_000);
    await story.nth('stream-opened', 2);
    expect(story.of('stream-opened').map(({ cacheEmpty }) => cacheEmpty)).toEqual([true, undefined]);
    expect(story.of('stream-opened')[0]).toMatchObject({
      clientId: clientIdOf(probeNodeId, ''),
      scope: '',
      node: { id: probeNodeId, userAgentName: 'xdscope' },
      vantage: 'probe',
      sourceId: 'probe-1',
    });
  });

  test('NACKs what does not decode, with the last good version and the reason, and keeps the last good body', async () => {
    // 1. A good cluster is there.
    const story = await startOnShop();
    const good = story
      .of('ack-sent')
      .flatMap(({ changed }) => changed)
      .find(({ name }) => name === 'cart');
    const goodVersion = good?.versionInfo;
    // 2. The server sends a broken one.
    server.setResource('*', { typeUrl: CDS.typeUrl, name: 'cart', bytes: broken }, 'v-bad');
    const nack = await story.nth('nack-sent', 1);
    // 3. The NACK has the last accepted version, the new nonce, and says what is wrong.
    expect(nack).toMatchObject({ typeUrl: CDS.typeUrl, versionInfo: goodVersion, rejectedVersion: 'v-bad' });
    expect(nack).toMatchObject({ errorCode: 3 });
    expect(nack.errorDetail).toMatch(/"cart": \d+ bytes do not decode/);
    await until(() => expect(verdicts.at(-1)).toMatchObject({ accepted: false, versionInfo: goodVersion }));
    expect(verdicts.at(-1)?.errorDetail).toBe(nack.errorDetail);
    // 4. The resource is NACKED, with body and version of the last good one, and the failed body beside it.
    expect(nack.changed).toEqual([
      expect.objectContaining({
        name: 'cart',
        clientStatus: 'NACKED',
        hash: good?.hash,
        versionInfo: goodVersion,
        errorState: expect.objectContaining({ versionInfo: 'v-bad', failedHash: expect.any(String) }),
      }),
    ]);
    // 5. Its endpoints stay subscribed.
    expect(story.statuses()).toMatchObject({ 'ClusterLoadAssignment cart-endpoints': 'ACKED' });
    // 6. The good one again: ACKED, though its bytes are those that we hold.
    server.setResource('*', cart, 'v3');
    const ack = await story.nth('ack-sent', 5);
    expect(ack.changed).toEqual([
      expect.objectContaining({ name: 'cart', clientStatus: 'ACKED', versionInfo: 'v3', errorState: null }),
    ]);
  });

  test('one bad resource NACKs the response, the good ones in it still count', async () => {
    server.setResources('*', [
      { typeUrl: CDS.typeUrl, name: 'bad', bytes: broken },
      resourceOf('good', clusterOf('good')),
    ]);
    const story = start();
    const nack = await story.nth('nack-sent', 1);
    expect(nack.versionInfo).toBe('');
    expect(story.statuses()).toMatchObject({ 'Cluster good': 'ACKED', 'Cluster cart': 'NACKED' });
  });

  test('two copies of a name are rejected', async () => {
    const story = await startOnShop();
    const resources = [clusterOf('twice'), clusterOf('twice', 'other')];
    server.pushRaw('*', responseOf({ typeUrl: CDS.typeUrl, versionInfo: 'v', nonce: 'n', resources }));
    expect((await story.nth('nack-sent', 1)).errorDetail).toMatch(/"twice": expected one resource/);
  });

  test('another type than asked for in a response is rejected, whoever is in the same response', async () => {
    const story = await startOnShop();
    const resources = [clusterOf('cart', 'cart-endpoints'), endpointsOf('stray')];
    server.pushRaw('*', responseOf({ typeUrl: CDS.typeUrl, versionInfo: 'v', nonce: 'n', resources }));
    expect((await story.nth('nack-sent', 1)).errorDetail).toMatch(/^resources\[1\]: expected type/);
    expect(story.statuses()).toMatchObject({ 'Cluster cart': 'ACKED' });
  });

  test('a type that was not asked for is seen, and gets neither ACK nor NACK', async () => {
    const story = await startOnShop();
    const typeUrl = 'type.googleapis.com/made.Up';
    const before = story.reported.length;
    const resources = [anyOf(typeUrl, Buffer.from([0x0a, 1, 0x61]))];
    server.pushRaw('*', responseOf({ typeUrl, versionInfo: 'v', nonce: 'n', resources }));
    await story.nth('response-received', 5);
    server.setResource('*', resourceOf('next', listenerOf('next')));
    await story.nth('ack-sent', 5);
    expect(story.reported.slice(before).map(({ kind }) => kind)).toEqual([
      'response-received',
      'response-received',
      'ack-sent',
    ]);
  });

  test('an answer in which nothing changed changes nothing and stores nothing again', async () => {
    const story = await startOnShop();
    const bodies = story.bodies.length;
    server.setResource('*', cart, 'v-same-again');
    const ack = await story.nth('ack-sent', 5);
    expect(ack).toMatchObject({ versionInfo: 'v-same-again', changed: [], removed: [] });
    expect(story.of('response-received').at(-1)).toMatchObject({ resources: [], unchangedResources: 1 });
    expect(story.bodies).toHaveLength(bodies);
  });

  test('absence deletes clusters and listeners, and what they led to is dropped', async () => {
    const story = await startOnShop();
    server.removeResource('*', CDS.typeUrl, 'cart');
    await until(() =>
      expect(story.statuses()).toEqual({
        'Listener shop': 'ACKED',
        'RouteConfiguration shop-routes': 'ACKED',
      }),
    );
    const dropped = story.of('request-sent').at(-1);
    expect(dropped).toMatchObject({ typeUrl: EDS.typeUrl, resourceNames: [] });
    expect(dropped?.removed).toEqual([{ typeUrl: EDS.typeUrl, name: 'cart-endpoints' }]);
  });

  test('an empty answer for endpoints means nothing', async () => {
    const story = await startOnShop();
    server.pushRaw('*', responseOf({ typeUrl: EDS.typeUrl, versionInfo: 'v', nonce: 'n', resources: [] }));
    expect(await story.nth('ack-sent', 5)).toMatchObject({ changed: [], removed: [] });
    expect(story.statuses()).toMatchObject({ 'ClusterLoadAssignment cart-endpoints': 'ACKED' });
  });

  test('a cluster that points elsewhere makes it ask for the new endpoints and forget the old', async () => {
    const story = await startOnShop();
    server.setResource('*', resourceOf('other-endpoints', endpointsOf('other-endpoints')));
    server.setResource('*', resourceOf('cart', clusterOf('cart', 'other-endpoints')));
    await until(() =>
      expect(story.statuses()).toEqual({
        'Cluster cart': 'ACKED',
        'ClusterLoadAssignment other-endpoints': 'ACKED',
        'Listener shop': 'ACKED',
        'RouteConfiguration shop-routes': 'ACKED',
      }),
    );
  });

  describe('with listeners by name', () => {
    const named = (...listeners: string[]) => ({
      settings: { interest: { wildcard: false, listeners, resources: new Map() } },
    });

    test('asks for the listener and all that it leads to, and for nothing else', async () => {
      server.setResources('*', [...shop, resourceOf('unused', clusterOf('unused'))]);
      const story = start(named('shop'));
      await until(() =>
        expect(story.statuses()).toEqual({
          'Cluster cart': 'ACKED',
          'ClusterLoadAssignment cart-endpoints': 'ACKED',
          'Listener shop': 'ACKED',
          'RouteConfiguration shop-routes': 'ACKED',
        }),
      );
      const names = story.of('request-sent').map(({ resourceNames }) => resourceNames);
      expect(names).toEqual([['shop'], ['shop-routes'], ['cart'], ['cart-endpoints']]);
    });

    test('a name that is not sent within 15 s of asking does not exist', async () => {
      // 1. One listener is there, the other is not.
      server.setResources('*', shop);
      const story = start(named('shop', 'nobody'));
      await story.nth('ack-sent', 4);
      // 2. After 14.9 s it is still only asked for.
      clock.advance(14_900);
      expect(story.statuses()).toMatchObject({ 'Listener nobody': 'REQUESTED' });
      // 3. After 15 s it does not exist; what came is untouched.
      clock.advance(100);
      const expired = await story.nth('timer-expired', 1);
      expect(expired.changed.map(({ name, clientStatus }) => [name, clientStatus])).toEqual([
        ['nobody', 'DOES_NOT_EXIST'],
      ]);
      // 4. It comes after all.
      server.setResource('*', resourceOf('nobody', listenerOf('nobody')));
      await until(() => expect(story.statuses()).toMatchObject({ 'Listener nobody': 'ACKED' }));
    });

    test('the timer stops with the stream and starts anew with the next', async () => {
      const story = start(named('nobody'));
      await until(() => expect(server.connectedNodes()).toEqual([probeNodeId]));
      clock.advance(14_000);
      server.stopStreams();
      await story.nth('stream-closed', 1);
      clock.advance(1_200);
      await until(() => expect(server.connectedNodes()).toEqual([probeNodeId]));
      clock.advance(14_000);
      expect(story.of('timer-expired')).toEqual([]);
      clock.advance(1_000);
      await story.nth('timer-expired', 1);
    });

    test('a listener that was there and is deleted does not exist, and its followers are dropped', async () => {
      server.setResources('*', shop);
      const story = start(named('shop'));
      await story.nth('ack-sent', 4);
      server.removeResource('*', LDS.typeUrl, 'shop');
      await until(() => expect(story.statuses()).toEqual({ 'Listener shop': 'DOES_NOT_EXIST' }));
    });

    test('resources that were not asked for are ignored, not rejected', async () => {
      server.setResources('*', shop);
      const story = start(named('shop'));
      await story.nth('ack-sent', 4);
      const resources = [listenerOf('shop', 'shop-routes'), listenerOf('stranger')];
      server.pushRaw('*', responseOf({ typeUrl: LDS.typeUrl, versionInfo: 'v', nonce: 'n', resources }));
      expect(await story.nth('ack-sent', 5)).toMatchObject({ changed: [], removed: [] });
      expect(
        story
          .of('response-received')
          .at(-1)
          ?.resources.map(({ name }) => name),
      ).toEqual(['stranger']);
    });
  });

  describe('the stream', () => {
    test('that ends after a response is normal: the next one repeats versions, without nonces', async () => {
      // 1. Everything is accepted.
      const story = await startOnShop();
      const versions = new Map(
        story.of('ack-sent').map(({ typeUrl, versionInfo }) => [typeUrl, versionInfo] as const),
      );
      // 2. The server is rotated.
      server.stopStreams(status.UNAVAILABLE, 'rotated');
      expect(await story.nth('stream-closed', 1)).toMatchObject({ hadResponse: true, code: 'UNAVAILABLE' });
      const before = story.of('request-sent').length;
      expect(story.probe.status).toMatchObject({ state: 'connecting', failures: 0, problem: null });
      // 3. The next stream asks for the same, with the versions that we hold and no nonce.
      clock.advance(1_000);
      await until(() => expect(story.of('request-sent')).toHaveLength(before + 4));
      for (const { typeUrl, versionInfo, responseNonce } of story.of('request-sent').slice(before)) {
        expect([versionInfo, responseNonce]).toEqual([versions.get(typeUrl), '']);
      }
      expect(story.of('source-down')).toEqual([]);
    });

    test('that ends before any response is a failure: reported, and tried again with back-off', async () => {
      server.setSilent(true);
      const story = start();
      await until(() => expect(server.connectedNodes()).toHaveLength(1));
      server.stopStreams(status.PERMISSION_DENIED, 'who are you?');
      expect(await story.nth('stream-closed', 1)).toMatchObject({ hadResponse: false });
      const down = await story.nth('source-down', 1);
      expect(down.problem).toMatchObject({ code: 'PERMISSION_DENIED' });
      expect(story.probe.status).toMatchObject({ state: 'down', failures: 1 });
      clock.advance(999);
      expect(story.of('stream-opened')).toHaveLength(1);
      clock.advance(1);
      await until(() => expect(story.of('stream-opened')).toHaveLength(2));
      // The server speaks again: up.
      server.setSilent(false);
      server.setResources('*', shop);
      await story.nth('source-up', 1);
      expect(story.probe.status).toMatchObject({ state: 'up', problem: null });
    });

    test('to a server that restarts with other versions and nonces comes back with the new state', async () => {
      const story = await startOnShop();
      const port = Number(target.split(':')[1]);
      await server.close();
      await story.nth('stream-closed', 1);
      server = new ManagementServer({ clock });
      server.setResources('*', [resourceOf('pay', clusterOf('pay'))], 'after-restart');
      await server.listen(port);
      await until(() => {
        clock.advance(1_000);
        expect(story.statuses()).toMatchObject({ 'Cluster pay': 'ACKED' });
        expect(story.statuses()).not.toHaveProperty('Cluster cart');
      });
    });

    test('that is sent garbage is ended with the reason, and tried again', async () => {
      const story = await startOnShop();
      server.stopStreams();
      await story.nth('stream-closed', 1);
      server.setSilent(true);
      clock.advance(1_000);
      await until(() => expect(server.connectedNodes()).toHaveLength(1));
      server.pushRaw('*', Buffer.from('<html>sign in</html>'));
      const closed = await story.nth('stream-closed', 2);
      expect(closed.details).toMatch(/^expected a DiscoveryResponse, got 20 bytes/);
      expect((await story.nth('source-down', 1)).problem.code).toBe('NOT_XDS');
    });
  });

  test('the same rejection again and again is answered more and more slowly', async () => {
    const story = await startOnShop();
    const again = () => {
      const resources = [anyOf(CDS.typeUrl, broken)];
      server.pushRaw('*', responseOf({ typeUrl: CDS.typeUrl, versionInfo: 'v', nonce: 'n', resources }));
    };
    again();
    await story.nth('nack-sent', 1);
    const reported = story.of('response-received').length;
    const timers = clock.waiting;
    again();
    await until(() => expect(clock.waiting).toBe(timers + 1));
    expect(story.of('nack-sent')).toHaveLength(1);
    clock.advance(500);
    expect(story.of('nack-sent')).toHaveLength(2);
    expect(story.of('response-received')).toHaveLength(reported + 1);
  });

  test('a fault of our own in reading a response ends that stream, and is shown', async () => {
    server.setResources('*', shop);
    const codec = createCodec({ redactionKey: new Uint8Array(32) });
    const faulty = {
      ...codec,
      inspect: () => {
        throw new Error('out of luck');
      },
    };
    const story = start({ codec: faulty });
    expect(await story.nth('stream-closed', 1)).toMatchObject({ code: 'INTERNAL', hadResponse: true });
    const { problem } = await story.nth('source-down', 1);
    expect(problem.message).toBe('xdscope could not read a response: out of luck');
    clock.advance(1_000);
    await story.nth('stream-opened', 2);
  });

  describe('pause and close', () => {
    test('a paused probe has no stream and no timers; resumed, it goes on where it was', async () => {
      const story = await startOnShop();
      story.probe.pause();
      await until(() => expect(server.connectedNodes()).toEqual([]));
      expect(story.probe.status).toMatchObject({ state: 'paused', clients: new Map() });
      clock.advance(60_000);
      expect(story.of('stream-opened')).toHaveLength(1);
      story.probe.resume();
      await until(() => expect(server.connectedNodes()).toEqual([probeNodeId]));
      expect(story.of('request-sent').at(-1)?.versionInfo).not.toBe('');
    });

    test('pausing and resuming in one breath ends with one stream', async () => {
      const story = await startOnShop();
      story.probe.pause();
      story.probe.resume();
      story.probe.pause();
      story.probe.resume();
      await story.nth('stream-opened', 2);
      await until(() => expect(server.connectedNodes()).toEqual([probeNodeId]));
    });

    test('closing leaves nothing behind', async () => {
      const story = await startOnShop();
      await story.probe.close();
      const reported = story.reported.length;
      expect(clock.waiting).toBe(0);
      await until(() => expect(server.connectedNodes()).toEqual([]));
      clock.advance(60_000);
      expect(story.reported).toHaveLength(reported);
    });
  });
});
