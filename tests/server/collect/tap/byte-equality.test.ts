import http2, { type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RelayUnderTest, startRelay } from '@/tests/support/relay-story';
import { runs } from '@/tests/support/runs';

interface Call {
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly request: readonly Uint8Array[];
  readonly requestTrailers: readonly (readonly [string, string])[];
  /** True if the server answers before the request has ended. */
  readonly answersAtOnce: boolean;
  readonly answer:
    | { readonly kind: 'trailers-only'; readonly headers: readonly (readonly [string, string])[] }
    | { readonly kind: 'reset'; readonly code: number }
    | {
        readonly kind: 'whole';
        readonly headers: readonly (readonly [string, string])[];
        readonly chunks: readonly Uint8Array[];
        readonly trailers: readonly (readonly [string, string])[] | null;
      };
}

/** One call as both ends see it. */
interface Seen {
  request: string[];
  requestBytes: string;
  requestTrailers: string[];
  hasHalfClosed: boolean;
  answer: string[];
  answerBytes: string;
  trailers: string[];
  rstCode: number;
}

const name = fc
  .tuple(
    fc.constantFrom('x-', 'grpc-', ''),
    fc.stringMatching(/^[a-z][a-z0-9_.-]{0,20}$/),
    fc.constantFrom('', '-bin'),
  )
  .map((parts) => parts.join(''))
  .filter(
    (each) =>
      !/^(connection|te|upgrade|keep-alive|proxy-connection|transfer-encoding|http2-settings|host|date|content-length|expect|x-call)$/.test(
        each,
      ),
  );
const value = fc.oneof(
  fc.stringMatching(/^[!-~]([ -~]{0,60}[!-~])?$/),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  fc.stringMatching(/^[\u00a1-\u00ff]{1,20}$/),
);
const headers = fc.array(fc.tuple(name, value), { maxLength: 12 });
const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40_000 }), { maxLength: 6 });
const call: fc.Arbitrary<Call> = fc.record({
  path: fc.constantFrom(
    'envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources',
    'envoy.service.load_stats.v3.LoadReportingService/StreamLoadStats',
    'grpc.health.v1.Health/Watch',
    'any/thing',
  ),
  headers,
  request: chunks,
  requestTrailers: headers,
  answersAtOnce: fc.boolean(),
  answer: fc.oneof(
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('trailers-only' as const), headers }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('reset' as const), code: fc.integer({ min: 1, max: 13 }) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('whole' as const),
        headers,
        chunks,
        trailers: fc.option(headers),
      }),
    },
  ),
});

function toObject(list: readonly (readonly [string, string])[]): http2.OutgoingHttpHeaders {
  const object: http2.OutgoingHttpHeaders = {};
  for (const [key, each] of list) {
    const before = object[key];
    // Node sends these fields only once.
    if (before === undefined || !/^(x-|grpc-)/.test(key)) object[key] = each;
    else object[key] = [...(Array.isArray(before) ? before : [String(before)]), each];
  }
  return object;
}

/** The raw headers without those that Node adds or that depend on the connection. */
function reported(raw: readonly string[]): string[] {
  const pairs: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    if (raw[index] !== 'date' && raw[index] !== ':authority') pairs.push(`${raw[index]}: ${raw[index + 1]}`);
  }
  return pairs;
}

