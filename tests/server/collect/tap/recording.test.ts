import { describe, expect, it } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation } from '@/lib/observation/observation';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { clientIdOf, identifyClient } from '@/server/client-id';
import { grpcFrame } from '@/tests/support/builders/grpc-frame';
import { type AnyMessage, endpointsOf, packed } from '@/tests/support/builders/xds-wire';
import { deltaAds, type Fields, RecordingStory as Story } from '@/tests/support/recording-story';

function cluster(name: string, timeout = 1): AnyMessage {
  return packed(CDS.typeUrl, { name, connectTimeout: { seconds: timeout } });
}

const changedBoth = [cluster('a', 2), cluster('b', 2)];

/** "name STATUS" of all resources. */
function rowsOf(world: World): string[] {
  return [...world.values()]
    .flatMap(({ reports }) => [...reports.values()].flatMap(({ resources }) => [...resources.values()]))
    .map(({ name, clientStatus }) => `${name} ${clientStatus}`);
}

/** Clusters a and b are accepted at version 1. */
function withTwoClusters(userAgentName = 'gRPC Go'): Story {
  const story = new Story();
  story.open();
  story.request({ resourceNames: ['a', 'b'], node: { id: 'c', userAgentName } });
  story.response('1', [cluster('a'), cluster('b')]);
  story.ack('1');
  story.take();
  return story;
}

