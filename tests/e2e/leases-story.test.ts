import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Health } from '@/lib/views/health/schema';
import type { Source } from '@/lib/views/sources/schema';
import { type CsdsServer, clientWithClusters, csdsAnswer, startCsdsServer } from '../support/csds-server';
import { getJson, type RunningServer, startServer } from '../support/e2e-server';
import { findPostgres, type PostgresServer, startPostgres } from '../support/postgres';
import { tempDataDir } from '../support/recorder-temp-dir';
import { waitUntil } from '../support/wait-until';

const isThere = findPostgres() !== undefined;
const story = 'two collectors with the same sources';

describe.skipIf(!isThere)(isThere ? story : `${story}: skipped, no PostgreSQL is installed`, () => {
  let postgres: PostgresServer;
  let peer: CsdsServer;
  let collectors: RunningServer[] = [];
  let web: RunningServer;

  const sourceOf = async (server: RunningServer) => {
    const { items } = await getJson<{ items: Source[] }>(`${server.url}/api/v1/sources`);
    return items[0];
  };
  type Client = { readonly nodeId: string; readonly resources: number; readonly freshness: string };
  const healthOf = (server: RunningServer) => getJson<Health>(`${server.url}/api/v1/health`);
  /** The collector that polls now. */
  const findPoller = async () => {
    const sources = await Promise.all(collectors.map(sourceOf));
    const polling = collectors.filter((_, index) => sources[index]?.state === 'up');
    return polling.length === 1 ? polling[0] : undefined;
  };

  beforeAll(async () => {
    const config = [
      clientWithClusters('node', { a: '1', old: '1' }),
      clientWithClusters('other', { a: '1' }),
    ];
    peer = await startCsdsServer(() => csdsAnswer({ config }));
    postgres = await startPostgres({ isDurable: true });
    const url = await postgres.createDatabase();
    const dirs = [0, 1, 2].map(() => path.join(tempDataDir(), 'data'));
    const start = (index: number, args: readonly string[]) =>
      startServer([...args, '--data-dir', dirs[index] ?? '', '--store', url]);
    const ofCollector = [
      '--no-lab',
      '--csds',
      `127.0.0.1:${peer.target.port}`,
      '--csds-interval',
      '200ms',
      '--role',
      'collector',
    ];
    const first = await start(0, ofCollector);
    for (const dir of dirs.slice(1)) {
      mkdirSync(dir, { recursive: true });
      copyFileSync(path.join(dirs[0] ?? '', 'redaction.key'), path.join(dir, 'redaction.key'));
    }
    collectors = [first, await start(1, ofCollector)];
    web = await start(2, ['--no-lab', '--role', 'web']);
  });
  afterAll(async () => {
    for (const server of [...collectors, web]) await server?.stop('SIGKILL');
    await postgres?.stop();
    peer?.close();
  });

  it('poll each source with one of them, and the web process shows the one that does', async () => {
    await waitUntil('one polls', findPoller);
    await waitUntil('it is shown', async () => (await sourceOf(web))?.state === 'up');
  });

  it('take over within 15 s when the other one is killed, and show what is observed then and what is gone since', async () => {
    const clientsOf = async () => {
      const { items } = await getJson<{ items: Client[] }>(`${web.url}/api/v1/clients`);
      return items.map(({ nodeId, resources, freshness }) => [nodeId, resources, freshness]).sort();
    };
    await waitUntil('both clients are shown', async () => (await clientsOf()).length === 2);
    const poller = await waitUntil('one polls', findPoller);
    const [other] = collectors.filter((each) => each !== poller) as [RunningServer];
    await poller.stop('SIGKILL');
    peer.react = () => csdsAnswer({ config: [clientWithClusters('node', { a: '1' })] });
    const killedAt = Date.now();
    await waitUntil('the other one polls', async () => (await sourceOf(other))?.state === 'up');
    const tookMs = Date.now() - killedAt;
    process.stdout.write(`taken over after ${(tookMs / 1_000).toFixed(1)} s\n`);
    expect(tookMs).toBeLessThan(15_000);
    await waitUntil('what is gone is shown as gone', async () => {
      const clients = await clientsOf();
      return JSON.stringify(clients) === '[["node",1,"live"],["other",1,"gone"]]';
    });
    peer.react = () => csdsAnswer({ config: [clientWithClusters('node', { a: '1', b: '1' })] });
    await waitUntil('the change is shown', async () => (await clientsOf())[0]?.[1] === 2);
    await waitUntil('the source is up again', async () => (await sourceOf(web))?.state === 'up');
    expect((await healthOf(other)).sharedStore?.rejected).toBe(0);
  });
});
