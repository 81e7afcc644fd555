import { afterEach, expect, it } from 'vitest';
import { RemoteSources } from '@/server/forwarding/remote-sources';
import { SourceReporter } from '@/server/forwarding/source-reporter';
import { systemClock } from '@/server/observe';
import { initialSourceStatus, type SourceStatus } from '@/server/source-status';
import { findKind } from '@/server/sources/source-kinds';
import type { SourceDescription } from '@/server/sources/source-registry';
import { openSqlite } from '@/server/store/open-sqlite';
import { StateStore } from '@/server/store/state';
import { bytesOfText } from '@/server/store/text-bytes';
import { waitUntil } from '@/tests/support/wait-until';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

it('reports the ids of clients only when they change, and the times at which they were named always', async () => {
  const database = await openSqlite({ file: ':memory:' });
  const state = new StateStore({ database, onDamage() {} });
  const description: SourceDescription = {
    ...{ id: 'csds:a:1', kind: 'csds', target: 'a:1', label: 'a:1', origin: 'flag', security: 'plain' },
    ...{ notices: [], health: findKind('csds').health },
  };
  let clients = new Map([
    ['one', 5],
    ['two', 5],
  ]);
  let shown: SourceStatus | undefined;
  const reporter = new SourceReporter({
    ...{ clock: { ...systemClock, setTimeout: (work) => systemClock.setTimeout(work, 5) } },
    ...{ collector: 'c', name: 'host', state: async () => state },
    listSources: () => [{ description, status: { ...initialSourceStatus, state: 'up', clients } }],
  });
  const remote = new RemoteSources({
    ...{ clock: { ...systemClock, setTimeout: (work) => systemClock.setTimeout(work, 5) }, state },
    registry: {
      ...{ add: () => undefined, remove: async () => undefined, has: () => false },
      publish: (_: string, status: SourceStatus) => {
        shown = status;
      },
    } as never,
  });
  opened.push(state, reporter, remote);
  reporter.start();
  await remote.start();
  const isShown = (expected: Map<string, number>) =>
    waitUntil(
      'the clients are shown',
      () => JSON.stringify([...(shown?.clients ?? [])]) === JSON.stringify([...expected]),
    );
  const versionOf = async (key: string) => {
    const row = await database.db
      .selectFrom('state')
      .select('version')
      .where('key', '=', bytesOfText(key))
      .executeTakeFirst();
    return row?.version;
  };
  await isShown(clients);
  clients = new Map([...clients.keys()].map((id) => [id, 6]));
  await isShown(clients);
  clients = new Map([
    ['one', 7],
    ['two', 8],
  ]);
  await isShown(clients);
  expect([await versionOf('collector-clients/c'), await versionOf('collector-sources/c')]).toEqual([1, 3]);
  clients = new Map([['two', 9]]);
  await isShown(clients);
  expect(await versionOf('collector-clients/c')).toBe(2);
});