describe('a recorded stream, state of the world', () => {
  it('reports stream, request, response and ACK, with durations of the clock of the proxy', () => {
    const story = new Story();
    story.open();
    story.request({ resourceNames: ['a'] });
    story.response('1', [cluster('a')]);
    story.ack('1', { resourceNames: ['a'] });
    expect(story.take()).toMatchObject([
      { kind: 'stream-opened', cacheEmpty: true, peer: '127.0.0.1:9', vantage: 'tap' },
      { kind: 'request-sent', changed: [{ name: 'a', clientStatus: 'REQUESTED' }] },
      { kind: 'response-received', tookMs: 10, resources: [{ name: 'a' }] },
      { kind: 'ack-sent', tookMs: 10, changed: [{ name: 'a', clientStatus: 'ACKED' }] },
    ]);
  });

  it('reports an ACK that changes the subscription as one observation', () => {
    const story = new Story();
    story.open();
    story.request({ resourceNames: ['a'] });
    story.response('1', [cluster('a')]);
    story.take();
    story.ack('1');
    expect(story.take()).toMatchObject([
      {
        kind: 'ack-sent',
        resourceNames: ['a', 'b'],
        changed: [
          { name: 'a', clientStatus: 'ACKED' },
          { name: 'b', clientStatus: 'REQUESTED' },
        ],
      },
    ]);
    // The same names in another order are not reported.
    story.response('2', [cluster('a')]);
    story.take();
    story.ack('2', { resourceNames: ['b', 'a'] });
    const reported = story.take();
    expect(reported.map(({ kind }) => kind)).toEqual(['ack-sent']);
    expect(reported[0]).not.toHaveProperty('resourceNames');
  });

  describe('a request that repeats the last one', () => {
    const routes = ['a', 'b'].map((name) => packed(RDS.typeUrl, { name }));
    const ofRoutes = { typeUrl: RDS.typeUrl, resourceNames: ['a', 'b'] };

    /** Two route configurations are accepted at version 1. */
    function withRoutes(userAgentName: string): Story {
      const story = new Story();
      story.open();
      story.request({ ...ofRoutes, node: { id: 'c', userAgentName } });
      story.response('1', routes, { typeUrl: RDS.typeUrl });
      story.ack('1', ofRoutes);
      story.take();
      return story;
    }

    it('of gRPC-Java is for resources that it has dropped without a request', () => {
      const story = withRoutes('gRPC Java');
      story.ack('1', ofRoutes);
      expect(story.rows()).toEqual(['a REQUESTED ', 'b REQUESTED ']);
      story.response('2', routes, { typeUrl: RDS.typeUrl });
      story.ack('2', ofRoutes);
      expect(story.rows()).toEqual(['a ACKED 2', 'b ACKED 2']);
    });

    it('of other clients changes nothing', () => {
      const story = withRoutes('gRPC Go');
      story.ack('1', ofRoutes);
      expect(story.rows()).toEqual([]);
    });

    it('is not an answer to a response that was not recorded', () => {
      const story = withRoutes('gRPC Java');
      story.ack('2', ofRoutes);
      expect(story.rows()).toEqual([]);
    });
  });

  it('deletes clusters that are absent from a response, but not endpoints', () => {
    const story = withTwoClusters();
    story.response('2', [cluster('a')]);
    story.ack('2');
    expect(story.rows()).toEqual(['b UNKNOWN 1']);
    const eds = { typeUrl: EDS.typeUrl };
    const names = { ...eds, resourceNames: ['x', 'y'] };
    story.request(names);
    story.response('1', [endpointsOf('x'), endpointsOf('y')], eds);
    story.ack('1', names);
    story.take();
    story.response('2', [endpointsOf('x')], eds);
    story.ack('2', names);
    const [answered, accepted] = story.take();
    expect(answered).toMatchObject({ names: ['x'], unchangedResources: 1, resources: [] });
    expect(accepted).toMatchObject({
      kind: 'ack-sent',
      changed: [{ name: 'x', versionInfo: '2' }],
      removed: [],
    });
  });

  it('keeps the rejected resources unchanged and accepts the others of the response (gRFC A46)', () => {
    const story = withTwoClusters();
    story.response('2', changedBoth);
    story.take();
    story.nack('error parsing "ClusterResource" response: resource "a": no');
    const [nack, ...more] = story.take();
    expect(more).toEqual([]);
    const reported = { rejectedVersion: '2', versionInfo: '1', errorCode: 3, tookMs: 10 };
    expect(nack).toMatchObject({ kind: 'nack-sent', ...reported });
    const changed = nack !== undefined && 'changed' in nack ? nack.changed : [];
    expect(changed.map((row) => `${row.name} ${row.clientStatus} ${row.versionInfo}`)).toEqual([
      'a NACKED 1',
      'b ACKED 2',
    ]);
    expect(changed[0]?.errorState).toMatchObject({ versionInfo: '2', failedHash: expect.any(String) });
    expect(changed[0]?.hash).not.toBe(changed[0]?.errorState?.failedHash);
  });

  it('attributes a NACK that is repeated with a changed subscription to the rejected response', () => {
    const story = withTwoClusters();
    story.response('2', changedBoth);
    const message = 'xDS response validation errors: [resource index 0: no]';
    story.nack(message);
    story.take();
    story.nack(message, { resourceNames: ['a', 'b', 'c'] });
    const [again, ...more] = story.take();
    expect(again).toMatchObject({
      kind: 'nack-sent',
      rejectedVersion: '2',
      resourceNames: ['a', 'b', 'c'],
      changed: [
        { name: 'a', clientStatus: 'NACKED', errorState: { versionInfo: '2' } },
        { name: 'c', clientStatus: 'REQUESTED' },
      ],
    });
    // The repeated NACK answers no response.
    expect(again).not.toHaveProperty('tookMs');
    expect(more).toEqual([]);
  });

  it('reports UNKNOWN if the NACK of a gRPC client names no resource', () => {
    const story = withTwoClusters();
    story.response('2', changedBoth);
    story.nack('something is wrong');
    expect(story.rows()).toEqual(['a UNKNOWN 1', 'b UNKNOWN 1']);
  });

  it('identifies a NACK by its error, whatever its nonce', () => {
    const story = withTwoClusters();
    story.nack('no', { responseNonce: 'unknown' });
    expect(story.take()).toMatchObject([{ kind: 'nack-sent', rejectedVersion: '', changed: [] }]);
  });

  it('masks the private key that Envoy quotes in an error', () => {
    const story = withTwoClusters();
    const key = `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(64)}\n-----END PRIVATE KEY-----`;
    story.response('2', [cluster('a', 2)]);
    story.nack(`Proto constraint validation failed: ${key}`);
    expect(JSON.stringify(story.take())).not.toContain('AAAAAAAA');
  });

  it('removes all rows when a client reconnects without a version', () => {
    const story = withTwoClusters();
    story.close();
    story.open('t');
    story.request({ resourceNames: ['a'] }, 't');
    const reported = story.take();
    expect(reported.find(({ kind }) => kind === 'stream-opened')).toMatchObject({ cacheEmpty: true });
    expect(story.rows()).toEqual([]);
    expect(reported.find(({ kind }) => kind === 'request-sent')).toMatchObject({
      changed: [{ name: 'a', clientStatus: 'REQUESTED' }],
      removed: [],
    });
  });

  it('removes the rows of types that a restarted client does not request again', () => {
    const story = new Story();
    story.open();
    for (const [typeUrl, resources] of [
      [CDS.typeUrl, [cluster('a')]],
      [EDS.typeUrl, [endpointsOf('a')]],
    ] as const) {
      story.request({ typeUrl, resourceNames: ['a'] });
      story.response('1', resources, { typeUrl });
      story.ack('1', { typeUrl, resourceNames: ['a'] });
    }
    story.close();
    story.open('t');
    story.request({ resourceNames: ['b'] }, 't');
    const world: World = new Map();
    for (const [index, each] of story.take().entries()) foldObservation(world, { ...each, seq: index + 1 });
    expect(rowsOf(world)).toEqual(['b REQUESTED']);
  });

  it('keeps all rows when a client reconnects with its version', () => {
    const story = withTwoClusters();
    story.close();
    story.take();
    story.open('t');
    story.request({ resourceNames: ['a', 'b'], versionInfo: '1' }, 't');
    expect(story.rows()).toEqual([]);
  });

  it('counts a client as open until its last stream is closed', () => {
    const story = withTwoClusters();
    story.open('t');
    story.request({ typeUrl: LDS.typeUrl }, 't');
    story.take();
    story.close();
    story.close('t');
    const [first, last] = story.take();
    expect(first).toMatchObject({ kind: 'stream-closed', othersOpen: 1 });
    expect(last).not.toHaveProperty('othersOpen');
  });

  it('reads an empty list as the wildcard until a name was sent', () => {
    const story = new Story();
    story.open();
    story.request({});
    story.response('1', [cluster('a')]);
    story.ack('1', { resourceNames: [] });
    expect(story.rows()).toEqual(['a ACKED 1']);
    story.request({ typeUrl: RDS.typeUrl });
    expect(story.rows()).toEqual([]);
  });

  describe('of which messages were not recorded', () => {
    const missed = { messages: 3, bytes: 100, from: 1, reason: 'recording could not keep up' };
    const miss = (story: Story) => story.event({ kind: 'gap', streamId: 's', at: 2, ...missed });

    it('states that each resource may have changed, and reads a request as no ACK', () => {
      const story = withTwoClusters();
      story.response('2', changedBoth);
      story.data('down', Buffer.from([0, 0, 0]));
      story.take();
      miss(story);
      expect(story.take()).toMatchObject([
        { kind: 'copies-dropped', ...missed },
        {
          kind: 'cache-changed',
          changed: ['a', 'b'].map((name) => ({ name, clientStatus: 'UNKNOWN', doubt: 'not-recorded' })),
        },
      ]);
      story.ack('2');
      expect(story.take()).toMatchObject([{ kind: 'request-sent', removed: [] }]);
    });

    it('states it of resources of two types with one name', () => {
      const story = withTwoClusters();
      const eds = { typeUrl: EDS.typeUrl, resourceNames: ['a'] };
      story.request(eds);
      story.response('1', [endpointsOf('a')], { typeUrl: EDS.typeUrl });
      story.ack('1', eds);
      story.take();
      miss(story);
      expect(story.rows()).toEqual(['a UNKNOWN 1', 'b UNKNOWN 1', 'a UNKNOWN 1']);
    });

    it('states what the next answer shows', () => {
      const story = withTwoClusters();
      story.response('2', changedBoth);
      story.nack('cluster a: no');
      expect(story.rows()).toContain('a NACKED 1');
      miss(story);
      expect(story.rows()).toEqual(['a UNKNOWN 1', 'b UNKNOWN 2']);
      story.response('4', [cluster('a', 3), cluster('b', 2)]);
      story.ack('4');
      expect(story.rows()).toEqual(['a ACKED 4', 'b ACKED 4']);
    });

    it.each(['gRPC Go', 'gRPC Java'])(
      'knows of a request of %s only which resources are new: the others may have been dropped, and requested again',
      (userAgentName) => {
        const story = withTwoClusters(userAgentName);
        miss(story);
        expect(story.rows()).toEqual(['a UNKNOWN 1', 'b UNKNOWN 1']);
        // A missed request may have named b alone, and the client then has a no longer.
        story.ack('1', { resourceNames: ['a', 'b'] });
        expect(story.rows()).toEqual([]);
        story.ack('1', { resourceNames: ['a', 'b', 'new'] });
        expect(story.rows()).toEqual(['new REQUESTED ']);
        // The answer to a response that was missed.
        story.ack('2', { resourceNames: ['a', 'b', 'new'] });
        expect(story.rows()).toEqual(['new UNKNOWN ']);
      },
    );

    it('keeps a rejection that comes again, and with it what was accepted before, by its version', () => {
      const nackAfter = (accepted: string): Observation[] => {
        const story = withTwoClusters();
        story.response('2', changedBoth);
        story.nack('cluster a: no');
        miss(story);
        story.take();
        story.response('3', [cluster('a', 2), cluster('b')], { nonce: 'n3' });
        story.take();
        story.ack(accepted, { responseNonce: 'n3', errorDetail: { code: 3, message: 'cluster a: no' } });
        return story.take();
      };
      const rejected = { name: 'a', clientStatus: 'NACKED', errorState: { details: 'cluster a: no' } };
      expect(nackAfter('1')).toMatchObject([{ changed: [rejected, { name: 'b', clientStatus: 'ACKED' }] }]);
      expect(nackAfter('1')[0]).not.toHaveProperty(['changed', '0', 'doubt']);
      expect(nackAfter('7')).toMatchObject([{ changed: [{ ...rejected, doubt: 'not-recorded' }, {}] }]);
    });

    it('does not know what the client has accepted of a type that it requested meanwhile', () => {
      const story = withTwoClusters();
      miss(story);
      story.take();
      story.request({ typeUrl: RDS.typeUrl, resourceNames: ['new'] });
      expect(story.rows()).toEqual(['new REQUESTED ']);
      const endpoints = { typeUrl: EDS.typeUrl, resourceNames: ['a'] };
      story.request({ ...endpoints, versionInfo: '7', responseNonce: 'missed' });
      expect(story.rows()).toEqual(['a UNKNOWN ']);
    });

    it('does not know what a rejected resource had before if a missed message has requested it', () => {
      const nackAfter = (accepted: string): Observation[] => {
        const story = withTwoClusters();
        miss(story);
        story.response('3', [cluster('a'), cluster('b'), cluster('new')], { nonce: 'n3' });
        story.take();
        const errorDetail = { code: 3, message: 'cluster new: no' };
        story.ack(accepted, { resourceNames: ['a', 'b', 'new'], responseNonce: 'n3', errorDetail });
        return story.take();
      };
      const rejected = { name: 'new', clientStatus: 'NACKED', hash: null };
      expect(nackAfter('2')).toMatchObject([{ changed: [{ ...rejected, doubt: 'not-recorded' }, {}, {}] }]);
      // It has accepted no version, and so nothing.
      expect(nackAfter('')[0]).toMatchObject({ changed: [rejected, {}, {}] });
      expect(nackAfter('')[0]).not.toHaveProperty(['changed', '0', 'doubt']);
    });

    it('compares them with the versions that the client sends with the next delta stream', () => {
      const story = new Story();
      story.open('s', deltaAds);
      story.deltaRequest({ resourceNamesSubscribe: ['a', 'b'] });
      const resources = ['a', 'b'].map((name) => ({ name, version: '7', resource: cluster(name) }));
      story.deltaResponse({ nonce: 'n1', resources });
      story.deltaRequest({ responseNonce: 'n1' });
      miss(story);
      story.close();
      story.take();
      story.open('s', deltaAds);
      const initialResourceVersions = { a: '7', b: '9' };
      story.deltaRequest({ resourceNamesSubscribe: ['a', 'b'], initialResourceVersions });
      expect(story.rows()).toEqual(['a ACKED 7', 'b UNKNOWN 9']);
    });
  });

  it('identifies its client by the first request, and reads later ones without their node', () => {
    const story = new Story();
    story.open();
    const node = { id: 'c', userAgentName: 'envoy', metadata: { fields: { a: { stringValue: 'x' } } } };
    story.request({ node });
    story.response('1', [cluster('a')]);
    story.ack('1', { node: { ...node, id: 'another' }, resourceNames: [] });
    expect(story.take().map((each) => ('clientId' in each ? each.clientId : ''))).toEqual(
      Array.from({ length: 4 }, () => clientIdOf('c', '')),
    );
  });
});

