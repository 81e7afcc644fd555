import type { LogBlocks } from './log-blocks';
import { logRowOf } from './log-row';
import { unpackJson } from './packing';
import type { SqlFile, SqlText } from './sql-file';

const rowsAtOnce = 1024;
const charsAtOnce = 8 * 1024 * 1024;

/** Are there rows of version 1 that are not in blocks yet? */
export function hasVersion1(sql: SqlFile): boolean {
  return sql.number("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'observations_v1'") === 1;
}

/**
 * Puts the newest rows of version 1 into a block. In steps, newest first: what a restart needs is there first, and the
 * rest comes while the program runs. Returns the seq that it came down to; null: nothing is left.
 */
export function convertVersion1(sql: SqlFile, log: LogBlocks): number | null {
  if (!hasVersion1(sql)) return null;
  const rows = sql.all<{ seq: number; chars: number }>(
    'SELECT seq, json_chars AS chars FROM observations_v1 ORDER BY seq DESC LIMIT ?',
    [rowsAtOnce],
  );
  let chars = 0;
  const fitting = rows.findIndex((row, index) => {
    chars += row.chars;
    return index > 0 && chars > charsAtOnce;
  });
  const from = rows.at(fitting === -1 ? -1 : fitting - 1)?.seq;
  if (from === undefined) {
    sql.exec('DROP TABLE observations_v1');
    return null;
  }
  const added = sql.transaction(() => {
    const taken = sql
      .all<{ seq: number; json: SqlText }>(
        'SELECT seq, json FROM observations_v1 WHERE seq >= ? ORDER BY seq',
        [from],
      )
      .map(({ seq, json }) => logRowOf(seq, unpackJson(json)));
    const blocks = log.insertBlocks(taken);
    sql.run('DELETE FROM observations_v1 WHERE seq >= ?', [from]);
    return blocks;
  });
  log.applyBlocks(added, []);
  return from;
}
