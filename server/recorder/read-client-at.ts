import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import { findNewestCheckpoint, readCheckpoint } from './checkpoint';
import { chunksOf, restoreChunk, snapshotClients } from './client-snapshot';
import { readGaps } from './read-gaps';
import { readObservations } from './read-observations';
import type { SqlFile } from './sql-file';

/** ClientAt on its way between the threads. */
export interface ClientAtText {
  /** As chunksOf() makes them. */
  readonly chunks: readonly string[];
  readonly seq: number;
  readonly beginsAt: EpochMs;
  readonly incomplete: string;
}

const page = 500;

export function readClientAt(
  sql: SqlFile,
  clientId: string,
  until: EpochMs | { readonly seq: number },
): ClientAtText | undefined {
  const untilSeq =
    typeof until === 'number'
      ? sql.number('SELECT max(seq) AS n FROM observations WHERE at <= ?', [until])
      : until.seq;
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
  for (;;) {
    const found = readObservations(sql, {
      clientId,
      afterSeq,
      beforeSeq: untilSeq + 1,
      limit: page,
      order: 'asc',
    });
    const last = found.at(-1);
    if (last === undefined) break;
    beginsAt ??= found[0]?.at ?? null;
    for (const { seq, json } of found) foldObservation(world, { ...(JSON.parse(json) as Observation), seq });
    afterSeq = last.seq;
  }
  const client = world.get(clientId);
  if (client === undefined || beginsAt === null) return undefined;
  const chunks = Array.from(chunksOf(snapshotClients([client])), ({ json }) => json);
  return { chunks, seq: client.seq, beginsAt, incomplete: describeMissing(sql, untilSeq, afterSeq) };
}

function describeMissing(sql: SqlFile, untilSeq: number, afterSeq: number): string {
  const gap = readGaps(sql).find(({ fromSeq, toSeq }) => fromSeq <= untilSeq && toSeq > afterSeq);
  if (gap) return `observations ${gap.fromSeq} to ${gap.toSeq} were not recorded: ${gap.reason}`;
  const oldest = sql.number('SELECT min(seq) AS n FROM observations') ?? 1;
  return afterSeq === 0 && oldest > 1 ? 'what was observed before is no longer in the log' : '';
}