describe('streams of the targets of one process (gRFC A71)', () => {
  const node = { id: 'c', userAgentName: 'gRPC Go', userAgentVersion: '1.85.0' };
  const clusters = (...names: string[]) =>
    names.map((name) => packed('envoy.config.cluster.v3.Cluster', { name }));
  const idOf = (scope: string) => identifyClient({ id: 'c', metadata: {} }, scope);

  /** A stream that requests the listener and the cluster of its target, in this order of the types. */
  function openTarget(story: Story, target: string, order = [LDS, CDS], versionInfo = ''): void {
    story.open(target);
    for (const { typeUrl } of order)
      story.request({ node, typeUrl, resourceNames: [target], versionInfo }, target);
  }

  function answer(story: Story, target: string, version: string, resources: readonly AnyMessage[]): void {
    story.response(version, resources, {}, target);
    story.request(
      { node, versionInfo: version, responseNonce: `n${version}`, resourceNames: [target] },
      target,
    );
  }

  function held(story: Story, scope: string): string[] {
    const world: World = new Map();
    story.emissions.forEach(({ observation }, seq) => {
      foldObservation(world, { ...observation, seq });
    });
    const report = world.get(idOf(scope))?.reports.get('tap:test');
    const rows = [...(report?.resources.values() ?? [])].filter(({ typeUrl }) => typeUrl === CDS.typeUrl);
    return [
      ...rows.map(({ name, clientStatus }) => `${name} ${clientStatus}`),
      ...(report?.goneAt ? ['gone'] : []),
    ];
  }

  it('are clients of their own, of which none deletes resources of another', () => {
    const story = new Story();
    openTarget(story, 'cart');
    openTarget(story, 'orders');
    answer(story, 'cart', '1', clusters('cart'));
    answer(story, 'orders', '2', clusters('orders'));
    answer(story, 'cart', '3', []);
    expect([held(story, 'cart'), held(story, 'orders')]).toEqual([['cart UNKNOWN'], ['orders ACKED']]);
    story.close('cart');
    expect([held(story, 'cart'), held(story, 'orders')]).toEqual([
      ['cart UNKNOWN', 'gone'],
      ['orders ACKED'],
    ]);
  });

  it('continue on another stream, which may request its listener last, after a first response', () => {
    const story = new Story();
    openTarget(story, 'cart');
    answer(story, 'cart', '1', clusters('cart'));
    story.close('cart');
    story.open('again');
    story.request({ node, resourceNames: ['cart'], versionInfo: '1' }, 'again');
    story.response('1', clusters('cart'), {}, 'again');
    story.checkAnswers(400);
    expect(held(story, 'cart')).toEqual(['cart ACKED', 'gone']);
    story.request({ node, typeUrl: LDS.typeUrl, resourceNames: ['cart'], versionInfo: '1' }, 'again');
    expect(held(story, 'cart')).toEqual(['cart ACKED']);
    expect(new Set(story.take().flatMap((each) => ('clientId' in each ? [each.clientId] : [])))).toEqual(
      new Set([idOf('cart')]),
    );
  });

  it('are of the whole process if they request no listener for half a second, or one type only', () => {
    const story = new Story();
    openTarget(story, 'cart', [CDS]);
    story.checkAnswers(500);
    expect(held(story, '')).toEqual([]);
    story.checkAnswers(501);
    expect(held(story, '')).toEqual(['cart REQUESTED']);
    const single = new Story();
    single.open('s', `envoy.service.listener.v3.ListenerDiscoveryService/StreamListeners`);
    single.request({ node, typeUrl: LDS.typeUrl, resourceNames: ['cart'] });
    expect(single.take()[0]).toMatchObject({ kind: 'stream-opened', clientId: idOf(''), scope: '' });
  });

  it('are folded without such a user agent, and each deletes only what it has requested', () => {
    const story = new Story();
    const older = { id: 'c', userAgentName: 'any' };
    for (const name of ['cart', 'orders']) {
      story.open(name);
      story.request({ node: older, resourceNames: [name] }, name);
      story.response(name, clusters(name), {}, name);
      story.request({ versionInfo: name, responseNonce: `n${name}`, resourceNames: [name] }, name);
    }
    expect(held(story, '').sort()).toEqual(['cart ACKED', 'orders ACKED']);
  });

  it('of servers have the scope of CSDS, and those of probes a scope of their own', () => {
    const story = new Story();
    const typeUrl = LDS.typeUrl;
    story.open('server');
    story.request({ node, typeUrl, resourceNames: ['grpc/server?address=0.0.0.0:4400'] }, 'server');
    story.open('probe');
    story.request({ node: { id: 'c', userAgentName: 'xdscope' }, typeUrl }, 'probe');
    const opened = story.take().filter(({ kind }) => kind === 'stream-opened');
    expect(opened).toMatchObject([
      { clientId: idOf('#server'), scope: '#server' },
      { clientId: idOf('#probe ads'), scope: '#probe ads' },
    ]);
  });
});

