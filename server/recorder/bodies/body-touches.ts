import { LRUCache } from 'lru-cache';
import type { SqlFile } from '../database/sql-file';

/** Body by hash -> up to which seq the file keeps it at the least. Of what was named lately. */
export type BodyTouches = LRUCache<string, number>;

const maxKnown = 100_000;
/** A body that is named again and again is written once in so many observations, and kept by that much longer. */
const maxLease = 10_000;

export function newBodyTouches(): BodyTouches {
  return new LRUCache({ max: maxKnown });
}

/** Up to which seq a body is kept that is named at `seq`. */
export function leaseFrom(seq: number): number {
  return seq + Math.min(maxLease, Math.floor(seq / 16));
}

export function isKept(touches: BodyTouches, hash: string, seq: number): boolean {
  return (touches.get(hash) ?? 0) >= seq;
}

/**
 * Notes up to which seq bodies are named, so that retention keeps them as long as what names them. What `touches`
 * learns holds only if the transaction is committed: after one that was not, it must be cleared.
 */
export function touchBodies(sql: SqlFile, touches: BodyTouches, named: ReadonlyMap<string, number>): void {
  for (const [hash, seq] of named) {
    if (isKept(touches, hash, seq)) continue;
    const until = leaseFrom(seq);
    sql.run('UPDATE bodies SET last_seq = ? WHERE hash = ? AND last_seq < ?', [until, hash, until]);
    touches.set(hash, until);
  }
}

/** Keeps bodies that the state at `seq` names, though what named them goes. Returns up to which seq they are kept. */
export function keepBodies(
  sql: SqlFile,
  touches: BodyTouches,
  hashes: Iterable<string>,
  seq: number,
): number {
  const until = leaseFrom(seq) + 1;
  for (const hash of hashes) {
    if (isKept(touches, hash, until)) continue;
    sql.run('UPDATE bodies SET last_seq = ? WHERE hash = ? AND last_seq < ?', [until, hash, until]);
    touches.set(hash, until);
  }
  return until;
}
