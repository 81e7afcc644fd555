import type { Observation } from '@/lib/observation/observation';
import type { LogBlocks } from '../blocks/log-blocks';
import { type Slice, scanLog } from '../blocks/scan-log';

export interface ObservationQuery {
  readonly afterSeq?: number;
  /** Both ends are excluded. */
  readonly beforeSeq?: number;
  readonly kinds?: readonly Observation['kind'][];
  readonly clientId?: string;
  /** Fewer observations are returned if they are large, but at least one. */
  readonly limit: number;
  /** The order is that of seq. */
  readonly order: 'asc' | 'desc';
}

export interface StoredObservation {
  readonly seq: number;
  readonly at: number;
  /** null if the observation has no client. */
  readonly clientId: string | null;
  readonly json: string;
}

/** Limits one answer to the main thread, because parsing a larger one would block the event loop. */
export const maxAnswerChars = 8 * 1024 * 1024;

export function readObservations(
  log: LogBlocks,
  query: ObservationQuery,
  maxChars = maxAnswerChars,
): Slice<StoredObservation[]> & { readonly isFull: boolean } {
  const found: StoredObservation[] = [];
  let chars = 0;
  let isFull = query.limit <= 0;
  const next = scanLog(log, query, (block, index) => {
    const json = block.text(index);
    if (found.length > 0 && chars + json.length > maxChars) {
      isFull = true;
      return false;
    }
    chars += json.length;
    const clientId = block.textOf('clients', index);
    found.push({ seq: block.seqAt(index), at: block.atAt(index), clientId, json });
    isFull = found.length >= query.limit;
    return !isFull;
  });
  return { found, next, isFull };
}