describe('a response that is not answered', () => {
  /** "name STATUS unanswered version" of the rows that have changed since the last call. */
  const marksOf = (story: Story) =>
    story.take().flatMap((each) => {
      if (!('changed' in each)) return [];
      const changed = each.changed.map(
        ({ name, clientStatus, unanswered }) => `${name} ${clientStatus} ${unanswered?.versionInfo ?? '-'}`,
      );
      return [...changed, ...each.removed.map(({ name }) => `${name} removed`)];
    });

  function withWildcard(): Story {
    const story = new Story();
    story.open();
    story.request({ node: { id: 'c', userAgentName: 'envoy' } });
    story.response('1', [cluster('a'), cluster('b')]);
    story.ack('1', { resourceNames: [] });
    story.take();
    return story;
  }

  it('marks its resources after two seconds, new ones included, until it is answered', () => {
    const story = withWildcard();
    story.response('2', [cluster('a', 2), cluster('b'), cluster('new')]);
    story.take();
    story.checkAnswers(1_900);
    expect(marksOf(story)).toEqual([]);
    story.checkAnswers(2_100);
    expect(story.take()).toMatchObject([
      {
        kind: 'cache-changed',
        changed: [
          { name: 'a', clientStatus: 'UNKNOWN', versionInfo: '1', unanswered: { versionInfo: '2', at: 1 } },
          { name: 'b', clientStatus: 'UNKNOWN' },
          { name: 'new', clientStatus: 'UNKNOWN', hash: null },
        ],
      },
    ]);
    story.checkAnswers(9_000);
    expect(marksOf(story)).toEqual([]);
    story.ack('2', { resourceNames: [] });
    expect(marksOf(story)).toEqual(['a ACKED -', 'b ACKED -', 'new ACKED -']);
  });

  it('ends with the answer to a later response, which answers all before it', () => {
    const story = withWildcard();
    story.response('2', [cluster('a', 2), cluster('b'), cluster('new')]);
    story.checkAnswers(2_100);
    story.response('3', [cluster('a', 2), cluster('b')]);
    story.checkAnswers(4_000);
    story.take();
    story.ack('3', { resourceNames: [] });
    expect(marksOf(story)).toEqual(['a ACKED -', 'b ACKED -', 'new removed']);
  });

  it('restores what is not rejected by a NACK', () => {
    const story = withWildcard();
    story.response('2', [cluster('a', 2), cluster('b')]);
    story.checkAnswers(2_100);
    story.take();
    story.nack('Error adding/updating cluster(s) a: no', { resourceNames: [] });
    expect(marksOf(story)).toEqual(['a NACKED -', 'b ACKED -']);
  });

  it('is not stated any longer when the answer may have been missed', () => {
    const story = withWildcard();
    story.response('2', [cluster('a', 2), cluster('b')]);
    story.checkAnswers(2_100);
    story.take();
    story.event({ kind: 'gap', streamId: 's', at: 2, messages: 1, bytes: 1, from: 1, reason: 'r' });
    expect(marksOf(story)).toEqual(['a UNKNOWN -', 'b UNKNOWN -']);
    story.checkAnswers(4_000);
    expect(story.take()).toEqual([]);
  });

  it('is not stated any longer when the client connects again', () => {
    const story = withWildcard();
    story.response('2', [cluster('a', 2), cluster('b'), cluster('new')]);
    story.checkAnswers(2_100);
    story.close();
    story.take();
    story.open('t');
    story.request({ versionInfo: '1' }, 't');
    expect(marksOf(story)).toEqual(['a ACKED -', 'b ACKED -', 'new removed']);
  });

  it('is forgotten with its stream', () => {
    const story = withWildcard();
    story.response('2', [cluster('a', 2)]);
    story.close();
    story.take();
    story.checkAnswers(9_000);
    expect(story.take()).toEqual([]);
  });
});

