import { describe, expect, it } from 'vitest';
import { holdNavigation } from '@/app/_stream/hold-navigation';

const page = { headers: { rsc: '1' } };

/** A server that fails some times before it answers. */
function serverThat(...outcomes: (number | Error)[]) {
  let requests = 0;
  const fetchOnce: typeof fetch = async () => {
    requests += 1;
    const outcome = outcomes.shift() ?? 200;
    if (outcome instanceof Error) throw outcome;
    return new Response('', { status: outcome });
  };
  return { fetch: holdNavigation(fetchOnce, async () => undefined), count: () => requests };
}

describe('holdNavigation', () => {
  it('repeats the request for a page until the server, or no proxy in its place, answers', async () => {
    const server = serverThat(new TypeError('fetch failed'), 502, 200);
    expect((await server.fetch('/clients', page)).status).toBe(200);
    expect(server.count()).toBe(3);
  });

  it('ends when the request is aborted', async () => {
    const aborted = AbortSignal.abort();
    const server = serverThat(new TypeError('fetch failed'));
    await expect(server.fetch('/clients', { ...page, signal: aborted })).rejects.toThrow('fetch failed');
  });

  it('repeats neither other requests nor requests in advance', async () => {
    const failed = new TypeError('fetch failed');
    await expect(serverThat(failed).fetch('/api/v1/health')).rejects.toThrow(failed);
    const ahead = { headers: { rsc: '1', 'next-router-prefetch': '1' } };
    await expect(serverThat(failed).fetch('/clients', ahead)).rejects.toThrow(failed);
    expect((await serverThat(503).fetch('/api/v1/health')).status).toBe(503);
  });
});
