import type { LogBlock } from '../blocks/log-block';
import type { LogBlocks } from '../blocks/log-blocks';
import { type Slice, scanLog } from '../blocks/scan-log';
import { findPair } from './find-pair';
import type { HistoryBucket, HistoryFilter, HistoryQuery, HistoryRow } from './history-query';
import { MarkColumns } from './mark-columns';
import { maxAnswerChars } from './read-observations';

export function scanHistory(log: LogBlocks, query: HistoryQuery): Slice<HistoryRow[]> {
  const rows: HistoryRow[] = [];
  let chars = 0;
  const next = scanLog(log, query, (block, index) => {
    const json = block.text(index);
    const pair = findPair(log, block, index);
    chars += json.length;
    rows.push({
      seq: block.seqAt(index),
      json,
      pairSeq: pair?.seq ?? null,
      pairMs: pair === undefined || pair.isReportedAgain ? null : Math.abs(pair.at - block.atAt(index)),
    });
    return rows.length < query.limit && chars < maxAnswerChars;
  });
  return { found: rows, next };
}

export function countSlice(log: LogBlocks, filter: HistoryFilter, afterSeq: number): Slice<number> {
  let count = 0;
  const next = scanLog(log, { ...filter, afterSeq, order: 'asc' }, () => {
    count += 1;
    return true;
  });
  return { found: count, next };
}

export function markSlice(log: LogBlocks, filter: HistoryFilter, afterSeq: number): Slice<MarkColumns> {
  const marks = new MarkColumns();
  const next = scanLog(log, { ...filter, afterSeq, order: 'asc' }, (block, index) => {
    marks.add(block, index);
    return true;
  });
  return { found: marks, next };
}

export function densitySlice(
  log: LogBlocks,
  filter: HistoryFilter,
  bucketMs: number,
  afterSeq: number,
): Slice<HistoryBucket[]> {
  const buckets = new Map<string, { -readonly [K in keyof HistoryBucket]: HistoryBucket[K] }>();
  // The bucket of most observations is found by numbers, without creating texts.
  let known = new Map<number, { count: number }>();
  let knownOf: LogBlock | undefined;
  const next = scanLog(log, { ...filter, afterSeq, order: 'asc' }, (block, index) => {
    if (knownOf !== block) known = new Map();
    knownOf = block;
    const slice = Math.floor(block.atAt(index) / bucketMs);
    const quick = (slice * 64 + (block.columns.kinds[index] ?? 0)) * 8192 + (block.columns.types[index] ?? 0);
    let bucket = known.get(quick);
    if (bucket === undefined) {
      const kind = block.kindAt(index);
      const typeUrl = block.typeAt(index);
      const at = slice * bucketMs;
      const key = `${at} ${kind} ${typeUrl}`;
      const made = buckets.get(key) ?? { at, typeUrl, kind, count: 0 };
      buckets.set(key, made);
      bucket = made;
      known.set(quick, made);
    }
    bucket.count += 1;
    return true;
  });
  return { found: [...buckets.values()], next };
}