describe('a recorded stream, delta', () => {
  it('matches answers by nonce, with a version for each resource', () => {
    const story = new Story();
    story.open('s', deltaAds);
    story.deltaRequest({ resourceNamesSubscribe: ['a', 'b'] });
    const resources = [
      { name: 'a', version: '7', resource: cluster('a') },
      { name: 'b', version: '8', resource: cluster('b') },
    ];
    story.deltaResponse({ systemVersionInfo: 'x', nonce: 'n1', resources });
    story.take();
    story.deltaRequest({ responseNonce: 'n1' });
    expect(story.rows()).toEqual(['a ACKED 7', 'b ACKED 8']);
    story.deltaResponse({ nonce: 'n2', removedResources: ['b'] });
    expect(story.take()).toMatchObject([{ removedNames: ['b'] }]);
    story.deltaRequest({ responseNonce: 'n2', resourceNamesUnsubscribe: ['a'] });
    const [accepted, ...more] = story.take();
    expect(accepted).toMatchObject({
      kind: 'ack-sent',
      unsubscribedNames: ['a'],
      changed: [{ name: 'b', clientStatus: 'DOES_NOT_EXIST' }],
      removed: [{ name: 'a' }],
    });
    expect(more).toEqual([]);
  });

  it('adds the resources that a client reports to hold, without bodies', () => {
    const story = new Story();
    story.open('s', deltaAds);
    const initialResourceVersions = { a: '7' };
    story.deltaRequest({ resourceNamesSubscribe: ['a', 'b'], initialResourceVersions });
    expect(story.rows()).toEqual(['a UNKNOWN 7', 'b REQUESTED ']);
  });
});

