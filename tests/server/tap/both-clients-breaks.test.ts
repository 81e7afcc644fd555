import { afterEach, describe, expect, it } from 'vitest';
import { CDS } from '@/lib/xds/resource-type';
import { clientIdOf } from '@/server/client-id';
import type { ManagementServerOptions } from '@/server/lab/management-server/management-server';
import { bothClients, launchReal, type RealKind } from '@/tests/support/both-clients';
import { acceptsAll, startRealClientStory, storyPatienceMs } from '@/tests/support/real-client-story';
import { openStreams } from '@/tests/support/tap-story';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(kind: RealKind, options: Partial<ManagementServerOptions> = {}) {
  const story = await startRealClientStory(kind, options);
  ends.push(story.close);
  return story;
}

describe.each(bothClients)('$title, cut off behind a tap', { timeout: storyPatienceMs + 10_000 }, (kind) => {
  const story = it.skipIf(kind.isAbsent);

  story('that is killed is gone, and one of its name that comes then is known as the same', async () => {
    const { tap, child, own, until, server } = await start(kind);
    const clientId = clientIdOf(kind.name, '');
    await until('the source knows', () => tap.status()?.clients.has(clientId));
    child.kill('SIGKILL');
    await until('its stream is closed', () => openStreams(own()).length === 0);
    expect(own().findLast((each) => each.kind === 'stream-closed')).toMatchObject({
      code: 'CANCELLED',
      details: 'the client closed its connection',
      hadResponse: true,
    });
    await until('the source has let go', () => tap.status()?.clients.has(clientId) === false);
    await until('its server has let go', () => server().connectedNodes().length === 0);

    const before = own().length;
    const again = launchReal(kind, tap.address);
    ends.push(() => again.kill('SIGKILL'));
    await until('it holds everything again', () => acceptsAll(own().slice(before)));
    expect(own()[before]).toMatchObject({ kind: 'stream-opened', clientId });
    // What the one before it held is not taken for its own.
    const asked = own()
      .slice(before)
      .find((each) => each.kind === 'request-sent' && each.typeUrl === CDS.typeUrl);
    expect(asked).toMatchObject({ versionInfo: '' });
    const rows = asked !== undefined && 'changed' in asked ? asked.changed : [];
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every((row) => row.clientStatus === 'REQUESTED' && row.hash === null)).toBe(true);
  });

  story(
    'whose server is killed is reported so, keeps what it has, and is served by the next one',
    async () => {
      const { own, until, server, serveAgain, newestRow } = await start(kind);
      const held = newestRow(CDS.typeUrl, 'good');
      await server().close();
      const closed = await until('its stream is closed', () =>
        own().find((each) => each.kind === 'stream-closed'),
      );
      expect(closed).toMatchObject({ code: 'UNAVAILABLE', hadResponse: true });
      expect(newestRow(CDS.typeUrl, 'good')).toMatchObject({ clientStatus: 'ACKED', hash: held?.hash });

      await serveAgain({ maxRequests: 200 });
      await until('it takes what is new', () => newestRow(CDS.typeUrl, 'good')?.hash !== held?.hash);
      expect(newestRow(CDS.typeUrl, 'good')).toMatchObject({ clientStatus: 'ACKED' });
      const [first, ...later] = own().filter((each) => each.kind === 'stream-opened');
      expect(first).toMatchObject({ cacheEmpty: true });
      expect(later.length).toBeGreaterThan(0);
      // It was there all the time, and says so by the versions that it asks with.
      expect(later.every((each) => 'cacheEmpty' in each && each.cacheEmpty)).toBe(false);
      expect(openStreams(own())).toHaveLength(1);
    },
  );

  story(
    'whose server is silent hears nothing and nothing false is reported; when the hop ends it is served anew',
    async () => {
      const { tap, toServer, own, until, serve, newestRow } = await start(kind);
      const held = newestRow(CDS.typeUrl, 'good');
      const before = own().length;

      // 1. Open on both sides of the cut. Both clients ask for a sign of life every 5 minutes: nobody knows yet.
      toServer.freeze();
      serve({ maxRequests: 200 });
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect(own().slice(before)).toEqual([]);
      expect(tap.status()).toMatchObject({ state: 'up', tap: { droppedMessages: 0 } });

      // 2. It ends at last, and the client finds its way by itself.
      toServer.heal();
      await until('it takes what is new', () => newestRow(CDS.typeUrl, 'good')?.hash !== held?.hash);
      expect(newestRow(CDS.typeUrl, 'good')).toMatchObject({ clientStatus: 'ACKED' });
      expect(own()[before]).toMatchObject({ kind: 'stream-closed', code: 'UNAVAILABLE' });
      expect(openStreams(own())).toHaveLength(1);
    },
  );
});

/** A tap passes a PING on, and gives who is asked 20 s, as gRPC does: the clients wait side by side. */
describe('real clients that stand still behind a tap', { timeout: storyPatienceMs + 10_000 }, () => {
  it('are lost for a server with keepalive, and come back when they go on', async () => {
    await Promise.all(bothClients.filter(({ isAbsent }) => !isAbsent).map(standStill));
  });
});

async function standStill(kind: RealKind): Promise<void> {
  const keepalive = { 'grpc.keepalive_time_ms': 500, 'grpc.keepalive_timeout_ms': 1_000 };
  const { child, own, until, server, serve, newestRow } = await start(kind, { channelOptions: keepalive });
  const held = newestRow(CDS.typeUrl, 'good');

  // 1. Its kernel acknowledges every byte; nobody answers.
  child.kill('SIGSTOP');
  const closed = await until('its stream is closed', () =>
    own().find((each) => each.kind === 'stream-closed'),
  );
  expect(closed).toMatchObject({
    code: expect.stringMatching(/^(CANCELLED|UNAVAILABLE)$/),
    details: expect.stringMatching(/the server closed the connection|client answered no PING/),
  });
  await until('its server has let go', () => server().connectedNodes().length === 0);

  // 2. It goes on, and takes what it missed.
  serve({ maxRequests: 200 });
  child.kill('SIGCONT');
  await until('it takes what is new', () => newestRow(CDS.typeUrl, 'good')?.hash !== held?.hash);
  expect(newestRow(CDS.typeUrl, 'good')).toMatchObject({ clientStatus: 'ACKED' });
}
