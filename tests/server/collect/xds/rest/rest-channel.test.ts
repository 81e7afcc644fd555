import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CDS, EDS, VHDS } from '@/lib/xds/resource-type';
import { RestChannel, type RestChannelOptions } from '@/server/collect/xds/rest/rest-channel';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import type { RestFront, RestFrontOptions, ScriptedAnswer } from '@/server/lab/management-server/rest-front';
import { plainServer } from '@/server/transport/bootstrap/server-config';
import { everything, only } from '@/tests/support/builders/subscriptions';
import { clusterOf, endpointsOf } from '../../../../support/builders/xds-wire';
import { type ChannelStory, channelStory } from '../../../../support/channel-story';
import { channelNode } from '../../../../support/grpc-channel-story';
import { ManualClock } from '../../../../support/recorder-manual-clock';
import { resourceOf, targetOf, until } from '../../../../support/xds-probe-story';

const cart = resourceOf('cart', clusterOf('cart', 'cart-endpoints'));
const books = resourceOf('books', clusterOf('books'));

/** With random() = 0.5, half of refreshDelayMs is added. */
const refreshDelayMs = 1_000;
const betweenPollsMs = 1_500;

const connectTimeoutMs = 10_000;
const requestTimeoutMs = 30_000;

/** The delays of this clock show whether a poll is under way, because the timer is a time-out then. */
class PollClock extends ManualClock {
  readonly #running = new Map<symbol, number>();

