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
  /** The file or the URL of the newest store. */
  place(): string;
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

/** Opens a store by its file or its URL. */
export function openStore(engine: StoreEngine, place: string): Promise<StoreDatabase> {
  return engine === 'sqlite' ? openSqlite({ file: place }) : openPostgres({ url: place });
}

function closing(engine: StoreEngine, makePlace: () => Promise<string>): EngineUnderTest {
  const opened: StoreDatabase[] = [];
  let newest = '';
  afterEach(async () => {
    for (const store of opened.splice(0).reverse()) await store.close();
  });
  const openNewest = async () => {
    const store = await openStore(engine, newest);
    opened.push(store);
    return store;
  };
  return {
    engine,
    async open() {
      newest = await makePlace();
      return openNewest();
    },
    openAgain: openNewest,
    place: () => newest,
  };
}

function sqliteUnderTest(): EngineUnderTest {
  const folder = mkdtempSync(path.join(process.env.XDSCOPE_TEST_FOLDER ?? tmpdir(), 'store-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let files = 0;
  return closing('sqlite', async () => path.join(folder, `${++files}.sqlite`));
}

function postgresUnderTest(): EngineUnderTest {
  let server: Promise<PostgresServer> | undefined;
  afterAll(async () => (await server)?.stop());
  return closing('postgres', async () => {
    server ??= startPostgres();
    return (await server).createDatabase();
  });
}
