import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RequestLimit } from '@/server/http/request-limit';
import { waitUntil } from '../../support/wait-until';

/** A request that is being served; its work and its answer end when the test says so. */
interface Served {
  readonly response: ServerResponse;
  /** The work for it ends. */
  settle(): void;
}

let limit: RequestLimit;
let server: Server;
let url: string;
let served: Served[];

beforeEach(async () => {
  served = [];
  limit = new RequestLimit({ what: 'expensive requests', atOnce: 2, waiting: 1 });
  server = createServer((request, response) => {
    limit.take(request, response, () => new Promise((settle) => served.push({ response, settle })));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Answers what is served, and ends the work for it. */
function answer({ response, settle }: Served): void {
  response.end('done');
  settle();
}

/** So many requests were served, or are. */
function untilServed(count: number): Promise<boolean> {
  return waitUntil(`${count} requests are served`, () => served.length === count);
}

function ask(signal?: AbortSignal): Promise<Response> {
  return fetch(url, { signal: signal ?? null });
}

describe('RequestLimit', () => {
  it('serves so many at once, lets so many wait, and rejects those beyond with the time to come back', async () => {
    const first = [ask(), ask()];
    await untilServed(2);
    const rest = [ask(), ask()];
    const rejected = await Promise.race(rest);
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await rejected.json()).toMatchObject({
      detail: 'expected at most 2 expensive requests at once and 1 waiting, got one more',
    });
    expect(served).toHaveLength(2);
    served.slice(0, 2).forEach(answer);
    await untilServed(3);
    served.slice(2).forEach(answer);
    const statuses = (await Promise.all([...first, ...rest])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 200, 200, 503]);
  });

  it('counts the work for a client that has left until it ends', async () => {
    const left = new AbortController();
    const gone = [ask(left.signal), ask(left.signal)].map((each) => each.catch(() => 'gone'));
    await untilServed(2);
    const waiting = ask();
    left.abort();
    await Promise.all(gone);
    await waitUntil('both are gone', () => served.every(({ response }) => response.destroyed));
    expect(served).toHaveLength(2);
    served[0]?.settle();
    await untilServed(3);
    served.slice(2).forEach(answer);
    expect((await waiting).status).toBe(200);
  });

  it('gives the place back when the client leaves after end(), though whoever answers waits for "finish"', async () => {
    const left = new AbortController();
    const gone = [ask(left.signal), ask(left.signal)].map((each) => each.catch(() => 'gone'));
    await untilServed(2);
    const waiting = ask();
    // More than the connection takes: it never finishes.
    for (const { response } of served) response.end(Buffer.alloc(64 * 1024 * 1024));
    left.abort();
    await Promise.all(gone);
    await untilServed(3);
    served.slice(2).forEach(answer);
    expect((await waiting).status).toBe(200);
  });

  it('never serves a request whose client left while it waited', async () => {
    const first = [ask(), ask()];
    await untilServed(2);
    const left = new AbortController();
    const asked = once(server, 'request');
    const gone = ask(left.signal).catch(() => 'gone');
    const [, response] = await asked;
    left.abort();
    await gone;
    await once(response, 'close');
    served.forEach(answer);
    await Promise.all(first);
    const next = ask();
    await untilServed(3);
    served.slice(2).forEach(answer);
    expect((await next).status).toBe(200);
  });

  it('closes the connections of all that run or wait, and rejects what comes after', async () => {
    const asked = [ask(), ask(), ask()].map((each) => each.then(({ status }) => status).catch(() => 'cut'));
    await untilServed(2);
    limit.close();
    // The third one may come to the limit after it was closed.
    const outcomes = await Promise.all(asked);
    expect(outcomes.filter((each) => each === 'cut').length).toBeGreaterThanOrEqual(2);
    expect((await ask()).status).toBe(503);
    expect(served).toHaveLength(2);
  });
});
