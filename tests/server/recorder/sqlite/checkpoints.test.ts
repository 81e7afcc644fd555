import { expect, it } from 'vitest';
import { sqliteCheckpoints } from '@/server/recorder/sqlite/checkpoints';
import { logFormat } from '@/server/recorder/sqlite/log-schema';
import { prepareTables } from '@/server/recorder/sqlite/open-database';
import { SqlFile, type SqlValue } from '@/server/recorder/sqlite/sql-file';

/** Collects the query plans. */
class ExplainedFile extends SqlFile {
  readonly plans: string[] = [];

  override all<Row>(sql: string, values: readonly SqlValue[] = []): Row[] {
    if (sql.startsWith('SELECT id, json')) {
      const steps = super.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values);
      this.plans.push(steps.map(({ detail }) => detail).join('; '));
    }
    return super.all<Row>(sql, values);
  }
}

function newFile() {
  const sql = new ExplainedFile(':memory:');
  prepareTables(sql, 'test.db', logFormat);
  const checkpoints = sqliteCheckpoints(sql);
  const checkpointId = checkpoints.begin(1, 0);
  const chunks = Array.from({ length: 25 }, (_, index) => ({
    ...{ clientId: `client-${index % 5}`, json: `{"chunk":${index}}` },
  }));
  checkpoints.append(checkpointId, chunks);
  return { sql, checkpoints, checkpointId };
}

it('a page of a checkpoint is read in the order of its rows, without sorting the remaining rows', () => {
  const { sql, checkpoints, checkpointId } = newFile();
  const first = checkpoints.read(checkpointId, 0, 10);
  const second = checkpoints.read(checkpointId, first.next ?? 0, 10);
  const third = checkpoints.read(checkpointId, second.next ?? 0, 10);
  expect([...first.chunks, ...second.chunks, ...third.chunks]).toEqual(
    Array.from({ length: 25 }, (_, index) => `{"chunk":${index}}`),
  );
  expect(third.next).toBeNull();
  expect(sql.plans).toHaveLength(3);
  for (const plan of sql.plans)
    expect(plan).toMatch(/^SEARCH checkpoint_chunks USING INTEGER PRIMARY KEY \(rowid>\?\)$/);
});

it('the chunks of one client are found by the index of clients', () => {
  const { sql, checkpoints, checkpointId } = newFile();
  const { chunks } = checkpoints.read(checkpointId, 0, 100, 'client-3');
  expect(chunks).toEqual([3, 8, 13, 18, 23].map((index) => `{"chunk":${index}}`));
  expect(sql.plans.at(-1)).toMatch(
    /USING INDEX checkpoint_chunks_by_client \(checkpoint_id=\? AND client_id=\?/,
  );
});
