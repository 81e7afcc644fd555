import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { clientIdOf } from '@/server/client-id';
import { createCodec } from '@/server/codec/codec';
import { ManagementServer, type VerdictEvent } from '@/server/lab/management-server/management-server';
import {
  anyOf,
  clusterOf,
  endpointsOf,
  listenerOf,
  responseOf,
  routeOf,
} from '../../../../support/builders/xds-wire';
import { ManualClock } from '../../../../support/recorder-manual-clock';
import {
  type ProbeStory,
  probeNodeId,
  probeStory,
  resourceOf,
  until,
} from '../../../../support/xds-probe-story';

const cart = resourceOf('cart', clusterOf('cart', 'cart-endpoints'));
const shop = [
  resourceOf('shop', listenerOf('shop', 'shop-routes')),
  resourceOf('shop-routes', routeOf('shop-routes', 'cart')),
  cart,
  resourceOf('cart-endpoints', endpointsOf('cart-endpoints')),
];
const broken = Buffer.from('\u000a\u0004cart<html>', 'latin1');

describe('a probe of a management server', () => {
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

  type Options = Partial<Parameters<typeof probeStory>[0]>;
  const likeGo: Options = { settings: { mode: 'validate', profile: 'go' } };

  function start(options: Options = {}): ProbeStory {
    const story = probeStory({ target, clock, ...options });
    stories.push(story);
    story.probe.start();
    return story;
  }

  async function startOnShop(options: Options = {}): Promise<ProbeStory> {
    server.setResources('*', shop);
    const story = start(options);
    await story.nth('ack-sent', 4);
    return story;
  }

  test('subscribes to the wildcard, follows references, and ACKs', async () => {
    // 1. The server has a listener, its routes, a cluster and its endpoints.
    server.setResources('*', shop, 'v1');
    // 2. The probe requests all listeners and clusters, then the names that they reference.
    const story = start();
    await until(() => expect(verdicts).toHaveLength(4));
    // 3. Every response was ACKed with its version.
    expect(verdicts.every(({ accepted, versionInfo }) => accepted && versionInfo === 'v1')).toBe(true);
    // 4. All resources were reported, with bodies.
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
    // 5. The references were requested by name.
    const requests = story.of('request-sent').map(({ typeUrl, resourceNames }) => [typeUrl, resourceNames]);
    expect(requests).toEqual(
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

  test('reports its client when a stream opens, with an empty cache the first time only', async () => {
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

  test('with the node id of another source is a client of its own', () => {
    const node = {
      ...{ id: 'cart-1', cluster: '', locality: null, metadata: {} },
      userAgentName: 'xdscope',
      userAgentVersion: '',
    };
    const clientOf = (sourceId: string) => probeStory({ target, clock, node, sourceId }).probe.clientId;
    expect(clientOf('ads:a:1')).toBe(clientOf('ads:a:1'));
    expect(clientOf('ads:a:1')).not.toBe(clientOf('ads:b:1'));
  });

  test('NACKs what does not decode with the last accepted version and the reason, and keeps the last accepted body', async () => {
    // 1. A cluster is accepted.
    const story = await startOnShop(likeGo);
    const last = story
      .of('ack-sent')
      .flatMap(({ changed }) => changed)
      .find(({ name }) => name === 'cart');
    const lastVersion = last?.versionInfo;
    // 2. The server sends a broken one.
    server.setResource('*', { typeUrl: CDS.typeUrl, name: 'cart', bytes: broken }, 'v-bad');
    const nack = await story.nth('nack-sent', 1);
    // 3. The NACK has the last accepted version, the new nonce and the reason.
    expect(nack).toMatchObject({ typeUrl: CDS.typeUrl, versionInfo: lastVersion, rejectedVersion: 'v-bad' });
    expect(nack).toMatchObject({ errorCode: 3 });
    expect(nack.errorDetail).toMatch(/"cart": \d+ bytes do not decode/);
    await until(() => expect(verdicts.at(-1)).toMatchObject({ accepted: false, versionInfo: lastVersion }));
    expect(verdicts.at(-1)?.errorDetail).toBe(nack.errorDetail);
    // 4. The resource is NACKED, with body and version of the last accepted one, and the failed body as its error.
    expect(nack.changed).toEqual([
      expect.objectContaining({
        name: 'cart',
        clientStatus: 'NACKED',
        hash: last?.hash,
        versionInfo: lastVersion,
        errorState: expect.objectContaining({ versionInfo: 'v-bad', failedHash: expect.any(String) }),
      }),
    ]);
    // 5. Its endpoints stay subscribed.
    expect(story.statuses()).toMatchObject({ 'ClusterLoadAssignment cart-endpoints': 'ACKED' });
    // 6. The accepted bytes are sent again: they are ACKED, although they are cached.
    server.setResource('*', cart, 'v3');
    const ack = await story.nth('ack-sent', 5);
    expect(ack.changed).toEqual([
      expect.objectContaining({ name: 'cart', clientStatus: 'ACKED', versionInfo: 'v3', errorState: null }),
    ]);
  });

  test('NACKs a response with one invalid resource, and accepts the others of it', async () => {
    server.setResources('*', [
      { typeUrl: CDS.typeUrl, name: 'bad', bytes: broken },
      resourceOf('good', clusterOf('good')),
    ]);
    const story = start(likeGo);
    const nack = await story.nth('nack-sent', 1);
    expect(nack.versionInfo).toBe('');
    expect(story.statuses()).toMatchObject({ 'Cluster good': 'ACKED', 'Cluster cart': 'NACKED' });
  });

  test('reports a response of a type that was not requested, and sends neither ACK nor NACK', async () => {
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

  test('reports no change and stores no body for a response without changes', async () => {
    const story = await startOnShop();
    const bodies = story.bodies.length;
    server.setResource('*', cart, 'v-same-again');
    const ack = await story.nth('ack-sent', 5);
    expect(ack).toMatchObject({ versionInfo: 'v-same-again', changed: [], removed: [] });
    expect(story.of('response-received').at(-1)).toMatchObject({ resources: [], unchangedResources: 1 });
    expect(story.bodies).toHaveLength(bodies);
  });

  test('a cluster that is absent is deleted, and the names that only it referenced are unsubscribed', async () => {
    const story = await startOnShop();
    server.removeResource('*', CDS.typeUrl, 'cart');
    await until(() =>
      expect(story.statuses()).toEqual({
        'Listener shop': 'ACKED',
        'RouteConfiguration shop-routes': 'ACKED',
      }),
    );
    const last = story.of('request-sent').at(-1);
    expect(last).toMatchObject({ typeUrl: EDS.typeUrl, resourceNames: [] });
    expect(last?.removed).toEqual([{ typeUrl: EDS.typeUrl, name: 'cart-endpoints' }]);
  });

  describe('with listeners by name', () => {
    const named = (...listeners: string[]) => ({
      settings: { interest: { wildcard: false, listeners, resources: new Map() } },
    });

    test('requests the listener and everything that it references, and nothing else', async () => {
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

    test('a name that is not received within 15 s of its request does not exist', async () => {
      // 1. One listener exists, the other does not.
      server.setResources('*', shop);
      const story = start(named('shop', 'nobody'));
      await story.nth('ack-sent', 4);
      // 2. After 14.9 s it is still REQUESTED.
      clock.advance(14_900);
      expect(story.statuses()).toMatchObject({ 'Listener nobody': 'REQUESTED' });
      // 3. After 15 s it does not exist. The others are unchanged.
      clock.advance(100);
      const expired = await story.nth('timer-expired', 1);
      expect(expired.changed.map(({ name, clientStatus }) => [name, clientStatus])).toEqual([
        ['nobody', 'DOES_NOT_EXIST'],
      ]);
      // 4. It is sent later.
      server.setResource('*', resourceOf('nobody', listenerOf('nobody')));
      await until(() => expect(story.statuses()).toMatchObject({ 'Listener nobody': 'ACKED' }));
    });

    test('the timer stops with the stream and starts again with the next', async () => {
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

    test('resources that were not requested are ignored, not rejected', async () => {
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

  describe('a stream', () => {
    test('that ends after a response is no failure, and the next one has its versions, but no nonces', async () => {
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
      // 3. The next stream requests the same, with the accepted versions and no nonce.
      clock.advance(1_000);
      await until(() => expect(story.of('request-sent')).toHaveLength(before + 4));
      for (const { typeUrl, versionInfo, responseNonce } of story.of('request-sent').slice(before)) {
        expect([versionInfo, responseNonce]).toEqual([versions.get(typeUrl), '']);
      }
      expect(story.of('source-down')).toEqual([]);
    });

    test('that ends before any response is reported as a failure and opened again with back-off', async () => {
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
      server.setSilent(false);
      server.setResources('*', shop);
      await story.nth('source-up', 1);
      expect(story.probe.status).toMatchObject({ state: 'up', problem: null });
    });
  });

  test('repeated NACKs of the same response are delayed', async () => {
    const story = await startOnShop(likeGo);
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

  test('an exception while reading a response ends the stream and is reported', async () => {
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
    test('a paused probe has no stream and no timers, and a resumed one has its versions', async () => {
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

    test('repeated pause and resume without a wait leave one stream', async () => {
      const story = await startOnShop();
      story.probe.pause();
      story.probe.resume();
      story.probe.pause();
      story.probe.resume();
      await story.nth('stream-opened', 2);
      await until(() => expect(server.connectedNodes()).toEqual([probeNodeId]));
    });

    test('a closed probe has no stream and no timers, and reports nothing', async () => {
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
