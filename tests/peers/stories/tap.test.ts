import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Observation } from '@/lib/observation/observation';
import { EDS } from '@/lib/xds/resource-type';
import { clientIdOf } from '@/server/client-id';
import { launchClient } from '@/server/lab/clients/client-fleet';
import { type ShopClient, shopClients } from '@/server/lab/clients/shop-clients';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { findPython } from '@/server/lab/python-client/find-python';
import { ShopMesh } from '@/server/lab/shop-mesh';
import { systemClock } from '@/server/observe';
import { openStreams, startTap, type TapStory } from '@/tests/support/tap-story';
import { waitUntil } from '@/tests/support/wait-until';

const patienceMs = 120_000;
const python = await findPython();

/** Each backend has an unused address of its own, because C-core rejects duplicates. */
const backends: string[] = [];
function portOf(backend: string): number {
  if (!backends.includes(backend)) backends.push(backend);
  return backends.indexOf(backend) + 1;
}

function clientNamed(name: string): ShopClient {
  const found = shopClients.find((each) => each.name === name);
  if (found === undefined) throw new Error(`the lab has no client ${name}`);
  return found;
}

/** Real clients, a management server, and a tap between them. The tests depend on their order. */
describe('real clients through a tap', () => {
  let server: ManagementServer;
  let upstream = '';
  let tap: TapStory;
  const children = new Map<string, ChildProcess>();
  let mesh: ShopMesh;

  const until = <T>(what: string, ask: () => T | undefined | false) => waitUntil(what, ask, patienceMs);
  const of = (name: string) => tap.discoveryOf(name);
  /** The changed rows of one observation by name. */
  const rowOf = (observation: Observation, name: string) =>
    'changed' in observation ? observation.changed.find((row) => row.name === name) : undefined;

  async function serve(port: number): Promise<string> {
    server = new ManagementServer({ clock: systemClock });
    const target = await server.listen(port);
    mesh = new ShopMesh(server, portOf);
    mesh.publish();
    return target;
  }

  function launch(name: string): void {
    const client = clientNamed(name);
    const program = { adminPort: 0, calls: client.calls };
    const command = python.kind === 'absent' ? '' : python.command;
    const child = launchClient(client, program, { adsTarget: tap.address, python: command });
    // The process would block on a full pipe.
    child.stdout?.resume();
    child.stderr?.resume();
    children.set(name, child);
  }

  beforeAll(async () => {
    upstream = await serve(0);
    tap = await startTap(upstream);
    launch('shop-web');
    if (python.kind !== 'absent') launch('shop-warehouse');
  });

  afterAll(async () => {
    for (const child of children.values()) child.kill('SIGKILL');
    await tap.close();
    await server.close();
  });

  function acceptsEverything(name: string) {
    return until(`${name} has endpoints`, () =>
      of(name).some((each) => each.kind === 'ack-sent' && each.typeUrl === EDS.typeUrl),
    );
  }

  it('1. a client subscribes and accepts the response', async () => {
    await acceptsEverything('shop-web');
    const [opened, asked, answered, accepted] = of('shop-web');
    expect(opened).toMatchObject({
      kind: 'stream-opened',
      method: 'StreamAggregatedResources',
      server: upstream,
      cacheEmpty: true,
      node: { id: 'shop-web' },
    });
    expect([asked?.kind, answered?.kind]).toEqual(['request-sent', 'response-received']);
    expect(accepted).toMatchObject({
      kind: 'ack-sent',
      versionInfo: '1',
      tookMs: expect.any(Number),
      changed: [{ name: 'web.shop.example', clientStatus: 'ACKED', hash: expect.any(String) }],
    });
    await until(
      'the source reports it',
      () => (tap.status()?.tap?.streams ?? 0) > 0 && tap.status()?.state === 'up',
    );
  });

  it.skipIf(python.kind === 'absent')('2. so does C-core, a second implementation', () =>
    acceptsEverything('shop-warehouse'),
  );

  it('3. a NACK marks the rejected resource, and the accepted one stays in effect', async () => {
    const before = of('shop-web')
      .map((each) => rowOf(each, 'web-routes'))
      .findLast((row) => row?.clientStatus === 'ACKED');
    mesh.change({ activeFaults: new Set(['zero-weights']) });
    const nack = await until('it rejects the routes', () =>
      of('shop-web').find((each) => each.kind === 'nack-sent' && rowOf(each, 'web-routes') !== undefined),
    );
    expect(nack).toMatchObject({
      errorDetail: expect.stringContaining('weights'),
      tookMs: expect.any(Number),
    });
    expect(rowOf(nack, 'web-routes')).toMatchObject({
      clientStatus: 'NACKED',
      hash: before?.hash,
      errorState: { failedHash: expect.any(String) },
    });
  });

  it('4. the corrected resource is ACKED', async () => {
    mesh.change({ activeFaults: new Set(), reverted: new Map([['zero-weights', 1]]) });
    await until('it accepts the routes', () => {
      const rows = of('shop-web').map((each) => rowOf(each, 'web-routes'));
      return rows.findLast((row) => row !== undefined)?.clientStatus === 'ACKED';
    });
  });

  it('5. streams end when the server is killed, and the client reconnects', async () => {
    const opened = of('shop-web').filter(({ kind }) => kind === 'stream-opened').length;
    const before = of('shop-web').length;
    await server.close();
    const closed = await until('the stream is closed', () =>
      of('shop-web').find(({ kind }) => kind === 'stream-closed'),
    );
    expect(closed).toMatchObject({ hadResponse: true });
    await serve(Number(upstream.split(':')[1]));
    await until(
      'it has a new stream',
      () => of('shop-web').filter(({ kind }) => kind === 'stream-opened').length > opened,
    );
    const isOfEndpoints = (each: Observation) => each.kind === 'ack-sent' && each.typeUrl === EDS.typeUrl;
    await until('what it holds is accepted again', () => {
      const afresh = of('shop-web').slice(before);
      return afresh.some(({ kind }) => kind === 'stream-opened') && afresh.some(isOfEndpoints);
    });
  });

  it('6. the streams of a killed client end, and those of others stay open', async () => {
    const open = (name: string) => openStreams(of(name)).length;
    const others = python.kind === 'absent' ? 0 : 1;
    await until('the other one is back too', () => open('shop-warehouse') === others);
    expect(open('shop-web')).toBeGreaterThan(0);
    children.get('shop-web')?.kill('SIGKILL');
    await until('its streams are closed', () => open('shop-web') === 0);
    const last = of('shop-web').findLast(({ kind }) => kind === 'stream-closed');
    expect(last).toMatchObject({ code: 'CANCELLED', details: 'the client closed its connection' });
    await until('the source knows', () => tap.status()?.clients.has(clientIdOf('shop-web', '')) === false);
    expect(open('shop-warehouse')).toBe(others);
  });
});
