import http2, { type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frame, frameFlags, frameTypes } from '@/tests/support/builders/http2-frames';
import { headerBlock, headersFrame, preface } from '@/tests/support/hostile-http2-peer';
import { type RelayUnderTest, startRelay } from '@/tests/support/relay-story';
import { runs } from '@/tests/support/runs';

const nothing = new Uint8Array();

/**
 * An HTTP/2 client with one stream that sends exactly the frames of a test. The client of Node leaves out empty
 * frames, and ends a call whose response has ended.
 */
class RawHttp2Client {
  readonly #socket: Socket;
  #read = Buffer.alloc(0);
  /** Resolves when the response has ended. */
  readonly answered: Promise<void>;

  constructor(target: string) {
    const [host = '', port = ''] = target.split(':');
    this.#socket = connect({ host, port: Number(port) });
    this.#socket.write(Buffer.concat([preface, frame(frameTypes.settings, 0, 0, nothing)]));
    this.answered = new Promise((resolve, reject) => {
      this.#socket.on('error', reject);
      this.#socket.on('close', () => reject(new Error('expected an answer, got the end of the connection')));
      this.#socket.on('data', (bytes: Buffer) => {
        this.#read = Buffer.concat([this.#read, bytes]);
        if (this.#takeFrames()) resolve();
      });
    });
    this.answered.catch(() => {});
  }

  headers(fields: Readonly<Record<string, string>>, isLast = false): void {
    const flags = frameFlags.endHeaders | (isLast ? frameFlags.endStream : 0);
    this.#socket.write(headersFrame(1, headerBlock(fields), flags));
  }

  data(bytes: Uint8Array, isLast = false): void {
    this.#socket.write(frame(frameTypes.data, isLast ? frameFlags.endStream : 0, 1, bytes));
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Returns whether one of the frames ends the response. */
  #takeFrames(): boolean {
    let hasEnded = false;
    for (;;) {
      if (this.#read.length < 9) return hasEnded;
      const length = this.#read.readUIntBE(0, 3);
      if (this.#read.length < 9 + length) return hasEnded;
      const [type, flags] = [this.#read[3] ?? 0, this.#read[4] ?? 0];
      if (type === frameTypes.settings && (flags & frameFlags.ack) === 0) {
        this.#socket.write(frame(frameTypes.settings, frameFlags.ack, 0, nothing));
      }
      if ((type === frameTypes.data || type === frameTypes.headers) && (flags & frameFlags.endStream) !== 0)
        hasEnded = true;
      this.#read = this.#read.subarray(9 + length);
    }
  }
}

/** The frames of a client after its headers. */
interface Call {
  readonly frames: readonly Uint8Array[];
  /** Null if the last DATA frame, which may be empty, ends the request. */
  readonly trailers: Readonly<Record<string, string>> | null;
  /** True if the response has ended, with its trailers, before the client sends its first frame. */
  readonly isAnsweredEarly: boolean;
}

/** The call as the server sees it. */
interface Seen {
  readonly bytes: string;
  readonly trailers: string;
  readonly hasHalfClosed: boolean;
}

const frames = fc.array(
  fc.oneof(fc.constant(new Uint8Array()), fc.uint8Array({ minLength: 1, maxLength: 200 })),
  {
    maxLength: 8,
  },
);
const trailers = fc.dictionary(fc.stringMatching(/^x-[a-z]{1,10}$/), fc.stringMatching(/^[a-z0-9]{1,20}$/), {
  minKeys: 1,
  maxKeys: 4,
});
const call: fc.Arbitrary<Call> = fc.record({
  frames,
  trailers: fc.option(trailers),
  isAnsweredEarly: fc.boolean(),
});

describe('unusual frames', () => {
  const server = http2.createServer();
  let onSeen: (seen: Seen) => void = () => {};
  let target = '';
  let relay: RelayUnderTest;

  beforeAll(async () => {
    server.on('stream', (stream: ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => {
      const received: Buffer[] = [];
      let got = '';
      const answer = (): void => void stream.end('answer');
      stream.on('error', () => {});
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.on('data', (chunk: Buffer) => received.push(chunk));
      stream.on('trailers', (_fields: unknown, _flags: unknown, raw: unknown) => {
        got = Array.isArray(raw) ? raw.map(String).join(' ') : '';
      });
      stream.on('end', () => {
        onSeen({ bytes: Buffer.concat(received).toString('hex'), trailers: got, hasHalfClosed: true });
        if (headers['x-early'] !== 'yes') answer();
      });
      if (headers['x-early'] === 'yes') answer();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    target = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    relay = await startRelay(target);
  });
  afterAll(async () => {
    await relay.listener.close();
    server.close();
  });

  async function make(
    address: string,
    { frames: sent, trailers: last, isAnsweredEarly }: Call,
  ): Promise<Seen> {
    const client = new RawHttp2Client(address);
    const seen = new Promise<Seen>((resolve) => {
      onSeen = resolve;
    });
    client.headers({
      ':method': 'POST',
      ':scheme': 'http',
      ':path': '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources',
      ':authority': 'x',
      'x-early': isAnsweredEarly ? 'yes' : 'no',
    });
    if (isAnsweredEarly) await client.answered;
    for (const [index, bytes] of sent.entries())
      client.data(bytes, last === null && index === sent.length - 1);
    if (last !== null) client.headers(last, true);
    else if (sent.length === 0) client.data(new Uint8Array(), true);
    const timeout = AbortSignal.timeout(60_000);
    const gone = new Promise<never>((_, reject) => {
      timeout.addEventListener('abort', () => reject(new Error(`expected its end to be seen at ${address}`)));
    });
    try {
      return await Promise.race([seen, gone]);
    } finally {
      client.close();
    }
  }

  it('are relayed unchanged: empty frames and request trailers, also after an early response', async () => {
    await fc.assert(
      fc.asyncProperty(call, async (planned) => {
        const direct = await make(target, planned);
        expect(await make(relay.address, planned)).toEqual(direct);
      }),
      { numRuns: runs(150) },
    );
  });
});
