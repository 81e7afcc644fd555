import * as z from 'zod';
import type { Observation, StreamOpened } from '@/lib/observation/observation';
import { ownVantages } from '@/lib/observation/vantage';
import type { Observe } from '../observe';
import type { KeptValue, StateEntry } from '../store/kept-value';
import type { Recorder } from '../store/recorder/recorder';

interface LostStreams {
  /** The position up to which this was done. */
  readonly kept: KeptValue<z.infer<typeof streamEnds>>;
  readonly recorder: Pick<Recorder, 'readHistory' | 'flushed'>;
  readonly observe: Observe;
  /** The newest position of the log before this run. */
  readonly newestSeq: number;
}

export const lostStreamDetails = "xdscope ended without seeing this stream's end";

const eventsAtOnce = 1_000;
const vantages = ['probe', 'tap', 'lrs'] as const;
const kinds = ['stream-opened', 'stream-closed'] as const;
const streamEnds = z.object({ seq: z.int().nonnegative() });

export const streamEndsEntry: StateEntry<z.infer<typeof streamEnds>> = {
  key: 'stream-ends',
  schema: streamEnds,
  initial: { seq: 0 },
};

/**
 * Ends the streams that were open when an earlier run was killed, at the newest time that was observed before the
 * start. Resolves before the first observation of this run, which is then later in the log.
 */
export async function endLostStreams({ kept, recorder, observe, newestSeq }: LostStreams): Promise<void> {
  const keptSeq = kept.value.seq;
  // The log was replaced by an empty one.
  const doneSeq = keptSeq > newestSeq ? 0 : keptSeq;
  const open = await findOpen(recorder, doneSeq, newestSeq);
  if (open.length > 0) {
    const [newest] = await recorder.readHistory({
      ...{ vantages: ownVantages, beforeSeq: newestSeq + 1 },
      ...{ limit: 1, order: 'desc' },
    });
    const newestAt = newest === undefined ? 0 : (JSON.parse(newest.json) as Observation).at;
    for (const { vantage, sourceId, clientId, streamId, at } of open) {
      const end = { code: 'UNKNOWN', details: lostStreamDetails, hadResponse: true };
      const base = { at: Math.max(at, newestAt), vantage, sourceId, clientId, streamId };
      observe({ observation: { kind: 'stream-closed', ...base, ...end }, bodies: [] });
    }
  }
  if (newestSeq === keptSeq) return;
  const isStored = await recorder.flushed().then(
    () => true,
    () => false,
  );
  // Ends that could not be written are reported again at the next start.
  if (isStored) await kept.change(() => ({ seq: newestSeq }));
}

/** Finds streams that were opened after `afterSeq`, up to `untilSeq`, and not closed until then; oldest first. */
async function findOpen(
  recorder: LostStreams['recorder'],
  afterSeq: number,
  untilSeq: number,
): Promise<StreamOpened[]> {
  const open = new Map<string, StreamOpened>();
  for (let readSeq = afterSeq; ; ) {
    const rows = await recorder.readHistory({
      ...{ vantages, kinds, afterSeq: readSeq, beforeSeq: untilSeq + 1 },
      ...{ limit: eventsAtOnce, order: 'asc' },
    });
    const last = rows.at(-1);
    if (last === undefined) return [...open.values()];
    readSeq = last.seq;
    for (const { json } of rows) {
      const observation = JSON.parse(json) as Observation;
      if (observation.kind === 'stream-opened') open.set(observation.streamId, observation);
      else if (observation.kind === 'stream-closed') open.delete(observation.streamId);
    }
  }
}
