import type { RetentionLimits } from '../retention/retention';
import type { RecorderThread } from './recorder-thread';

/** Work of one call, which takes some 10 ms, so that other requests are served in between. */
const slice = { bodies: 500, pages: 500 };

interface RetentionRound {
  readonly thread: RecorderThread;
  readonly limits: RetentionLimits;
  /** Checked between two steps. */
  readonly isCancelled: () => boolean;
  /** Makes the next emission of these bodies contain their bytes, and resolves when earlier ones are written. */
  readonly forgetBodies: (hashes: readonly string[]) => Promise<unknown>;
}

/**
 * Brings the recording within its limits in small steps, oldest first: deletes observations, then the bodies that
 * only they named, repeatedly while it is too large, and at last returns free pages to the file system.
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

/** Stores the clients' states before their observations are deleted. Returns the number of the latter. */
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
 * A body that was found unnamed may be named again by an emission that assumes that it is stored. Therefore bodies are
 * first forgotten, and all appended observations are written; then those bodies that are still unnamed are deleted.
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
