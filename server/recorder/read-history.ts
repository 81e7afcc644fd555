import type { HistoryBucket, HistoryFilter, HistoryMark, HistoryQuery, HistoryRow } from './history-query';
import { type LogEntry, logEntryOf, matchesFilter } from './log-entry';
import { pairKeyOf } from './pair-key';
import { readObservations } from './read-observations';
import type { SqlFile } from './sql-file';

/** What one call looks through: then whoever waits gets their turn. */
const scannedAtOnce = 5_000;
const pageRows = 500;
const maxAnswerChars = 8 * 1024 * 1024;
/** How far from one of a pair the other one is looked for. */
const pairWithin = 200;

/** `next`: where to go on (exclusive); null: all was looked through. */
export interface Slice<T> {
  readonly found: T;
  readonly next: number | null;
}

export function scanHistory(sql: SqlFile, query: HistoryQuery): Slice<HistoryRow[]> {
  const entries: LogEntry[] = [];
  let chars = 0;
  const next = scan(sql, query, (entry) => {
    entries.push(entry);
    chars += entry.json.length;
    return entries.length < query.limit && chars < maxAnswerChars;
  });
  const byKey = new Map<string, LogEntry[]>();
  for (const entry of entries) {
    const key = pairKeyOf(entry);
    if (key !== null) byKey.set(key, [...(byKey.get(key) ?? []), entry]);
  }
  const rows = entries.map((entry): HistoryRow => {
    const pair = findPair(sql, entry, byKey.get(pairKeyOf(entry) ?? '') ?? []);
    return {
      seq: entry.seq,
      json: entry.json,
      pairSeq: pair?.seq ?? null,
      pairMs: pair === undefined ? null : Math.abs(pair.observation.at - entry.observation.at),
    };
  });
  return { found: rows, next };
}

export function countSlice(sql: SqlFile, filter: HistoryFilter, afterSeq: number): Slice<number> {
  let count = 0;
  const next = scan(sql, { ...filter, afterSeq, order: 'asc' }, () => {
    count += 1;
    return true;
  });
  return { found: count, next };
}

export function markSlice(sql: SqlFile, filter: HistoryFilter, afterSeq: number): Slice<HistoryMark[]> {
  const entries: LogEntry[] = [];
  const next = scan(sql, { ...filter, afterSeq, order: 'asc' }, (entry) => entries.push(entry) > 0);
  return { found: entries.map(markOf), next };
}

export function densitySlice(
  sql: SqlFile,
  filter: HistoryFilter,
  bucketMs: number,
  afterSeq: number,
): Slice<HistoryBucket[]> {
  const buckets = new Map<string, { -readonly [K in keyof HistoryBucket]: HistoryBucket[K] }>();
  const next = scan(sql, { ...filter, afterSeq, order: 'asc' }, ({ observation: { at, kind }, facets }) => {
    const start = Math.floor(at / bucketMs) * bucketMs;
    const typeUrl = facets.typeUrls.length === 1 ? (facets.typeUrls[0] ?? null) : null;
    const key = `${start} ${kind} ${typeUrl}`;
    const bucket = buckets.get(key);
    if (bucket === undefined) buckets.set(key, { at: start, typeUrl, kind, count: 1 });
    else bucket.count += 1;
    return true;
  });
  return { found: [...buckets.values()], next };
}

function markOf(entry: LogEntry): HistoryMark {
  const { seq, observation, facets } = entry;
  return {
    seq,
    at: observation.at,
    kind: observation.kind,
    sourceId: observation.sourceId,
    clientId: 'clientId' in observation ? observation.clientId : null,
    streamId: facets.streamId,
    typeUrl: facets.typeUrls.length === 1 ? (facets.typeUrls[0] ?? null) : null,
    tookMs: facets.tookMs,
    pairSeq: null,
  };
}

type ScanQuery = HistoryFilter & Pick<HistoryQuery, 'afterSeq' | 'beforeSeq' | 'order'>;

/** Visits what matches until `visit` says false. Returns where to go on, null at the end. */
function scan(sql: SqlFile, query: ScanQuery, visit: (entry: LogEntry) => boolean): number | null {
  let { afterSeq, beforeSeq } = query;
  for (let scanned = 0; scanned < scannedAtOnce; ) {
    const { kinds, clientId, order } = query;
    const page = readObservations(sql, { kinds, clientId, order, afterSeq, beforeSeq, limit: pageRows });
    if (page.length === 0) return null;
    for (const { seq, json } of page) {
      if (order === 'asc') afterSeq = seq;
      else beforeSeq = seq;
      const entry = logEntryOf(seq, json);
      if (matchesFilter(entry, query) && !visit(entry)) return seq;
    }
    scanned += page.length;
  }
  return (query.order === 'asc' ? afterSeq : beforeSeq) ?? null;
}

function findPair(sql: SqlFile, entry: LogEntry, known: readonly LogEntry[]): LogEntry | undefined {
  const { observation, seq } = entry;
  const key = pairKeyOf(entry);
  if (key === null || !('clientId' in observation)) return undefined;
  const isResponse = observation.kind === 'response-received';
  const isPair = (other: LogEntry) =>
    pairKeyOf(other) === key && (other.observation.kind === 'response-received') !== isResponse;
  const near = known.find(isPair);
  if (near !== undefined) return near;
  const { clientId } = observation;
  const around = isResponse
    ? ({ afterSeq: seq, order: 'asc', kinds: ['ack-sent', 'nack-sent'] } as const)
    : ({ beforeSeq: seq, order: 'desc', kinds: ['response-received'] } as const);
  return readObservations(sql, { ...around, clientId, limit: pairWithin })
    .map(({ seq: otherSeq, json }) => logEntryOf(otherSeq, json))
    .find(isPair);
}