  get delays(): number[] {
    return [...this.#running.values()];
  }

  override setTimeout(callback: () => void, delayMs: number): { cancel(): void } {
    const key = Symbol('timer');
    this.#running.set(key, delayMs);
    const timer = super.setTimeout(() => {
      this.#running.delete(key);
      callback();
    }, delayMs);
    return {
      cancel: () => {
        this.#running.delete(key);
        timer.cancel();
      },
    };
  }
}

describe('a REST channel at a management server', () => {
  let clock: PollClock;
  let server: ManagementServer;
  let front: RestFront;
  let target: string;
  /** The answers to the next polls. The server answers the others itself. */
  let script: (ScriptedAnswer | 'silence')[];
  let stories: ChannelStory[];

  beforeEach(async () => {
    clock = new PollClock();
    server = new ManagementServer({ clock });
    script = [];
    stories = [];
    await listen();
  });

  afterEach(async () => {
    await Promise.all(stories.map(({ channel }) => channel.stop()));
    await front.close();
    await server.close();
    expect(clock.waiting).toBe(0);
  });

  async function listen(options: Omit<RestFrontOptions, 'clock'> = {}, port = 0): Promise<void> {
    front = server.restFront({ script: () => script.shift(), ...options });
    target = await front.listen(port);
  }

  async function listenAgain(options: Omit<RestFrontOptions, 'clock'>): Promise<void> {
    await front.close();
    await listen(options);
  }

  function start(options: Partial<RestChannelOptions> = {}): ChannelStory {
    let streams = 0;
    const story = channelStory(
      (handler, codec) =>
        new RestChannel(
          {
            server: plainServer(targetOf(target)),
            apiVersion: 'v3',
            node: channelNode,
            codec,
            clock,
            random: () => 0.5,
            nextStreamId: () => `stream-${++streams}`,
            connectTimeoutMs,
            requestTimeoutMs,
            refreshDelayMs,
            maxMessageBytes: 16 * 1024 * 1024,
            ...options,
          },
          handler,
        ),
    );
    stories.push(story);
    story.channel.start();
    return story;
  }

  /** Waits until the server has received this many polls and the client waits for a timer. */
  async function polled(count: number): Promise<void> {
    await until(() => expect(front.polls).toHaveLength(count));
    await until(() => expect(clock.waiting).toBeGreaterThan(0));
  }

  /** Advances the clock until the server has received this many polls. */
  async function pollAgain(count: number, ms = betweenPollsMs): Promise<void> {
    await settled();
    clock.advance(ms);
    await until(() => expect(front.polls.length).toBeGreaterThanOrEqual(count));
    await settled();
  }

  /** Waits until no poll is under way. */
  async function settled(): Promise<void> {
    await until(() => {
      expect(clock.delays).toHaveLength(1);
      expect([connectTimeoutMs, requestTimeoutMs]).not.toContain(clock.delays[0]);
    });
  }

  test('polls with node, names and the accepted version, reports changes, and ignores 304', async () => {
    // 1. The first poll has no version.
    server.setResources('*', [cart], 'v1');
    const story = start();
    story.channel.subscribe(CDS.typeUrl, everything);
    expect((await story.nth(1)).names).toEqual(['cart']);
    expect(front.polls[0]).toMatchObject({
      path: '/v3/discovery:clusters',
      versionInfo: '',
      resourceNames: [],
      node: { id: 'channel-story', userAgentName: 'xdscope' },
      errorDetail: null,
    });
    expect(story.opened).toEqual([
      {
        streamId: 'stream-1',
        method: `POST http://${target}/v3/discovery:clusters`,
        typeUrl: CDS.typeUrl,
      },
    ]);
    expect(story.answered).toMatchObject([{ reason: 'ack', versionInfo: 'v1', typeUrl: CDS.typeUrl }]);
    // 2. Two polls are answered with 304.
    await pollAgain(2);
    await pollAgain(3);
    expect(front.polls.map(({ versionInfo }) => versionInfo)).toEqual(['', 'v1', 'v1']);
    expect(story.responses).toHaveLength(1);
    // 3. The next poll returns a change.
    server.setResources('*', [cart, books], 'v2');
    await pollAgain(4);
    expect((await story.nth(2)).names).toEqual(['cart', 'books']);
    // 4. All polls are one stream with one subscription.
    expect(story.opened).toHaveLength(1);
    expect(story.sent).toMatchObject([{ reason: 'subscription', resourceNames: [], versionInfo: '' }]);
    expect(story.closed).toEqual([]);
    expect(story.tries()).toBe(1);
  });

  test('waits refresh_delay with jitter, and sends one poll at a time for each type', async () => {
    script = ['silence', 'silence'];
    const story = start();
    story.channel.subscribe(CDS.typeUrl, everything);
    story.channel.subscribe(EDS.typeUrl, only('a'));
    await polled(2);
    expect(front.polls.map(({ typeUrl }) => typeUrl)).toEqual([CDS.typeUrl, EDS.typeUrl]);
    clock.advance(10_000);
    await until(() => expect(front.polls).toHaveLength(2));
    expect(story.tries()).toBe(2);
    await story.channel.stop();

    const next = start();
    next.channel.subscribe(CDS.typeUrl, everything);
    await next.nth(1);
    await settled();
    clock.advance(betweenPollsMs - 1);
    expect(front.polls).toHaveLength(3);
    clock.advance(1);
    await until(() => expect(front.polls).toHaveLength(4));
    await settled();
  });

  test('polls at once without the version when the names change, because a server may compare only the version', async () => {
    server.setResources('*', [resourceOf('a', endpointsOf('a')), resourceOf('b', endpointsOf('b'))], 'v1');
    const story = start();
    story.channel.subscribe(EDS.typeUrl, only('a'));
    expect((await story.nth(1)).names).toEqual(['a']);
    story.channel.subscribe(EDS.typeUrl, only('a', 'b'));
    expect((await story.nth(2)).names).toEqual(['a', 'b']);
    expect(front.polls.map(({ versionInfo, resourceNames }) => [versionInfo, resourceNames])).toEqual([
      ['', ['a']],
      ['', ['a', 'b']],
    ]);
    // With fewer names the poll carries the version.
    story.channel.subscribe(EDS.typeUrl, only('b'));
    await until(() => expect(front.polls).toHaveLength(3));
    expect(front.polls[2]).toMatchObject({ versionInfo: 'v1', resourceNames: ['b'] });
    expect(story.sent.map(({ resourceNames }) => resourceNames)).toEqual([['a'], ['a', 'b'], ['b']]);
    // The same names cause no poll.
    await settled();
    story.channel.subscribe(EDS.typeUrl, only('b'));
    expect(clock.waiting).toBe(1);
    // Without names, there is no poll, because an empty list would request all resources.
    story.channel.subscribe(EDS.typeUrl, only());
    expect(clock.waiting).toBe(0);
    expect(story.closed).toMatchObject([
      { isFailure: false, wasOpened: true, retryInMs: null, code: 'CANCELLED' },
    ]);
  });

  test('aborts the current poll when the names change', async () => {
    script = ['silence'];
    const story = start();
    story.channel.subscribe(EDS.typeUrl, only('a'));
    await polled(1);
    server.setResources('*', [resourceOf('b', endpointsOf('b'))]);
    story.channel.subscribe(EDS.typeUrl, only('b'));
    expect((await story.nth(1)).names).toEqual(['b']);
    expect(story.closed).toEqual([]);
    await settled();
  });

  test('reports a type without a REST path once per start, and never polls it', async () => {
    const story = start();
    story.channel.subscribe(VHDS.typeUrl, only('a'));
    story.channel.subscribe(VHDS.typeUrl, only('a', 'b'));
    const end = { code: 'UNIMPLEMENTED', typeUrl: VHDS.typeUrl, retryInMs: null };
    await until(() => expect(story.closed).toMatchObject([end]));
    expect(clock.waiting).toBe(0);
    expect(story.tries()).toBe(0);
    await story.channel.stop();
    story.channel.start();
    await until(() => expect(story.closed).toMatchObject([end, end]));
  });

  test('sends the old version and the reason of a rejection until a response is accepted', async () => {
    server.setResources('*', [cart], 'v1');
    const story = start();
    story.channel.subscribe(CDS.typeUrl, everything);
    await story.nth(1);
    // 1. v2 has an invalid cluster.
    script = [
      {
        status: 200,
        body: JSON.stringify({
          version_info: 'v2',
          nonce: 'n2',
          resources: [
            { '@type': CDS.typeUrl, name: 'books' },
            { '@type': CDS.typeUrl, name: 'cart', connect_timeout: 5 },
          ],
        }),
      },
    ];
    await pollAgain(2);
    const { entries } = await story.nth(2);
    const reason = `resources[1] "cart": connect_timeout: expected a duration such as "1.5s", got 5`;
    expect(entries).toMatchObject([
      { kind: 'resource', name: 'books' },
      { kind: 'problem', name: 'cart', reason },
    ]);
    expect(story.answered[1]).toMatchObject({ reason: 'nack', versionInfo: 'v1', errorDetail: reason });
    // 2. The next poll is a NACK.
    await pollAgain(3);
    expect(front.polls[2]).toMatchObject({ versionInfo: 'v1', responseNonce: 'n2', errorDetail: reason });
    // 3. v3 is valid.
    server.setResources('*', [cart, books], 'v3');
    await pollAgain(4);
    expect((await story.nth(3)).names).toEqual(['cart', 'books']);
    await pollAgain(5);
    expect(front.polls[4]).toMatchObject({ versionInfo: 'v3', errorDetail: null });
    expect(story.closed).toEqual([]);
  });

  test('ignores the same answer of a server without 304', async () => {
    const body = JSON.stringify({ versionInfo: 'v1', resources: [{ '@type': CDS.typeUrl, name: 'cart' }] });
    script = [
      { status: 200, body },
      { status: 200, body },
      { status: 200, body },
    ];
    const story = start();
    story.channel.subscribe(CDS.typeUrl, everything);
    await story.nth(1);
    await pollAgain(2);
    expect(story.responses).toHaveLength(1);
    story.channel.subscribe(CDS.typeUrl, { wildcard: true, names: new Set(['cart']) });
    expect((await story.nth(2)).names).toEqual(['cart']);
    await settled();
  });

  test('reads snake_case, and v2 on v2 paths', async () => {
    await listenAgain({ protoNames: true });
    server.setResources('*', [cart], 'v1');
    const story = start({ apiVersion: 'v2' });
    story.channel.subscribe(CDS.typeUrl, everything);
    const { names, envelope } = await story.nth(1);
    expect(front.polls[0]?.path).toBe('/v2/discovery:clusters');
    expect({ names, apiVersion: envelope.apiVersion, typeUrl: envelope.typeUrl }).toEqual({
      names: ['cart'],
      apiVersion: 'v2',
      typeUrl: CDS.typeUrl,
    });
    const bytes = envelope.resources.at(0)?.value ?? new Uint8Array(0);
    expect(Buffer.compare(bytes, cart.bytes)).toBe(0);
    await settled();
  });

  test('waits for a server that holds polls until something changes', async () => {
    await listenAgain({ longPollMs: 20_000 });
    server.setResources('*', [cart], 'v1');
    const story = start();
    story.channel.subscribe(CDS.typeUrl, everything);
    await story.nth(1);
    clock.advance(betweenPollsMs);
    await until(() => expect(front.polls).toHaveLength(2));
    clock.advance(5_000);
    server.setResources('*', [books], 'v2');
    expect((await story.nth(2)).names).toEqual(['books']);
    expect(story.closed).toEqual([]);
    await settled();
  });

  test('an answer after the time limit is a failure, and polls continue with back-off', async () => {
    script = ['silence'];
    server.setResources('*', [cart], 'v1');
    const story = start({ requestTimeoutMs: 3_000 });
    story.channel.subscribe(CDS.typeUrl, everything);
    await polled(1);
    clock.advance(3_000);
    const end = await story.nthClosed(1);
    expect(end).toMatchObject({
      code: 'DEADLINE_EXCEEDED',
      wasOpened: false,
      hadResponse: false,
      isFailure: true,
    });
    expect(await end.explain()).toEqual({
      code: 'DEADLINE_EXCEEDED',
      message: `${target}: expected an answer to POST /v3/discovery:clusters within 3 s, got none`,
      hint: '',
    });
    clock.advance(end.retryInMs ?? 0);
    expect((await story.nth(1)).names).toEqual(['cart']);
    await settled();
  });

  test('a failing server is polled with increasing back-off, and normally after it recovers', async () => {
    server.setResources('*', [cart], 'v1');
    const story = start();
    story.channel.subscribe(CDS.typeUrl, everything);
    await story.nth(1);
    // 1. Three polls fail.
    script = Array.from({ length: 3 }, () => ({
      status: 500,
      headers: { 'content-type': 'text/plain' },
      body: 'the store is on fire',
    }));
    await pollAgain(2);
    const first = await story.nthClosed(1);
    expect(first).toMatchObject({ code: 'UNKNOWN', wasOpened: true, hadResponse: true, isFailure: true });
    expect((await first.explain())?.message).toBe(
      `${target}: expected a DiscoveryResponse in JSON to POST /v3/discovery:clusters, got status 500, content type "text/plain": the store is on fire`,
    );
    await pollAgain(3, first.retryInMs ?? 0);
    const second = await story.nthClosed(2);
    expect(second).toMatchObject({ wasOpened: false });
    await pollAgain(4, second.retryInMs ?? 0);
    const third = await story.nthClosed(3);
    const waits = [first, second, third].map(({ retryInMs }) => Math.round(retryInMs ?? 0));
    expect(waits).toEqual([1000, 1600, 2560]);
    // 2. A changed subscription does not shorten the back-off.
    story.channel.subscribe(CDS.typeUrl, { wildcard: true, names: new Set(['cart']) });
    expect(clock.waiting).toBe(1);
    // 3. After the recovery there is a new stream.
    server.setResources('*', [cart, books], 'v2');
    await pollAgain(5, third.retryInMs ?? 0);
    expect((await story.nth(2)).names).toEqual(['cart', 'books']);
    expect(story.opened.map(({ streamId }) => streamId)).toHaveLength(2);
    // 4. The back-off restarts at one second.
    script = [{ status: 503 }];
    await pollAgain(6);
    expect(await story.nthClosed(4)).toMatchObject({ code: 'UNAVAILABLE', retryInMs: 1000 });
  });

  test('a server that restarts is polled again', async () => {
    server.setResources('*', [cart], 'v1');
    const story = start();
    story.channel.subscribe(CDS.typeUrl, everything);
    await story.nth(1);
    await settled();
    await front.close();
    clock.advance(betweenPollsMs);
    const end = await story.nthClosed(1);
    expect((await end.explain())?.message).toBe(`${target}: connection refused, nothing listens there`);
    await settled();
    server.setResources('*', [books], 'v2');
    await listen({}, Number(target.split(':')[1]));
    clock.advance(end.retryInMs ?? 0);
    expect((await story.nth(2)).names).toEqual(['books']);
    expect(front.polls[0]).toMatchObject({ versionInfo: 'v1', node: { id: 'channel-story' } });
    await settled();
  });

  test.each<[string, ScriptedAnswer, string, string]>([
    [
      'incomplete JSON',
      { status: 200, body: '{"versionInfo": "1"' },
      'INTERNAL',
      'expected a DiscoveryResponse as JSON, got 19 bytes: no JSON: it stops at position 19',
    ],
    [
      'a web page',
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<html><body>Sign in</body></html>' },
      'INTERNAL',
      'got status 200, content type "text/html", "<html><body>Sign in</body></html>" at its beginning',
    ],
    ['an empty answer', { status: 200 }, 'INTERNAL', 'got status 200'],
    [
      'another type',
      { status: 200, body: '{"versionInfo": {}}' },
      'INTERNAL',
      'versionInfo: expected text, got {}',
    ],
    [
      'a redirect',
      { status: 302, headers: { location: 'http://elsewhere.example/?token=hunter2' } },
      'UNKNOWN',
      'got status 302, a redirect, which is not followed',
    ],
    [
      'a compressed answer',
      { status: 200, headers: { 'content-encoding': 'gzip' }, body: Buffer.from([0x1f, 0x8b, 8]) },
      'INTERNAL',
      'content encoding "gzip"',
    ],
    [
      'a rejection',
      { status: 401, body: 'token "hunter2" is unknown' },
      'UNAUTHENTICATED',
      'got status 401: token "[redacted]" is unknown',
    ],
  ])('%s is a failure that describes the answer without secrets', async (_, answer, code, message) => {
    script = [answer];
    const story = start();
    story.channel.subscribe(CDS.typeUrl, everything);
    const end = await story.nthClosed(1);
    const problem = await end.explain();
    expect({ code: end.code, isFailure: end.isFailure }).toEqual({ code, isFailure: true });
    expect(problem?.message).toContain(message);
    expect(JSON.stringify(problem)).not.toContain('hunter2');
    clock.advance(end.retryInMs ?? 0);
    await story.nth(1);
    await settled();
  });

  test('JSON is accepted with any content type, because go-control-plane sends text/plain', async () => {
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    script = [{ status: 200, headers, body: `{"resources":[{"@type":"${CDS.typeUrl}","name":"cart"}]}` }];
    const story = start();
    story.channel.subscribe(CDS.typeUrl, everything);
    expect((await story.nth(1)).names).toEqual(['cart']);
    await settled();
  });

  test.each([
    ['that sends its length', true, '17 MiB'],
    ['without a length', false, 'more (cancelled after 16 MiB)'],
  ])('a body above the limit, of a server %s, is aborted', async (_, reports, actual) => {
    const body = Buffer.alloc(17 * 1024 * 1024, ' ');
    let sent = 0;
    const huge = createServer((_request, response) => {
      if (reports) response.setHeader('content-length', body.length);
      response.on('error', () => {});
      const write = (): void => {
        while (sent < body.length) {
          const chunk = body.subarray(sent, sent + 65_536);
          sent += chunk.length;
          if (!response.write(chunk)) return;
        }
        response.end();
      };
      response.on('drain', write);
      write();
    });
    target = await listenTcp(huge);
    const story = start();
    story.channel.subscribe(CDS.typeUrl, everything);
    const end = await story.nthClosed(1);
    expect(end).toMatchObject({ code: 'RESOURCE_EXHAUSTED', isFailure: true });
    expect((await end.explain())?.message).toBe(
      `${target}: expected an answer of at most 16 MiB to POST /v3/discovery:clusters, got ${actual}`,
    );
    await story.channel.stop();
    huge.closeAllConnections();
    huge.close();
  });

  test.each<[string, (bytes: Buffer) => Buffer, string]>([
    ['a TLS server', () => Buffer.from([0x15, 3, 1, 0, 2, 2, 80]), 'got a server that requires TLS'],
    ['a gRPC server', () => Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]), 'got an HTTP/2 server (gRPC?)'],
    ['an SSH server', () => Buffer.from('SSH-2.0-x\r\n'), 'got bytes that begin with "SSH-2.0-x'],
  ])('identifies %s', async (_, answer, message) => {
    const peer = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (bytes) => socket.end(answer(bytes)));
    });
    target = await listenTcp(peer);
    const story = start();
    story.channel.subscribe(CDS.typeUrl, everything);
    const end = await story.nthClosed(1);
    expect((await end.explain())?.message).toContain(message);
    await story.channel.stop();
    peer.close();
  });

  test('a resource of an unknown type is rejected, and the others are accepted', async () => {
    const resources = [
      { '@type': 'type.googleapis.com/acme.Strange', name: 'strange' },
      { '@type': CDS.typeUrl, name: 'cart', newest_field: true },
    ];
    script = [{ status: 200, body: JSON.stringify({ resources }) }];
    const story = start();
    story.channel.subscribe(CDS.typeUrl, everything);
    expect((await story.nth(1)).entries).toMatchObject([
      { kind: 'problem', name: 'strange' },
      { kind: 'resource', name: 'cart' },
    ]);
    await settled();
  });

  test('stops during a poll, and starts again with the accepted version', async () => {
    server.setResources('*', [cart], 'v1');
    const story = start();
    story.channel.subscribe(CDS.typeUrl, everything);
    await story.nth(1);
    await settled();
    script = ['silence'];
    clock.advance(betweenPollsMs);
    await until(() => expect(front.polls).toHaveLength(2));
    await story.channel.stop();
    expect(clock.waiting).toBe(0);
    expect(story.closed).toMatchObject([{ isFailure: false, retryInMs: null, code: 'CANCELLED' }]);
    story.channel.start();
    // A 304 to the first poll is followed by a poll without a version.
    expect((await story.nth(2)).names).toEqual(['cart']);
    expect(front.polls.slice(2).map(({ versionInfo }) => versionInfo)).toEqual(['v1', '']);
    await settled();
    expect(story.opened).toHaveLength(2);
    await pollAgain(5);
    expect(front.polls[4]?.versionInfo).toBe('v1');
  });
});

function listenTcp(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}
