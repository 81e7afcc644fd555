import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSharedStore } from '@/server/forwarding/open-shared-store';
import { findPostgres, type PostgresServer, startPostgres } from '@/tests/support/postgres';

const isThere = findPostgres() !== undefined;
const title = 'openSharedStore()';

describe.skipIf(!isThere)(isThere ? title : `${title}: skipped, no PostgreSQL is installed`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  it('opens the store for the redaction key of the first process, until the store forgets it as docs/scale.md describes', async () => {
    const url = await server.createDatabase();
    const openAs = async (key: string) => (await openSharedStore(url, key)).database;
    await (await openAs('former')).close();
    await expect(openAs('next')).rejects.toThrow(
      'expected the redaction key of the other processes (SHA-256 former), got another one (next)',
    );
    const database = await openAs('former');
    await sql`delete from state where key = 'redaction-key'`.execute(database.db);
    await database.close();
    await (await openAs('next')).close();
    await expect(openAs('former')).rejects.toThrow('(SHA-256 next), got another one (former)');
  });
});
