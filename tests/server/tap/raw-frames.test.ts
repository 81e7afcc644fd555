import http2, { type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawHttp2Client } from '@/tests/support/raw-http2-client';
import { type RelayUnderTest, startRelay } from '@/tests/support/relay-story';
import { runs } from '@/tests/support/runs';

/** The frames of a client after its headers. */
interface Call {
  readonly frames: readonly Uint8Array[];
  /** Null if the last DATA frame, which may be empty, ends the request. */
  readonly trailers: Readonly<Record<string, string>> | null;
  /** Whether the response has ended, with its trailers, before the client sends its first frame. */
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

describe('unusual frames', { timeout: 120_000 }, () => {
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
    const timeout = AbortSignal.timeout(10_000);
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
