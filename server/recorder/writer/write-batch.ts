import type { Recorded } from '@/lib/observation/observation';
import { decodeRows } from '../blocks/encoded-rows';
import type { BlockChange, LogBlocks } from '../blocks/log-blocks';
import type { HeldBodies } from '../bodies/held-bodies';
import { namedHashes } from '../bodies/named-hashes';
import type { NewBody } from '../storage/immutable-stores';
import type { LogStorage } from '../storage/log-storage';
import type { Gap } from '../storage/state-stores';
import type { BroughtBody, WriteBatch } from './batch-builder';

interface Written {
  readonly change: BlockChange;
  readonly bodies: number;
  /** Hashes of bodies whose log thread ended before it stored them. The log states them as a gap. */
  readonly lost: readonly string[];
}

/**
 * Writes all batches in one transaction. Repeating committed batches changes nothing. Calls `visit` with each
 * observation that is new to the log, in order and before the commit. Only one observation at a time is in memory as an
 * object.
 */
export function writeBatches(
  storage: LogStorage,
  log: LogBlocks,
  held: HeldBodies,
  batches: readonly WriteBatch[],
  visit: (observation: Recorded) => void,
): Written {
  return storage.transaction(() => {
    let bodies = 0;
    const lost: string[] = [];
    let change = log.unchanged;
    for (const batch of batches) {
      const brought = insertBodies(storage, held, batch);
      bodies += brought.inserted;
      lost.push(...brought.lost.map(({ hash }) => hash));
      const lostTimes = new Map(brought.lost.map(({ seq }) => [seq, 0]));
      const newestSeq = log.newestSeqAfter(change);
      const first = batch.seqs.findIndex((seq) => seq > newestSeq);
      const from = first === -1 ? batch.seqs.length : first;
      const rows = visitedRows(batch, from, (observation) => {
        const { seq, at } = observation;
        for (const hash of namedHashes(observation)) storage.bodies.keep(hash, seq);
        if (lostTimes.has(seq)) lostTimes.set(seq, at);
        visit(observation);
      });
      change = log.write(rows, batch, from, change);
      for (const gap of batch.gaps) storage.gaps.save(gap);
      if (brought.lost.length > 0) storage.gaps.save(gapOf(brought.lost.length, lostTimes));
    }
    return { change, bodies, lost };
  });
}

function insertBodies(storage: LogStorage, held: HeldBodies, { bodies, bodyBytes }: WriteBatch) {
  const found: NewBody[] = [];
  const lost: BroughtBody[] = [];
  for (const body of bodies) {
    const { hash, typeUrl, seq, from, to, pack } = body;
    const bytes = pack === undefined ? bodyBytes.subarray(from, to) : held.find({ ...pack, from, to });
    if (bytes !== undefined) found.push({ hash, typeUrl, seq, bytes });
    // The ended thread may have committed the batch before.
    else if (storage.bodies.read(hash, typeUrl) !== undefined) storage.bodies.keep(hash, seq);
    else lost.push(body);
  }
  return { inserted: storage.bodies.insert(found), lost };
}

/** States that observations are in the log without `bodies` of their bodies. `times` are their times by seq. */
function gapOf(bodies: number, times: ReadonlyMap<number, number>): Gap {
  return {
    fromSeq: Math.min(...times.keys()),
    toSeq: Math.max(...times.keys()),
    fromAt: Math.min(...times.values()),
    toAt: Math.max(...times.values()),
    reason: `expected the payloads of ${bodies} resources, got none: the log thread ended before it stored them`,
  };
}

function* visitedRows(batch: WriteBatch, from: number, visit: (row: Recorded) => void): Generator<Recorded> {
  for (const row of decodeRows(batch, from)) {
    visit(row);
    yield row;
  }
}