describe('recorded streams of other kinds', () => {
  it('of one type in v2 have v3 types and names, and the API version', () => {
    const story = new Story();
    story.open('s', 'envoy.api.v2.ClusterDiscoveryService/StreamClusters');
    story.request({ typeUrl: '', resourceNames: ['a'] });
    const typeUrl = 'type.googleapis.com/envoy.api.v2.Cluster';
    story.response('1', [{ ...cluster('a'), type_url: typeUrl }], { typeUrl });
    story.ack('1', { typeUrl: '', resourceNames: ['a'] });
    const [opened, , answered, accepted] = story.take();
    expect(opened).toMatchObject({ method: 'StreamClusters' });
    expect(answered).toMatchObject({ typeUrl: CDS.typeUrl, apiVersion: 'v2' });
    expect(accepted).toMatchObject({ changed: [{ typeUrl: CDS.typeUrl, name: 'a', apiVersion: 'v2' }] });
  });

  it('of load reports send the node once, and counts are exact', () => {
    const story = new Story();
    story.open('s', 'envoy.service.load_stats.v3.LoadReportingService/StreamLoadStats');
    const report = (fields: Fields): void =>
      story.message('up', 'envoy.service.load_stats.v3.LoadStatsRequest', fields);
    report({ node: { id: 'c' } });
    report({ clusterStats: [{ clusterName: 'a', totalDroppedRequests: '18446744073709551615' }] });
    const [opened, loaded] = story.take();
    expect(opened).toMatchObject({ kind: 'stream-opened', method: 'StreamLoadStats', node: { id: 'c' } });
    expect(loaded).toMatchObject({
      kind: 'load-reported',
      vantage: 'tap',
      clusters: [{ clusterName: 'a', totalDropped: '18446744073709551615' }],
    });
  });
});

