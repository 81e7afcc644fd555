import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openState } from '@/server/compose/open-state';
import { Mutes, mutesEntry } from '@/server/live/issues/mutes';
import { systemClock } from '@/server/observe';
import { projectRoot } from '@/server/project-root';
import { KeptValue } from '@/server/store/kept-value';
import { ObservationLog } from '@/server/store/log';
import { openPostgres } from '@/server/store/open-postgres';
import type { StoreDatabase } from '@/server/store/schema';
import { StateStore } from '@/server/store/state';
import { bodyOf, emissionOf } from '../support/builders/recorder-emissions';
import { openWholeRecorder } from '../support/open-recorder';
import { findPostgres, type PostgresServer, startPostgres } from '../support/postgres';
import { tempDataDir } from '../support/recorder-temp-dir';
import { waitUntil } from '../support/wait-until';

const isThere = findPostgres() !== undefined;
const story = 'npm start -- copy';
const count = 20_000;
const pin = { from: 10, to: 500, clientId: 'client-7', label: 'an incident', createdAt: 600 };
const muted = Number.MAX_SAFE_INTEGER;

describe.skipIf(!isThere)(isThere ? story : `${story}: skipped, no PostgreSQL is installed`, () => {
  const dataDir = path.join(tempDataDir(), 'data');
  let postgres: PostgresServer;
  let url: string;
  let store: StoreDatabase;
  let log: ObservationLog;

  beforeAll(async () => {
    const recorder = await openWholeRecorder({ dataDir });
    for (let n = 1; n <= count; n++) {
      recorder.append(emissionOf(n, `content ${n % 500}`, `client-${n % 50}`, `cluster-${n % 100}`));
      if (n % 1_000 === 0) await recorder.keepPace();
    }
    await recorder.flushed();
    await recorder.pin(pin);
    const state = await openState({ dataDir, setAsideDamaged: false, onDamage: () => undefined });
    await new Mutes(await KeptValue.open(state, mutesEntry)).set(['cluster a'], muted, 0);
    await state.close();
    for (const id of ['one', 'two']) {
      const held = [bodyOf(`content ${id.length}`).hash];
      await recorder.savePermalink({ id, createdAt: 5, content: { id }, hashes: held });
    }
    await recorder.close();
    postgres = await startPostgres({ isDurable: true });
    url = await postgres.createDatabase();
    store = await openPostgres({ url });
    log = new ObservationLog(store, systemClock);
  });
  afterAll(async () => {
    await store?.close();
    await postgres?.stop();
  });

  const start = (...args: readonly string[]): { readonly child: ChildProcess; output: () => string } => {
    const main = path.join(projectRoot, '.build', 'main.mjs');
    const child = spawn(process.execPath, [main, 'copy', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
    return { child, output: () => text };
  };
  const run = async (...args: readonly string[]) => {
    const { child, output } = start(...args);
    const [code] = await once(child, 'close');
    return { code, output: output() };
  };
  const readAll = async () => {
    const times: number[] = [];
    for (let afterSeq = 0; ; ) {
      const page = await log.readObservations({ afterSeq, limit: 2_000, order: 'asc' });
      times.push(...page.map(({ at }) => at));
      const last = page.at(-1);
      if (last === undefined) return times;
      afterSeq = last.seq;
    }
  };

  it('copies all observations once and in order, and the permalinks, pins and muted issues, when it is repeated after kill -9', async () => {
    const first = start('--from', dataDir, '--store', url);
    const ended = once(first.child, 'close');
    await waitUntil('some are copied', async () => (await log.readHeads()).newestSeq > 0);
    first.child.kill('SIGKILL');
    await ended;
    const { newestSeq } = await log.readHeads();
    expect(newestSeq).toBeLessThan(count);
    // Retention of the store already keeps what is pinned.
    expect(await log.pins()).toMatchObject([pin]);
    const second = await run('--from', path.join(dataDir, 'recording.sqlite'), '--store', url);
    expect(second).toMatchObject({ code: 0 });
    expect(second.output).toContain(`the store has the observations up to ${newestSeq} of ${count}`);
    expect(second.output).toContain(
      `all of ${path.join(dataDir, 'recording.sqlite')}: ${count} observations, 2 permalinks, 1 pins`,
    );
    expect(await readAll()).toEqual(Array.from({ length: count }, (_, index) => index + 1));
    expect(await log.totalPermalinks()).toMatchObject({ count: 2 });
    expect(await log.readPermalink('two')).toEqual({ id: 'two', createdAt: 5, json: '{"id":"two"}' });
    const bodies = await log.readBodies(Array.from({ length: 500 }, (_, n) => bodyOf(`content ${n}`).hash));
    expect(bodies.size).toBe(500);
    // A third copy has nothing to do.
    expect((await run('--from', dataDir, '--store', url)).code).toBe(0);
    expect((await log.readHeads()).newestSeq).toBe(count);
    expect(await log.pins()).toMatchObject([pin]);
    const shared = new StateStore({ database: store, onDamage: () => undefined });
    expect((await KeptValue.open(shared, mutesEntry)).value).toEqual({
      subjects: [{ key: 'cluster a', until: muted }],
    });
  });

  it('states in one line what is missing', async () => {
    const none = await run('--from', tempDataDir(), '--store', url);
    expect(none).toMatchObject({
      code: 2,
      output: expect.stringMatching(/copy: expected a data directory with a recording, got/),
    });
    const noStore = await run('--from', dataDir);
    expect(noStore).toMatchObject({ code: 2, output: expect.stringMatching(/expected --store/) });
    const other = path.join(tempDataDir(), 'data');
    await (await openWholeRecorder({ dataDir: other })).close();
    const otherKey = await run('--from', other, '--store', url);
    expect(otherKey).toMatchObject({
      code: 2,
      output: expect.stringMatching(/expected the redaction key of the other processes/),
    });
  });
});
