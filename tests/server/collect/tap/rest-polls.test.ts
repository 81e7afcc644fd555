import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Observation } from '@/lib/observation/observation';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { createCodec } from '@/server/codec/codec';
import { CopyQueue } from '@/server/collect/tap/proxy/copy-queue';
import type { TapListenerOptions } from '@/server/collect/tap/proxy/tap-listener';
import { Recording } from '@/server/collect/tap/recording/recording';
import { type RelayUnderTest, startRelay } from '@/tests/support/relay-story';
import { waitUntil } from '@/tests/support/wait-until';

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

const node = { id: 'edge-1', cluster: 'edge', user_agent_name: 'envoy', extensions: [{ name: 'x' }] };
const clusterJson = (name: string, timeout = '1s') => ({
  '@type': CDS.typeUrl,
  name,
  connect_timeout: timeout,
});
const endpointsJson = (cluster: string) => ({ '@type': EDS.typeUrl, cluster_name: cluster });

/** Returns an answer in snake case, as go-control-plane and other servers write it. */
const snake = (version: string, resources: readonly object[], type = CDS.typeUrl): Answer => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ version_info: version, type_url: type, resources }),
});
const camel = (version: string, resources: readonly object[]): Answer => ({
  body: JSON.stringify({ versionInfo: version, typeUrl: CDS.typeUrl, resources }),
});

