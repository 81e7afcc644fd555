import { unpackJson } from './packing';
import type { SqlFile, SqlText, SqlValue } from './sql-file';

export interface ObservationQuery {
  /** Exclusive. */
  readonly afterSeq?: number;
  /** Exclusive. */
  readonly beforeSeq?: number;
  readonly kinds?: readonly string[];
  readonly clientId?: string;
  /** Of observations; fewer come when they are large, but at least one. */
  readonly limit: number;
  /** By seq. */
  readonly order: 'asc' | 'desc';
}

export interface StoredObservation {
  readonly seq: number;
  readonly at: number;
  readonly json: string;
}

/** One answer to the event loop: parsing more than this at once would be felt by everybody. */
const maxAnswerChars = 8 * 1024 * 1024;

export function readObservations(sql: SqlFile, query: ObservationQuery): StoredObservation[] {
  const { where, values } = conditions(query);
  const direction = query.order === 'asc' ? 'ASC' : 'DESC';
  const sizes = sql.all<{ seq: number; chars: number }>(
    `SELECT seq, json_chars AS chars FROM observations ${where} ORDER BY seq ${direction} LIMIT ?`,
    [...values, query.limit],
  );
  const count = fittingCount(sizes.map(({ chars }) => chars));
  if (count === 0) return [];
  return sql
    .all<{ seq: number; at: number; json: SqlText }>(
      `SELECT seq, at, json FROM observations ${where} ORDER BY seq ${direction} LIMIT ?`,
      [...values, count],
    )
    .map(({ seq, at, json }) => ({ seq, at, json: unpackJson(json) }));
}

/** How many of the first ones fit into one answer. */
function fittingCount(chars: readonly number[]): number {
  let total = 0;
  const tooMuch = chars.findIndex((size, index) => {
    total += size;
    return total > maxAnswerChars && index > 0;
  });
  return tooMuch === -1 ? chars.length : tooMuch;
}

function conditions(query: ObservationQuery): { where: string; values: SqlValue[] } {
  const parts: string[] = [];
  const values: SqlValue[] = [];
  if (query.afterSeq !== undefined) {
    parts.push('seq > ?');
    values.push(query.afterSeq);
  }
  if (query.beforeSeq !== undefined) {
    parts.push('seq < ?');
    values.push(query.beforeSeq);
  }
  if (query.clientId !== undefined) {
    parts.push('client_id = ?');
    values.push(query.clientId);
  }
  if (query.kinds !== undefined) {
    parts.push('kind IN (SELECT value FROM json_each(?))');
    values.push(JSON.stringify(query.kinds));
  }
  return { where: parts.length > 0 ? `WHERE ${parts.join(' AND ')}` : '', values };
}
