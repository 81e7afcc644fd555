import type { RetentionLimits } from '../retention/retention';
import type { RecorderThread } from './recorder-thread';

/** One call's worth of work: some 10 ms of the worker, then whoever waits gets their turn. */
const slice = { bodies: 500, pages: 500 };

export interface RetentionRound {
  readonly thread: RecorderThread;
  readonly limits: RetentionLimits;
  /** Asked between two steps. */
  readonly isCancelled: () => boolean;
  /** Makes the next emission of these bodies bring its bytes, and resolves when everything said before is written. */
  readonly forgetBodies: (hashes: readonly string[]) => Promise<unknown>;
}

/**
 * Brings the recording within its limits. In small steps, oldest first: observations, then the bodies that only they
 * named, and again while it is still too big; at the end free pages go back to the disk.
 */
export async function runRetentionRound(round: RetentionRound): Promise<void> {
  const { thread, isCancelled } = round;
  for (;;) {
    const observations = await deleteOldest(round);
    const bodies = await sweepBodies(round);
    if (isCancelled()) return;
    if (observations === 0 && bodies === 0) break;
  }
  while ((await thread.call('shrinkFile', slice.pages)) && !isCancelled());
}

/** Keeps the state of those whom it concerns, client by client, and then deletes. Returns how many went. */
async function deleteOldest({ thread, limits, isCancelled }: RetentionRound): Promise<number> {
  const plan = await thread.call('planRetention', limits);
  if (plan === null) return 0;
  for (const clientId of plan.clientIds) {
    if (isCancelled()) return 0;
    await thread.call('rollBase', clientId, plan.untilSeq);
  }
  return thread.call('deleteObservations', plan.untilSeq);
}

/**
 * In two steps, since a body found unnamed may be named again at the same moment by somebody who takes it for stored:
 * first it is forgotten and what was said before that is written, then those that are still unnamed go.
 */
async function sweepBodies({ thread, forgetBodies }: RetentionRound): Promise<number> {
  const found = await thread.call('findUnnamedBodies', slice.bodies);
  if (found.length === 0) return 0;
  await forgetBodies(found.map(({ hash }) => hash));
  return thread.call(
    'deleteUnnamedBodies',
    found.map(({ id }) => id),
  );
}