describe('load reports of a gRPC client with a stream for each target', () => {
  const node = { id: 'c', userAgentName: 'gRPC Go', userAgentVersion: '1.85.0' };
  const target = (story: Story, name: string): void => {
    story.open(name);
    story.request({ node, typeUrl: LDS.typeUrl, resourceNames: [name] }, name);
  };
  const report = (story: Story): void => {
    story.open('load', 'envoy.service.load_stats.v3.LoadReportingService/StreamLoadStats');
    story.message('up', 'envoy.service.load_stats.v3.LoadStatsRequest', { node }, 'load');
  };
  const clientsOf = (story: Story) =>
    new Set(story.take().flatMap((each) => (each.kind === 'stream-opened' ? [each.clientId] : [])));

  it('are of the only target, whose other streams stay open when they end', () => {
    const story = new Story();
    target(story, 'svc-a');
    report(story);
    expect([...clientsOf(story)]).toEqual([identifyClient({ id: 'c', metadata: {} }, 'svc-a')]);
    story.close('load');
    expect(story.take()).toMatchObject([{ kind: 'stream-closed', othersOpen: 1 }]);
  });

  it('are of the process if it has several targets, or none yet', () => {
    const story = new Story();
    report(story);
    const process = identifyClient({ id: 'c', metadata: {} }, '');
    expect([...clientsOf(story)]).toEqual([process]);
    story.close('load');
    for (const name of ['svc-a', 'svc-b']) target(story, name);
    story.take();
    report(story);
    expect([...clientsOf(story)]).toEqual([process]);
  });

  it('are of the target that is still open', () => {
    const story = new Story();
    for (const name of ['svc-a', 'svc-b']) target(story, name);
    story.close('svc-b');
    story.take();
    report(story);
    expect([...clientsOf(story)]).toEqual([identifyClient({ id: 'c', metadata: {} }, 'svc-a')]);
  });
});

