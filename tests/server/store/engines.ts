import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, describe } from 'vitest';
import { openPostgres } from '@/server/store/open-postgres';
import { openSqlite } from '@/server/store/open-sqlite';
import type { StoreDatabase, StoreEngine } from '@/server/store/schema';
import { findPostgres, type PostgresServer, startPostgres } from '../../support/postgres';

export interface EngineUnderTest {
  readonly engine: StoreEngine;
  /** Opens a new, empty store, which is closed after the test. */
  open(): Promise<StoreDatabase>;
  /** Opens the newest store once more. */
  openAgain(): Promise<StoreDatabase>;
}

/** Describes what holds on both engines. PostgreSQL is started once for each file of tests. */
export function describeEngines(what: string, describeOn: (engine: EngineUnderTest) => void): void {
  describe.each<StoreEngine>(['sqlite', 'postgres'])(`${what} on %s`, (engine) => {
    const isThere = engine === 'sqlite' || findPostgres() !== undefined;
    describe.skipIf(!isThere)(isThere ? 'of this machine' : 'is skipped: no PostgreSQL is installed', () => {
      describeOn(engine === 'sqlite' ? sqliteUnderTest() : postgresUnderTest());
    });
  });
}

function closing(engine: StoreEngine, start: () => Promise<() => Promise<StoreDatabase>>): EngineUnderTest {
  const opened: StoreDatabase[] = [];
  let again: (() => Promise<StoreDatabase>) | undefined;
  afterEach(async () => {
    for (const store of opened.splice(0).reverse()) await store.close();
  });
  const keep = async (store: Promise<StoreDatabase>) => {
    opened.push(await store);
    return store;
  };
  return {
    engine,
    async open() {
      again = await start();
      return keep(again());
    },
    openAgain() {
      if (again === undefined) throw new Error('expected open() before openAgain()');
      return keep(again());
    },
  };
}

function sqliteUnderTest(): EngineUnderTest {
  const folder = mkdtempSync(path.join(process.env.XDSCOPE_TEST_FOLDER ?? tmpdir(), 'store-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let files = 0;
  return closing('sqlite', async () => {
    const file = path.join(folder, `${++files}.sqlite`);
    return () => openSqlite({ file });
  });
}

function postgresUnderTest(): EngineUnderTest {
  let server: Promise<PostgresServer> | undefined;
  afterAll(async () => (await server)?.stop());
  return closing('postgres', async () => {
    server ??= startPostgres();
    const url = await (await server).createDatabase();
    return () => openPostgres({ url });
  });
}