class Story {
  readonly observations: Observation[] = [];
  readonly notes: string[] = [];
  next: Answer = {};
  readonly received: string[] = [];
  readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #relay: RelayUnderTest | undefined;
  #recorded = 0;
  readonly #recording = new Recording({
    codec: createCodec({ redactionKey: new Uint8Array(32) }),
    onEmission: (_tap, { observation }) => this.observations.push(observation),
    onNote: (_tap, note) => this.notes.push(note),
    onTapClosed: () => undefined,
  });

  async start(options: Partial<TapListenerOptions> = {}): Promise<this> {
    this.#recording.addTap(1, 'tap:test');
    const server = createServer((asked, response) => void this.#answer(asked, response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const relay = await startRelay(`127.0.0.1:${(server.address() as AddressInfo).port}`, options);
    this.#relay = relay;
    onTestFinished(() => void server.close());
    onTestFinished(() => relay.listener.close());
    onTestFinished(() => this.agent.destroy());
    return this;
  }

  async #answer(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of asked as AsyncIterable<Buffer>) parts.push(part);
    this.received.push(Buffer.concat(parts).toString());
    const { status = 200, headers = {}, body = '' } = this.next;
    response.writeHead(status, headers).end(body);
  }

  get relay(): RelayUnderTest {
    if (this.#relay === undefined) throw new Error('not started');
    return this.#relay;
  }

  /** Sends a poll, and returns what the client receives. */
  async poll(
    fields: object,
    answer: Answer = { status: 304 },
    { path = '/v3/discovery:clusters', agent = this.agent as Agent | false } = {},
  ): Promise<{ readonly status: number; readonly body: string }> {
    this.next = answer;
    const [host, port] = this.relay.address.split(':');
    const sent = request({ host, port, method: 'POST', path, agent });
    sent.end(JSON.stringify({ node, ...fields }));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let body = '';
    for await (const part of response) body += String(part);
    await this.#record();
    return { status: response.statusCode ?? 0, body };
  }

  /** Records the copies up to the last response. */
  async #record(): Promise<void> {
    const { batches } = this.relay;
    const kinds = () => batches.slice(this.#recorded).flatMap(({ events }) => events.map(({ kind }) => kind));
    await waitUntil('the answer is copied', () =>
      kinds().some((kind) => kind === 'poll-answered' || kind === 'polls-dropped'),
    );
    this.record();
  }

  record(): void {
    for (const batch of this.relay.batches.slice(this.#recorded)) this.#recording.record(batch);
    this.#recorded = this.relay.batches.length;
  }

  check(now: number): void {
    this.#recording.checkAnswers(now);
  }

  take(): Observation[] {
    return this.observations.splice(0);
  }

  /** "name STATUS version" of the changed rows. */
  rows(): string[] {
    return this.take().flatMap((each) =>
      'changed' in each
        ? each.changed.map((row) => `${row.name} ${row.clientStatus} ${row.versionInfo}`)
        : [],
    );
  }
}

describe('polls of REST through a tap', () => {
  it('are the stream of a client: subscription, response, and ACK by the version of the next poll', async () => {
    const story = await new Story().start();
    const received = await story.poll({}, snake('1', [clusterJson('a')]));
    expect(JSON.parse(received.body)).toMatchObject({ version_info: '1' });
    expect(story.take()).toMatchObject([
      {
        kind: 'stream-opened',
        method: 'POST /v3/discovery:clusters',
        node: { id: 'edge-1' },
        vantage: 'tap',
      },
      { kind: 'request-sent', typeUrl: CDS.typeUrl, versionInfo: '', resourceNames: [] },
      { kind: 'response-received', versionInfo: '1', resources: [{ name: 'a' }], tookMs: expect.any(Number) },
    ]);
    await story.poll({ version_info: '1' });
    expect(story.take()).toMatchObject([
      {
        ...{ kind: 'ack-sent', versionInfo: '1', isInferred: true },
        changed: [{ name: 'a', clientStatus: 'ACKED' }],
      },
    ]);
    // A poll and its answer that change nothing are not reported.
    await story.poll({ version_info: '1' });
    await story.poll({ version_info: '1' }, snake('1', [clusterJson('a')]));
    expect(story.take()).toEqual([]);
  });

  it('reads camelCase, compressed and chunked bodies, and connections that end with each response', async () => {
    const story = await new Story().start();
    const answer = camel('1', [clusterJson('a'), clusterJson('b')]);
    const headers = { 'content-encoding': 'gzip', connection: 'close' };
    await story.poll({ versionInfo: '' }, { body: gzipSync(answer.body ?? ''), headers }, { agent: false });
    await story.poll(
      { versionInfo: '1' },
      { status: 304, headers: { connection: 'close' } },
      { agent: false },
    );
    expect(story.rows()).toEqual(['a ACKED 1', 'b ACKED 1']);
    expect(story.observations.filter(({ kind }) => kind === 'stream-opened')).toEqual([]);
  });

  it('infers from an unchanged version that the client rejected the response, and never an ACK', async () => {
    const story = await new Story().start();
    await story.poll({}, snake('1', [clusterJson('a')]));
    await story.poll({ version_info: '1' }, snake('2', [clusterJson('a', '2s')]));
    story.take();
    const again = snake('2', [clusterJson('a', '2s')]);
    await story.poll({ version_info: '1' }, again);
    const [nack, ...more] = story.take();
    expect(nack).toMatchObject({
      kind: 'nack-sent',
      ...{ rejectedVersion: '2', versionInfo: '1', isInferred: true },
      errorDetail: expect.stringMatching(/^inferred.*still has version_info "1".*"2"$/),
      changed: [{ name: 'a', clientStatus: 'NACKED', versionInfo: '1', errorState: { versionInfo: '2' } }],
    });
    expect(more).toEqual([]);
    // The server sends it again and again, and the client rejects it.
    await story.poll({ version_info: '1' }, again);
    expect(story.take()).toEqual([]);
    // The client accepts it at last.
    await story.poll({ version_info: '2' });
    expect(story.rows()).toEqual(['a ACKED 2']);
  });

  it('restores what the client accepted once the server no longer serves the rejected version', async () => {
    const story = await new Story().start();
    await story.poll({}, snake('1', [clusterJson('a')]));
    const rejected = snake('2', [clusterJson('a', '2s'), clusterJson('new', '2s')]);
    await story.poll({ version_info: '1' }, rejected);
    await story.poll({ version_info: '1' }, rejected);
    expect(story.rows().slice(-2)).toEqual(['a UNKNOWN 1', 'new UNKNOWN ']);
    await story.poll({ version_info: '1' }, { status: 304 });
    await story.poll({ version_info: '1' }, { status: 304 });
    expect(story.take()).toMatchObject([
      {
        kind: 'cache-changed',
        changed: [{ name: 'a', clientStatus: 'ACKED', versionInfo: '1', errorState: null }],
        removed: [{ name: 'new' }],
      },
    ]);
  });

  it('uses the error_detail and the nonce of a client that sends them', async () => {
    const story = await new Story().start();
    const first = { ...JSON.parse(String(snake('1', [clusterJson('a')]).body)), nonce: 'n1' };
    await story.poll({}, { body: JSON.stringify(first) });
    const second = snake('2', [clusterJson('a', '2s')]);
    await story.poll({ version_info: '1', response_nonce: 'n1' }, second);
    story.take();
    const error_detail = { code: 3, message: 'connect_timeout is too long' };
    await story.poll({ version_info: '1', response_nonce: 'n2', error_detail }, second);
    const [nack] = story.take();
    expect(nack).toMatchObject({ kind: 'nack-sent', errorDetail: error_detail.message, errorCode: 3 });
    expect(nack).not.toHaveProperty('isInferred');
  });

  it('states UNKNOWN for each of several changed resources of a rejected response', async () => {
    const story = await new Story().start();
    await story.poll({}, snake('1', [clusterJson('a'), clusterJson('b')]));
    await story.poll({});
    expect(story.rows()).toEqual(['a UNKNOWN ', 'b UNKNOWN ']);
  });

  it('states UNKNOWN if the server does not change the version', async () => {
    const story = await new Story().start();
    await story.poll({}, snake('', [clusterJson('a')]));
    await story.poll({});
    expect(story.rows()).toEqual(['a UNKNOWN ']);
  });

  it('keeps the subscriptions of one type apart, and continues one whose names change', async () => {
    const story = await new Story().start();
    const eds = { path: '/v3/discovery:endpoints' };
    await story.poll({ resource_names: ['a'] }, snake('1', [endpointsJson('a')], EDS.typeUrl), eds);
    await story.poll({ resource_names: ['b'] }, snake('7', [endpointsJson('b')], EDS.typeUrl), eds);
    await story.poll({ resource_names: ['a'], version_info: '1' }, { status: 304 }, eds);
    await story.poll({ resource_names: ['b'], version_info: '7' }, { status: 304 }, eds);
    expect(story.observations.filter(({ kind }) => kind === 'stream-opened')).toHaveLength(2);
    expect(story.rows()).toEqual(['a REQUESTED ', 'b REQUESTED ', 'a ACKED 1', 'b ACKED 7']);
    await story.poll({ resource_names: ['a', 'c'], version_info: '1' }, { status: 304 }, eds);
    expect(story.rows()).toEqual(['c REQUESTED ']);
  });

  it('ends the stream with an error status, and opens another with the next answer', async () => {
    const story = await new Story().start();
    await story.poll({}, snake('1', [clusterJson('a')]));
    await story.poll({ version_info: '1' }, { status: 503, body: 'overloaded' });
    await story.poll({ version_info: '1' }, { status: 503, body: 'overloaded' });
    await story.poll({ version_info: '1' }, { status: 304 });
    const changes = story.take().slice(3);
    expect(changes.map(({ kind }) => kind)).toEqual([
      'ack-sent',
      'stream-closed',
      'stream-opened',
      'request-sent',
    ]);
    expect(changes[1]).toMatchObject({ code: 'UNAVAILABLE', details: 'HTTP status 503: overloaded' });
  });

  it('begins anew when the client has restarted', async () => {
    const story = await new Story().start();
    await story.poll({}, snake('1', [clusterJson('a')]));
    await story.poll({ version_info: '1' });
    story.take();
    await story.poll({}, snake('1', [clusterJson('a')]));
    const kinds = story.take().map(({ kind }) => kind);
    expect(kinds).toEqual(['stream-closed', 'stream-opened', 'request-sent', 'response-received']);
  });

  it('ends the stream of a client that polls no longer', async () => {
    const story = await new Story().start();
    await story.poll({}, snake('1', [clusterJson('a')]));
    story.check(Date.now() + 59_000);
    expect(story.take().map(({ kind }) => kind)).not.toContain('stream-closed');
    story.check(Date.now() + 120_000);
    expect(story.take()).toMatchObject([{ kind: 'stream-closed', code: 'CANCELLED' }]);
  });

  it('reports a body that cannot be read, and the client receives it all the same', async () => {
    const story = await new Story().start();
    await story.poll({}, snake('1', [clusterJson('a')]));
    story.take();
    const received = await story.poll({ version_info: '1' }, { body: '{"version_info":' });
    expect(received.body).toBe('{"version_info":');
    expect(story.take()).toMatchObject([
      { kind: 'ack-sent' },
      {
        kind: 'copies-dropped',
        messages: 1,
        reason: expect.stringContaining('expected a DiscoveryResponse'),
      },
      { kind: 'cache-changed', changed: [{ name: 'a', clientStatus: 'UNKNOWN', doubt: 'not-recorded' }] },
    ]);
    // The version shows that the client has not accepted it, and not whether it has rejected it.
    await story.poll({ version_info: '1' });
    expect(story.rows()).toEqual(['a ACKED 1']);
    await story.poll('no poll' as unknown as object);
  });

  it('limits the bodies that are recorded, and relays those above the limit', async () => {
    const story = await new Story().start({ maxPollBytes: 2_000 });
    await story.poll({}, snake('1', [clusterJson('a')]));
    story.take();
    const large = 'x'.repeat(3_000);
    const received = await story.poll({ version_info: '1' }, { body: large });
    expect(received.body).toBe(large);
    expect(story.take()).toMatchObject([
      { kind: 'ack-sent' },
      {
        kind: 'copies-dropped',
        reason: 'response: expected a body of at most 2000 bytes, got at least 3000',
      },
      { kind: 'cache-changed' },
    ]);
  });

  it('states that a connection has too many requests without a response, and relays it', async () => {
    const story = await new Story().start();
    const [host = '', port] = story.relay.address.split(':');
    const socket = connect({ host, port: Number(port) });
    onTestFinished(() => void socket.destroy());
    const body = JSON.stringify({ node });
    const poll = `POST /v3/discovery:clusters HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    socket.write(poll.repeat(101));
    await waitUntil('all requests are relayed', () => story.received.length === 101);
    const reason =
      'HTTP/1.1: expected at most 100 requests without a response, got 101; the connection is relayed unread';
    await waitUntil('the limit is stated', () => {
      story.record();
      return story.notes.includes(`not recorded: ${reason}`);
    });
    expect(story.take()).toContainEqual(expect.objectContaining({ kind: 'copies-dropped', reason }));
  });

  it('states that recording could not keep up', async () => {
    const story = await new Story().start({ queue: new CopyQueue({ maxBytes: 3_000 }) });
    await story.poll({}, snake('1', [clusterJson('a')]));
    story.take();
    const many = Array.from({ length: 100 }, (_, index) => clusterJson(`c${index}`));
    await story.poll({ version_info: '1' }, snake('2', many));
    expect(story.take()).toMatchObject([
      { kind: 'ack-sent' },
      { kind: 'copies-dropped', reason: 'recording could not keep up' },
      { kind: 'cache-changed', changed: [{ name: 'a', clientStatus: 'UNKNOWN', doubt: 'not-recorded' }] },
    ]);
    // The client has not accepted the response.
    await story.poll({ version_info: '1' }, snake('1', [clusterJson('a')]));
    expect(story.rows()).toEqual(['a ACKED 1']);
  });

  it('relays other requests on the same connection, and records none of them', async () => {
    const story = await new Story().start();
    const [host = '', port] = story.relay.address.split(':');
    const socket = connect({ host, port: Number(port) });
    onTestFinished(() => void socket.destroy());
    const body = JSON.stringify({ node });
    story.next = snake('1', [clusterJson('a')]);
    // Two requests in one segment, the second in chunks that are split anywhere.
    socket.write('GET /ready HTTP/1.1\r\nhost: x\r\n\r\nPOST /v3/discovery:clusters HTTP/1.1\r\nhost: x\r\n');
    socket.write('transfer-encoding: chunked\r\n\r\n5\r');
    socket.write(`\n${body.slice(0, 5)}\r\n${(body.length - 5).toString(16)};ext=1\r\n${body.slice(5)}`);
    socket.write('\r\n0\r\n\r\n');
    let text = '';
    socket.on('data', (bytes) => {
      text += String(bytes);
    });
    await waitUntil('both responses', () => text.split('HTTP/1.1 200').length === 3);
    await waitUntil('the copies', () => {
      story.record();
      return story.observations.length > 0;
    });
    expect(story.received).toEqual(['', body]);
    expect(story.take().map(({ kind }) => kind)).toEqual([
      'stream-opened',
      'request-sent',
      'response-received',
    ]);
    // The client ends its side, and still receives the response.
    text = '';
    socket.end(
      `POST /v3/discovery:clusters HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await once(socket, 'end');
    expect(text).toContain('"version_info":"1"');
  });
});
