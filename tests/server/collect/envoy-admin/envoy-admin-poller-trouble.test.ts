import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '@/server/observe';
import { startEnvoyAdmin } from '@/tests/support/envoy-admin';
import { someState, startPollerStory } from '@/tests/support/envoy-admin-story';
import { listenRaw } from '@/tests/support/grpc-peers';

const { answers, cleanUps, serve, poll, changes, until, rounds } = startPollerStory();

describe('EnvoyAdminPoller, against trouble', () => {
  const dump = '/config_dump?include_eds';

  it.each([
    ['a page', { text: '<html>sign in</html>', contentType: 'text/html' }, 'a page'],
    ['JSON of something else', { json: { hello: 'world' } }, 'expected a config dump with "configs"'],
    ['half a document', { text: '{"configs":[{"@type":"a"', contentType: 'application/json' }, 'whole JSON'],
    ['nothing', { text: '' }, 'an empty answer'],
    ['no such path', { text: 'nope', status: 404 }, 'status 404'],
  ] as const)('says what came instead of a config dump: %s', async (_, reaction, expected) => {
    const envoy = await serve();
    envoy.reactions.set(dump, reaction);
    const poller = poll(envoy.target);
    await until(() => poller.status.state === 'down');
    expect(poller.status.problem?.message).toContain(expected);
    expect(poller.status.problem?.message).toContain(envoy.target);
    expect(changes()).toEqual([]);
    envoy.reactions.delete(dump);
    await until(() => poller.status.state === 'up');
    expect(changes()).toHaveLength(1);
  });

  it('keeps its state when an answer is incomplete, and continues with the next one', async () => {
    const envoy = await serve();
    const poller = poll(envoy.target);
    await until(() => poller.status.state === 'up');
    envoy.reactions.set(dump, { cutShort: '{"configs":[' });
    // The whole dump is requested at once.
    poller.pause();
    poller.resume();
    await until(() => poller.status.state === 'down');
    envoy.reactions.delete(dump);
    await until(() => poller.status.state === 'up');
    expect(changes()).toHaveLength(1);
  });

  it('notes an invalid part, and keeps its previous state', async () => {
    const envoy = await serve();
    const poller = poll(envoy.target);
    await until(() => poller.status.state === 'up');
    envoy.reactions.set('/clusters?format=json', {
      text: '{"cluster_statuses":[{',
      contentType: 'text/json',
    });
    await until(() => poller.status.notes.length > 0);
    expect(poller.status.notes[0]).toMatch(/^\/clusters: expected a whole JSON document/);
    expect(poller.status.state).toBe('up');
    expect(changes()).toHaveLength(1);
    envoy.reactions.delete('/clusters?format=json');
    await until(() => poller.status.notes.length === 0);
  });

  it('cancels an answer that is too large, and one that does not come', async () => {
    const envoy = await serve();
    const small = poll(envoy.target, { maxBytes: 1_000 });
    await until(() => small.status.state === 'down');
    expect(small.status.problem).toMatchObject({ code: 'TOO_LARGE' });
    await small.close();
    envoy.reactions.set(dump, 'silence');
    const poller = poll(envoy.target, { deadlineMs: 100 });
    await until(() => poller.status.state === 'down');
    expect(poller.status.problem?.message).toMatch(/expected an answer to GET \/.* within 0.1 s/);
  });

  it('requests a dump above the limit again only after 10 min, and states both sizes', async () => {
    const envoy = await serve();
    const delays: number[] = [];
    const clock: Clock = {
      now: systemClock.now,
      setTimeout: (callback, delayMs) => {
        delays.push(delayMs);
        return systemClock.setTimeout(callback, delayMs);
      },
    };
    const poller = poll(envoy.target, { maxBytes: 1_000, clock });
    await until(() => delays.includes(600_000));
    const { problem, cost } = poller.status;
    expect(problem?.message).toMatch(
      /expected an answer of at most 1000 bytes to GET \/config_dump\S*, got more \(cancelled after \d+ bytes\)$/,
    );
    expect(problem?.hint).toContain('requested again after 10 min');
    expect(cost?.requests).toBe(envoy.questions.length);
  });

  it('reports a change as one since the newest dump, not since statistics were read', async () => {
    const envoy = await serve();
    const [startedAt, speed] = [systemClock.now(), 30];
    const clock: Clock = {
      now: () => startedAt + (systemClock.now() - startedAt) * speed,
      setTimeout: (callback, delayMs) => systemClock.setTimeout(callback, delayMs / speed),
    };
    poll(envoy.target, { intervalMs: 15_000, deadlineMs: 600_000, clock });
    await until(() => changes().length > 0);
    const [changedAt, before] = [clock.now(), envoy.questions.length];
    envoy.state.clusters.orders = { version: '2' };
    await until(() => changes().length > 1);
    const since = envoy.questions.slice(before);
    const [statistics, dump] = ['/stats', '/config_dump'].map((path) =>
      since.findIndex((question) => question.startsWith(path)),
    );
    expect(statistics).toBeGreaterThanOrEqual(0);
    expect(statistics).toBeLessThan(dump ?? 0);
    expect(changes()[1]?.previousAt).toBeLessThanOrEqual(changedAt);
  });

  it('reports what its polls cost: requests, bytes, time, and the memory of the Envoy', async () => {
    const envoy = await serve({
      ...someState(),
      statistics: 'server.memory_allocated: 5000\nserver.memory_physical_size: 9000\n',
    });
    const counts: [reported: number | undefined, answered: number][] = [];
    const poller = poll(envoy.target, {
      onStatus: ({ cost }) => counts.push([cost?.requests ?? 0, envoy.questions.length]),
    });
    await until(() => (poller.status.cost?.polls ?? 0) >= 3 && poller.status.state === 'up');
    for (const [reported, answered] of counts) expect(reported).toBe(answered);
    await poller.close();
    const { cost, targetMemory } = poller.status;
    expect(targetMemory).toEqual({ allocated: 5_000, physical: 9_000 });
    const largest = Math.max(...envoy.sizes);
    expect(cost?.largest.bytes).toBeGreaterThanOrEqual(largest);
    expect(cost?.bytes).toBeGreaterThanOrEqual(cost?.largest.bytes ?? Number.NaN);
  });

  it('reports a server without HTTP, and an address without a server', async () => {
    const raw = await listenRaw('SSH-2.0-OpenSSH_9\r\n');
    cleanUps.push(() => raw.close());
    const poller = poll(raw.target.text);
    await until(() => poller.status.state === 'down');
    expect(poller.status.problem).toMatchObject({ code: 'NOT_HTTP1' });
    const gone = await startEnvoyAdmin(someState());
    await gone.close();
    const rejected = poll(gone.target);
    await until(() => rejected.status.state === 'down');
    expect(rejected.status.problem).toMatchObject({ code: 'CONNECTION_REFUSED' });
  });

  it('polls an Envoy that is back, and reports only differences', async () => {
    const first = await startEnvoyAdmin(someState());
    const poller = poll(first.target);
    await until(() => poller.status.state === 'up');
    await first.close();
    await until(() => poller.status.state === 'down');
    const state = someState();
    state.clusters = { ...state.clusters, orders: { version: '9' } };
    await serve(state, first.port);
    await until(() => poller.status.state === 'up');
    expect(changes()).toHaveLength(2);
    expect(changes()[1]).toMatchObject({ changed: [{ name: 'orders', versionInfo: '9' }], removed: [] });
  });

  it('polls an Envoy whose admin interface is a Unix socket, as soon as it is there', async () => {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'envoy-'));
    cleanUps.push(() => rmSync(dir, { recursive: true }));
    const socket = path.join(dir, 'admin.sock');
    const poller = poll(`unix:${socket}`);
    await until(() => poller.status.state === 'down');
    expect(poller.status.problem).toMatchObject({
      code: 'CONNECTION_REFUSED',
      message: `unix:${socket}: connection refused, nothing listens there`,
    });
    const envoy = await startEnvoyAdmin(someState(), socket);
    cleanUps.push(() => envoy.close());
    await until(() => poller.status.state === 'up');
    expect(changes()).toMatchObject([{ node: { id: 'edge-1' } }]);
  });

  it('tries a port without a listener again within 2 seconds, however long it has had none', async () => {
    const envoy = await startEnvoyAdmin(someState());
    await envoy.close();
    const pauses: number[] = [];
    const deadlineMs = 30_000;
    const clock: Clock = {
      now: () => Date.now(),
      setTimeout(callback, delayMs) {
        if (delayMs === deadlineMs) return systemClock.setTimeout(callback, delayMs);
        pauses.push(delayMs);
        return systemClock.setTimeout(callback, 1);
      },
    };
    poll(envoy.target, { clock, deadlineMs, maxBackoffMs: 60_000 });
    await until(() => pauses.length > 20);
    // A longer back-off is replaced at once.
    expect(pauses.slice(-10).filter((pauseMs) => pauseMs === 1_500)).toHaveLength(5);
  });

  it('requests every document again after a restart of its worker, and reports only differences', async () => {
    const envoy = await serve();
    const poller = poll(envoy.target);
    await until(() => poller.status.state === 'up');
    answers.renew();
    await rounds(poller, envoy, 2);
    expect(changes()).toHaveLength(1);
    expect(poller.status.state).toBe('up');
  });
});
