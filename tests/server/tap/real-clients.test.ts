import { afterEach, describe, expect, it } from 'vitest';
import type { Observation } from '@/lib/observation/observation';
import { EDS } from '@/lib/xds/resource-type';
import { clientIdOf } from '@/server/client-id';
import { insecure } from '@/server/grpc/credentials-config';
import { parseTarget } from '@/server/grpc/target';
import { launchClient } from '@/server/lab/clients/launch-client';
import { shopClients } from '@/server/lab/clients/shop-clients';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { ShopMesh } from '@/server/lab/shop-mesh';
import { systemClock } from '@/server/observe';
import type { SourceStatus } from '@/server/source-status';
import { TapThreads } from '@/server/tap/tap-threads';
import { waitUntil } from '@/tests/support/wait-until';

const ends: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

describe('a real client through a tap', () => {
  it('is recorded: streams, requests, responses, ACKs', { timeout: 90_000 }, async () => {
    const server = new ManagementServer({ clock: systemClock });
    const upstream = await server.listen(0);
    ends.push(() => server.close());
    const mesh = new ShopMesh(server, () => 1);
    mesh.publish();
    const taps = new TapThreads({
      redactionKey: new Uint8Array(32),
      clock: systemClock,
      stored: async () => {},
    });
    ends.push(() => taps.close());
    const parsed = parseTarget(upstream);
    if (!parsed.ok) throw new Error('no target');
    const seen: Observation[] = [];
    let status: SourceStatus | undefined;
    const tap = taps.open({
      sourceId: 'tap:test',
      settings: {
        listen: { host: '127.0.0.1', port: 0, text: '127.0.0.1:0' },
        upstream: parsed.target,
        listenTls: insecure,
        upstreamTls: insecure,
      },
      clock: systemClock,
      observe: ({ observation }) => seen.push(observation),
      onStatus: (now) => {
        status = now;
      },
    });
    tap.start();
    const address = await waitUntil('the tap listens', () => status?.tap?.address ?? undefined);
    const client = shopClients[0];
    if (client === undefined) throw new Error('no client');
    const child = launchClient(
      client,
      { adminPort: 0, calls: client.calls },
      { adsTarget: address, python: '' },
    );
    ends.push(() => void child.kill('SIGKILL'));
    await waitUntil(
      'its endpoints are in use',
      () => seen.some((each) => each.kind === 'ack-sent' && each.typeUrl === EDS.typeUrl),
      60_000,
    );
    const kinds = seen.map(({ kind }) => kind).filter((kind) => kind !== 'source-up');
    expect(kinds.slice(0, 4)).toEqual(['stream-opened', 'request-sent', 'response-received', 'ack-sent']);
    const [opened, , , ack] = seen.filter(({ kind }) => kind !== 'source-up');
    expect(opened).toMatchObject({
      clientId: clientIdOf('shop-web', ''),
      method: 'StreamAggregatedResources',
      server: upstream,
      cacheEmpty: true,
      node: { id: 'shop-web' },
    });
    expect(ack).toMatchObject({
      versionInfo: '1',
      tookMs: expect.any(Number),
      changed: [{ name: 'web.shop.example', clientStatus: 'ACKED', hash: expect.any(String) }],
    });
    await waitUntil('the source tells of it', () => status?.tap?.streams === 1 && status.clients.size === 1);
  });
});
