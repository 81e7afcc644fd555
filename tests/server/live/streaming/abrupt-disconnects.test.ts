import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { StreamHub } from '@/server/live/streaming/stream-hub';
import { systemClock } from '@/server/observe';
import { patienceMs } from '@/tests/support/patience';

/** The condition comes within milliseconds, on a machine that is busy within seconds. */
const patient = { timeout: patienceMs(60_000) };

const browsers = 300;
const long = `client:${'x'.repeat(50_000)}` as const;
let hub: StreamHub;
let server: Server;
let sockets: Socket[] = [];

/**
 * Starts a server that answers as a route handler's Response is sent. Only one of the two ways in which an end is
 * reported is used, so that each is tested.
 */
function startServer(endsBy: 'signal' | 'cancel'): Promise<number> {
  server = createServer((_request, response) => {
    const gone = new AbortController();
    if (endsBy === 'signal') response.on('close', () => gone.abort());
    const stream = hub.subscribe({
      topics: ['fleet', long],
      signal: gone.signal,
    }) as NodeReadableStream<Uint8Array>;
    const body = Readable.fromWeb(stream);
    if (endsBy === 'cancel') response.on('close', () => body.destroy());
    body.on('error', () => response.destroy());
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    body.pipe(response);
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** Resolves when the first bytes came. */
function openBrowser(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
    sockets.push(socket);
    socket.once('data', () => resolve(socket));
    socket.on('error', reject);
  });
}

beforeEach(() => {
  hub = new StreamHub({ clock: systemClock, gatherMs: 5 });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  hub.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it.each(['signal', 'cancel'] as const)(
  `${browsers} browsers that vanish in the middle of notices leave nothing behind (reported by %s)`,
  async (endsBy) => {
    const port = await startServer(endsBy);
    const opened = await Promise.all(Array.from({ length: browsers }, () => openBrowser(port)));
    expect(hub.hasSubscriber('fleet')).toBe(true);
    // Half of them do not read, so that they vanish as slow readers.
    for (const socket of opened.slice(0, browsers / 2)) socket.pause();
    const reading = opened.slice(browsers / 2);
    for (let seq = 0; seq < 4; seq++) {
      hub.publish(long);
      await expect
        .poll(() => reading.every(({ bytesRead }) => bytesRead > (seq + 1) * 50_000), patient)
        .toBe(true);
    }
    hub.publish(long);
    for (const socket of opened) socket.resetAndDestroy();
    hub.publish('fleet');
    await expect.poll(() => hub.hasSubscriber('fleet'), patient).toBe(false);
  },
);