describe('a tap', () => {
  const calls = new Map<string, { readonly call: Call; readonly seen: Seen; readonly done: () => void }>();
  const server = http2.createServer();
  let relay: RelayUnderTest;
  let sessions: { direct: http2.ClientHttp2Session; tapped: http2.ClientHttp2Session };

  beforeAll(async () => {
    server.on(
      'stream',
      (stream: ServerHttp2Stream, fields: http2.IncomingHttpHeaders, _flags: number, raw: string[]) => {
        const planned = calls.get(String(fields['x-call']));
        stream.on('error', () => {});
        if (planned !== undefined) serve(stream, raw, planned.call, planned.seen, planned.done);
      },
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const target = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    relay = await startRelay(target);
    sessions = {
      direct: http2.connect(`http://${target}`),
      tapped: http2.connect(`http://${relay.address}`),
    };
  });
  afterAll(async () => {
    sessions.direct.destroy();
    sessions.tapped.destroy();
    await relay.listener.close();
    server.close();
  });

  function serve(
    stream: ServerHttp2Stream,
    raw: readonly string[],
    planned: Call,
    seen: Seen,
    done: () => void,
  ): void {
    const received: Buffer[] = [];
    seen.request = reported(raw);
    stream.on('data', (chunk: Buffer) => received.push(chunk));
    stream.on('trailers', (_fields: unknown, _flags: unknown, rawTrailers: unknown) => {
      seen.requestTrailers = reported(Array.isArray(rawTrailers) ? rawTrailers.map(String) : []);
    });
    const { answer } = planned;
    const reply = (): void => {
      if (answer.kind === 'reset') stream.close(answer.code);
      else if (answer.kind === 'trailers-only') stream.respond(toObject(answer.headers), { endStream: true });
      else {
        stream.respond(toObject(answer.headers), { waitForTrailers: answer.trailers !== null });
        stream.on('wantTrailers', () => stream.sendTrailers(toObject(answer.trailers ?? [])));
        for (const chunk of answer.chunks) stream.write(chunk);
        stream.end();
      }
    };
    stream.on('end', () => {
      seen.hasHalfClosed = true;
      seen.requestBytes = Buffer.concat(received).toString('hex');
      if (!planned.answersAtOnce) reply();
    });
    stream.on('close', done);
    // A reset could overtake the request.
    if (planned.answersAtOnce && answer.kind !== 'reset') reply();
  }

  let count = 0;
  async function make(session: http2.ClientHttp2Session, planned: Call): Promise<Seen> {
    const id = String(count++);
    const seen: Seen = {
      ...{ request: [], requestBytes: '', requestTrailers: [], hasHalfClosed: false },
      ...{ answer: [], answerBytes: '', trailers: [], rstCode: -1 },
    };
    await new Promise<void>((resolve, reject) => {
      const ended = `expected both ends to see the end of the call (${session === sessions.direct ? 'direct' : 'tapped'})`;
      const timer = setTimeout(() => reject(new Error(`${ended}, got ${JSON.stringify(seen)}`)), 60_000);
      let open = 2;
      const done = (): void => {
        open -= 1;
        if (open > 0) return;
        clearTimeout(timer);
        resolve();
      };
      const plan = planned.answer.kind === 'reset' ? { ...planned, answersAtOnce: false } : planned;
      calls.set(id, { call: plan, seen, done });
      const request = session.request(
        {
          ':method': 'POST',
          ':path': `/${planned.path}`,
          te: 'trailers',
          ...toObject(planned.headers),
          'x-call': id,
        },
        { waitForTrailers: !plan.answersAtOnce },
      );
      // Node as a client may end a call that is answered before it has sent its trailers.
      request.on('wantTrailers', () => request.sendTrailers(toObject(planned.requestTrailers)));
      request.on('response', (_fields: unknown, _flags: unknown, raw: unknown) => {
        seen.answer = reported(Array.isArray(raw) ? raw.map(String) : []);
      });
      request.on('trailers', (_fields: unknown, _flags: unknown, raw: unknown) => {
        seen.trailers = reported(Array.isArray(raw) ? raw.map(String) : []);
      });
      const received: Buffer[] = [];
      request.on('data', (chunk: Buffer) => received.push(chunk));
      request.on('error', () => {});
      request.on('close', () => {
        seen.rstCode = request.rstCode ?? -1;
        seen.answerBytes = Buffer.concat(received).toString('hex');
        done();
      });
      const send = (): void => {
        for (const chunk of planned.request) request.write(chunk);
        request.end();
      };
      // The order of request and answer must not depend on timing.
      if (plan.answersAtOnce) request.once('response', send);
      else send();
    });
    calls.delete(id);
    return { ...seen, request: seen.request.filter((field) => !field.startsWith('x-call')) };
  }

  it('relays every call unchanged: fields, bytes, order, half-close, trailers, status and resets', async () => {
    await fc.assert(
      fc.asyncProperty(call, async (planned) => {
        const direct = await make(sessions.direct, planned);
        const tapped = await make(sessions.tapped, planned);
        expect(tapped).toEqual(direct);
      }),
      { numRuns: runs(200) },
    );
  });

  it('copies exactly the bytes of recorded streams', async () => {
    const planned: Call = {
      path: 'envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources',
      headers: [],
      request: [Buffer.from('0000000003aabbcc', 'hex')],
      requestTrailers: [],
      answersAtOnce: false,
      answer: {
        kind: 'whole',
        headers: [],
        chunks: [Buffer.from('00000000', 'hex'), Buffer.from('02ddee', 'hex')],
        trailers: [['grpc-status', '0']],
      },
    };
    const kinds = () => relay.batches.flatMap(({ events }) => events.map(({ kind }) => kind));
    const count = (kind: string) => kinds().filter((each) => each === kind).length;
    await expect.poll(() => count('closed')).toBe(count('opened'));
    relay.batches.length = 0;
    await make(sessions.tapped, planned);
    await make(sessions.tapped, { ...planned, path: 'grpc.health.v1.Health/Watch' });
    await expect
      .poll(
        () => relay.batches.flatMap(({ events }) => events).filter(({ kind }) => kind === 'closed').length,
      )
      .toBe(1);
    // The buffer may have unused space.
    const copied = relay.batches.map(({ events, bytes }) => {
      const sizes = events.map((event) => (event.kind === 'data' ? event.sizeBytes : 0));
      return Buffer.from(bytes).toString(
        'hex',
        0,
        sizes.reduce((sum, size) => sum + size, 0),
      );
    });
    expect(copied.join('')).toBe('0000000003aabbcc0000000002ddee');
    expect(relay.batches.flatMap(({ events }) => events).at(-1)).toMatchObject({
      kind: 'closed',
      code: 'OK',
    });
  });
});
