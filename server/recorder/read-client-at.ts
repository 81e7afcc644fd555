import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import { findNewestCheckpoint, readCheckpoint } from './checkpoint';
import { chunksOf, restoreChunk, snapshotClients } from './client-snapshot';
import type { LogBlocks } from './log-blocks';
import { readGaps } from './read-gaps';
import { scanLog } from './scan-log';
import type { SqlFile } from './sql-file';

/** ClientAt on its way between the threads. */
export interface ClientAtText {
  /** As chunksOf() makes them. */
  readonly chunks: readonly string[];
  readonly seq: number;
  readonly beginsAt: EpochMs;
  readonly incomplete: string;
}

export function readClientAt(
  sql: SqlFile,
  log: LogBlocks,
  clientId: string,
  until: EpochMs | { readonly seq: number },
): ClientAtText | undefined {
  const untilSeq = typeof until === 'number' ? log.seqAt(until) : until.seq;
  if (untilSeq === null) return undefined;
  const world: World = new Map();
  const checkpoint = findNewestCheckpoint(sql);
  let afterSeq = 0;
  let beginsAt: EpochMs | null = null;
  if (checkpoint && checkpoint.seq <= untilSeq) {
    for (let after: number | null = 0; after !== null; ) {
      const found: ReturnType<typeof readCheckpoint> = readCheckpoint(
        sql,
        checkpoint.id,
        after,
        10,
        clientId,
      );
      for (const json of found.chunks) restoreChunk(world, json);
      after = found.next;
    }
    afterSeq = checkpoint.seq;
    const at = sql.number('SELECT created_at AS n FROM checkpoints WHERE id = ?', [checkpoint.id]);
    if (world.has(clientId)) beginsAt = at;
  }
  for (let next: number | null = afterSeq; next !== null; ) {
    const query = { clientId, afterSeq: next, beforeSeq: untilSeq + 1, order: 'asc' } as const;
    next = scanLog(log, query, (block, index) => {
      beginsAt ??= block.atAt(index);
      const observation = JSON.parse(block.texts([index])[0] ?? '') as Observation;
      foldObservation(world, { ...observation, seq: block.seqAt(index) });
      return true;
    });
  }
  const client = world.get(clientId);
  if (client === undefined || beginsAt === null) return undefined;
  const chunks = Array.from(chunksOf(snapshotClients([client])), ({ json }) => json);
  return { chunks, seq: client.seq, beginsAt, incomplete: describeMissing(sql, log, untilSeq, afterSeq) };
}

function describeMissing(sql: SqlFile, log: LogBlocks, untilSeq: number, afterSeq: number): string {
  const gap = readGaps(sql).find(({ fromSeq, toSeq }) => fromSeq <= untilSeq && toSeq > afterSeq);
  if (gap) return `observations ${gap.fromSeq} to ${gap.toSeq} were not recorded: ${gap.reason}`;
  const oldest = log.oldest?.seq ?? 1;
  return afterSeq === 0 && oldest > 1 ? 'what was observed before is no longer in the log' : '';
}