describe('messages of a recorded stream', () => {
  it('are noted and skipped if they are not protobuf', () => {
    const story = new Story();
    story.open();
    story.data('up', grpcFrame(Buffer.from([0xff, 0xff])));
    expect(story.notes).toHaveLength(1);
    story.request({});
    expect(story.kinds()).toEqual(['stream-opened', 'request-sent']);
  });

  it('are discarded, the largest first, if incomplete messages exceed the limit, and the gap is reported', () => {
    const story = new Story();
    const half = (bytes: number) => grpcFrame(Buffer.alloc(4000)).subarray(0, 5 + bytes);
    for (const streamId of ['a', 'b']) {
      story.open(streamId);
      story.request({ node: { id: streamId } }, streamId);
    }
    story.data('down', half(300), 'a');
    story.data('down', half(600), 'b');
    expect(story.kinds()).not.toContain('copies-dropped');
    story.data('up', half(200), 'a');
    expect(story.take()).toMatchObject([{ kind: 'copies-dropped', streamId: 'b', messages: 1, bytes: 600 }]);
    expect(story.notes).toEqual([expect.stringContaining('at most 1000 bytes of incomplete messages')]);
    // The rest of the discarded message is skipped.
    story.data('down', Buffer.alloc(3400), 'b');
    story.response('1', [], {}, 'b');
    expect(story.take()).toMatchObject([{ kind: 'response-received', streamId: 'b', nonce: 'n1' }]);
  });

  it('are all reported before the end of their tap', () => {
    const story = new Story();
    story.open();
    story.request({});
    story.close();
    story.event({ kind: 'tap-closed', tap: 1 });
    expect(story.kinds().at(-1)).toBe('stream-closed');
    expect(story.closedTaps).toEqual([1]);
  });
});
