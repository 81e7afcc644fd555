import { describe, expect, it, onTestFinished } from 'vitest';
import { CDS } from '@/lib/xds/resource-type';
import { clientIdOf } from '@/server/client-id';
import type { ManagementServerOptions } from '@/server/lab/management-server/management-server';
import { bothClients, launchReal, type RealKind } from '@/tests/support/both-clients';
import { acceptsAll, startRealClientStory } from '@/tests/support/real-client-story';
import { openStreams } from '@/tests/support/tap-story';

async function start(kind: RealKind, options: Partial<ManagementServerOptions> = {}) {
  const story = await startRealClientStory(kind, options);
  onTestFinished(story.close);
  return story;
}

describe.each(bothClients)('$title behind a tap', (kind) => {
  const story = it.skipIf(kind.isAbsent);

  story(
    'is disconnected when it is killed, and a new process with its node id is the same client',
    async () => {
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
      onTestFinished(() => void again.kill('SIGKILL'));
      await until('it holds everything again', () => acceptsAll(own().slice(before)));
      expect(own()[before]).toMatchObject({ kind: 'stream-opened', clientId });
      // The new process holds no resources of the old one.
      const asked = own()
        .slice(before)
        .find((each) => each.kind === 'request-sent' && each.typeUrl === CDS.typeUrl);
      expect(asked).toMatchObject({ versionInfo: '' });
      const rows = asked !== undefined && 'changed' in asked ? asked.changed : [];
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.every((row) => row.clientStatus === 'REQUESTED' && row.hash === null)).toBe(true);
    },
  );

  story('keeps its resources when the server is killed, and is served by the next server', async () => {
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
    // The client reports by its versions that it still holds resources.
    expect(later.every((each) => 'cacheEmpty' in each && each.cacheEmpty)).toBe(false);
    expect(openStreams(own())).toHaveLength(1);
  });

  story('is served again after a silent server, and nothing is recorded meanwhile', async () => {
    const { tap, toServer, own, until, serve, newestRow } = await start(kind);
    const held = newestRow(CDS.typeUrl, 'good');
    const before = own().length;

    // 1. Both connections are half open. The keepalive time of both clients is 5 minutes, so that neither notices.
    toServer.freeze();
    serve({ maxRequests: 200 });
    await until('the hop holds a response back', () => toServer.droppedBytes() > 0);
    expect(own().slice(before)).toEqual([]);
    expect(tap.status()).toMatchObject({ state: 'up', tap: { droppedMessages: 0 } });

    // 2. The connection ends, and the client reconnects.
    toServer.heal();
    await until('it takes what is new', () => newestRow(CDS.typeUrl, 'good')?.hash !== held?.hash);
    expect(newestRow(CDS.typeUrl, 'good')).toMatchObject({ clientStatus: 'ACKED' });
    expect(own()[before]).toMatchObject({ kind: 'stream-closed', code: 'UNAVAILABLE' });
    expect(openStreams(own())).toHaveLength(1);
  });
});

/** A tap relays a PING and waits 20 s for the answer, as gRPC does. The clients run in parallel. */
describe('real clients that are stopped behind a tap', () => {
  it('are disconnected by a server with keepalive, and reconnect when they continue', async () => {
    await Promise.all(bothClients.filter(({ isAbsent }) => !isAbsent).map(standStill));
  });
});

async function standStill(kind: RealKind): Promise<void> {
  const keepalive = { 'grpc.keepalive_time_ms': 500, 'grpc.keepalive_timeout_ms': 1_000 };
  const { child, own, until, server, serve, newestRow } = await start(kind, { channelOptions: keepalive });
  const held = newestRow(CDS.typeUrl, 'good');

  // 1. The kernel acknowledges every byte, but the process does not answer.
  const before = own().length;
  child.kill('SIGSTOP');
  const closed = await until('its stream is closed', () =>
    own()
      .slice(before)
      .find((each) => each.kind === 'stream-closed'),
  );
  expect(closed).toMatchObject({
    code: expect.stringMatching(/^(CANCELLED|UNAVAILABLE)$/),
    details: expect.stringMatching(/the server closed the connection|client answered no PING/),
  });
  await until('its server has let go', () => server().connectedNodes().length === 0);

  // 2. The process continues, and accepts the new resources.
  serve({ maxRequests: 200 });
  child.kill('SIGCONT');
  await until('it takes what is new', () => newestRow(CDS.typeUrl, 'good')?.hash !== held?.hash);
  expect(newestRow(CDS.typeUrl, 'good')).toMatchObject({ clientStatus: 'ACKED' });
}
