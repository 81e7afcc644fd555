import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClientDetail } from '@/lib/views/client/schema';
import { CDS } from '@/lib/xds/resource-type';
import { clientIdOf } from '@/server/client-id';
import type { Runtime } from '@/server/compose/api';
import { startRuntime } from '@/server/compose/start-runtime';
import { readConfig } from '@/server/config/read-config';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { systemClock } from '@/server/observe';
import { clusterOf } from '@/tests/support/builders/xds-wire';
import {
  type CsdsServer,
  clientWithClusters,
  csdsAnswer,
  startCsdsServer,
} from '@/tests/support/csds-server';
import { LabGrpcClient } from '@/tests/support/lab-ads-client';
import { waitUntil } from '@/tests/support/wait-until';

const instances = ['a', 'b', 'c'] as const;
type Instance = (typeof instances)[number];

let dataDir: string;
let runtime: Runtime;
const servers = new Map<Instance, { readonly server: ManagementServer; readonly target: string }>();
const strange = new Map<string, CsdsServer>();
const clients: LabGrpcClient[] = [];

/** A client of one instance of the control plane, which takes what it gets. */
async function connect(nodeId: string, instance: Instance): Promise<void> {
  const client = new LabGrpcClient(targetOf(instance));
  clients.push(client);
  const stream = client.sotw();
  stream.send({ node: { id: nodeId }, typeUrl: CDS.typeUrl });
  const { versionInfo, nonce: responseNonce } = await stream.next();
  stream.send({ typeUrl: CDS.typeUrl, versionInfo, responseNonce });
}

function targetOf(instance: Instance): string {
  return servers.get(instance)?.target ?? '';
}

function clientOf(nodeId: string): Promise<ClientDetail | undefined> {
  return runtime.api.findClient(clientIdOf(nodeId, ''));
}

const stateOf = (target: string) => runtime.api.ask('sources/{id}', {}, { params: { id: `csds:${target}` } });

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-planes-'));
  const { type_url: typeUrl, value: bytes } = clusterOf('orders');
  for (const instance of instances) {
    const server = new ManagementServer({ clock: systemClock, identifier: `control-plane-${instance}` });
    servers.set(instance, { server, target: await server.listen() });
    server.setResources('*', [{ typeUrl, name: 'orders', bytes }]);
    await connect(`only-${instance}`, instance);
  }
  // One client is with two of them, as while it moves from one to the other.
  for (const instance of ['a', 'b'] as const) await connect('moving', instance);
  const large = csdsAnswer({
    config: [clientWithClusters('large', { big: '1' }, { fill: 16 * 1024 * 1024 })],
  });
  const nonsense = randomBytes(64 * 1024);
  const others = csdsAnswer({
    config: Array.from({ length: 3 }, (_, index) =>
      clientWithClusters('only-c', { [`not-hers-${index}`]: '9' }),
    ),
  });
  strange.set('nonsense', await startCsdsServer(() => nonsense));
  strange.set('large', await startCsdsServer(() => large));
  strange.set('never', await startCsdsServer(() => 'silence'));
  strange.set('others', await startCsdsServer(() => others));
  const targets = [...instances.map(targetOf), ...[...strange.values()].map(({ target }) => target.text)];
  const argv = [
    ...targets.flatMap((target) => ['--csds', target]),
    '--data-dir',
    dataDir,
    '--csds-interval',
    '200ms',
  ];
  runtime = await startRuntime(readConfig({ argv, env: {}, cwd: dataDir, version: '0' }), '0');
});

afterAll(async () => {
  await runtime.close();
  for (const client of clients) client.close();
  for (const { server } of servers.values()) await server.close();
  for (const server of strange.values()) server.close();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('three control planes, and four targets with invalid answers', () => {
  it('make one fleet: each client with the report of each instance that names it', async () => {
    for (const instance of instances) {
      const client = await waitUntil(`only-${instance} is synced`, async () => {
        const found = await clientOf(`only-${instance}`);
        return found?.types.some(({ byConfigStatus }) => byConfigStatus.SYNCED === 1) ? found : undefined;
      });
      expect(client.reports).toContainEqual(
        expect.objectContaining({
          sourceId: `csds:${targetOf(instance)}`,
          side: 'control-plane',
          freshness: 'live',
        }),
      );
    }
    const moving = await waitUntil('both report the client that moves', async () => {
      const found = await clientOf('moving');
      return found?.reports.length === 2 ? found : undefined;
    });
    expect(moving.reports.map(({ sourceId }) => sourceId).sort()).toEqual(
      ['a', 'b'].map((instance) => `csds:${targetOf(instance as Instance)}`).sort(),
    );
    expect(moving.duplicateNodeId).toBe(false);
  });

  it('of which one ends: clients that only it reported are stale with the reason, others are live', async () => {
    await waitUntil('all three are up', async () => {
      const sources = await Promise.all(instances.map((each) => stateOf(targetOf(each))));
      return sources.every(({ state }) => state === 'up');
    });
    await servers.get('b')?.server.close();
    const dead = `csds:${targetOf('b')}`;
    const gone = await waitUntil('only-b is stale', async () => {
      const found = await clientOf('only-b');
      return found?.freshness === 'stale' ? found : undefined;
    });
    expect(gone.reason).toContain(`${dead} does not answer`);
    // The newest report stays, and is marked as stale.
    expect(gone.types).toMatchObject([{ total: 1, byConfigStatus: { SYNCED: 1 } }]);
    const moving = await clientOf('moving');
    expect(moving?.freshness).toBe('live');
    expect(moving?.reports.map(({ sourceId, freshness }) => [sourceId, freshness])).toEqual([
      [`csds:${targetOf('a')}`, 'live'],
      [dead, 'stale'],
    ]);
    expect((await clientOf('only-a'))?.freshness).toBe('live');
    expect(await stateOf(targetOf('b'))).toMatchObject({
      state: 'down',
      problem: { message: expect.any(String) },
    });
    for (const instance of ['a', 'c'] as const) expect((await stateOf(targetOf(instance))).state).toBe('up');
  });

  it('invalid and missing answers affect their own source only; 16 MB are read; equal node ids stay apart', async () => {
    const [nonsense, large, never, others] = ['nonsense', 'large', 'never', 'others'].map(
      (name) => strange.get(name)?.target.text ?? '',
    );
    const problemOf = async (target = '') => (await stateOf(target)).problem?.code;
    await waitUntil('nonsense is named', async () => (await problemOf(nonsense)) === 'BAD_ANSWER');
    await waitUntil('silence is named', async () => (await problemOf(never)) === 'DEADLINE_EXCEEDED');
    const read = await waitUntil('16 MB are read', () => clientOf('large'));
    expect(read.types[0]?.sizeBytes).toBeGreaterThan(16 * 1024 * 1024);
    expect(await stateOf(large ?? '')).toMatchObject({
      state: 'up',
      notes: [expect.stringContaining('16.0 MiB')],
    });
    // Three clients with the node id "only-c" are distinguished, with a note; the control plane's report remains.
    expect((await stateOf(others ?? '')).notes.join(' ')).toContain(
      'Several clients of one answer have the node id "only-c"',
    );
    const claimed = await clientOf('only-c');
    expect(claimed?.reports.map(({ side, freshness }) => `${side} ${freshness}`).sort()).toEqual([
      'client live',
      'control-plane live',
    ]);
    expect((await clientOf('only-a'))?.freshness).toBe('live');
  });
});
