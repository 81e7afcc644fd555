import type { Recorder } from '../../recorder/recorder';
import { wholeBuffer } from '../../threads/whole-buffer';
import type { BodyKey } from '../findings/body-readings';
import type { Asked, GraphJobs } from './graph-model-builder';
import type { RunGraphJob } from './run-graph-job';

export interface BodyGiver {
  readonly run: RunGraphJob;
  readonly recorder: Pick<Recorder, 'readBodies'>;
}

/** A closure is as deep as aggregates nest, and some more: who asks oftener asks in a circle. */
const maxRounds = 100;

/** Asks a builder, gives it the bodies that it lacks for the answer, in its turns, and asks again. */
export async function supplyBodies<T>(
  giver: BodyGiver,
  list: string,
  version: number,
  question: (run: RunGraphJob) => Promise<Asked<T>>,
): Promise<Asked<T>> {
  try {
    return await askInRounds(giver, list, version, question);
  } catch (error) {
    forget(giver.run, list, version);
    throw error;
  }
}

/** Called when the list, or a question about it, is given up. */
export function forget(run: RunGraphJob, list: string, version: number): void {
  // The job fails only where the worker has ended, and has nothing to forget.
  run('forget', { list, version }).catch(() => undefined);
}

async function askInRounds<T>(
  { run, recorder }: BodyGiver,
  list: string,
  version: number,
  question: (run: RunGraphJob) => Promise<Asked<T>>,
): Promise<Asked<T>> {
  for (let round = 0; round < maxRounds; round++) {
    const asked = await question(run);
    if (asked.kind !== 'missing') return asked;
    // Two turns at first: while the builder reads one, the next comes from the disk.
    const queue = [...asked.missing];
    const turn = Math.ceil(queue.length / 2);
    const readNext = () => (queue.length === 0 ? undefined : readBodies(recorder, queue.splice(0, turn)));
    let coming = readNext();
    while (coming !== undefined) {
      const taken = run('bodies', { list, version, ...(await coming) });
      coming = readNext();
      // Who waits for it sees to its error; when `taken` fails, nobody does.
      coming?.catch(() => undefined);
      const more = await taken;
      if (more === 'unknown') return { kind: 'unknown' };
      queue.push(...more);
      coming ??= readNext();
    }
  }
  throw new Error(`the question about "${list}" lacks bodies after ${maxRounds} rounds of giving them`);
}

async function readBodies(
  recorder: Pick<Recorder, 'readBodies'>,
  keys: readonly BodyKey[],
): Promise<Pick<GraphJobs['bodies']['input'], 'bodies' | 'absent'>> {
  if (keys.length === 0) return { bodies: [], absent: [] };
  const stored = await recorder.readBodies(keys.map(({ hash }) => hash));
  const absent: BodyKey[] = [];
  const bodies: (BodyKey & { readonly bytes: Uint8Array })[] = [];
  for (const key of keys) {
    const body = stored.get(key.hash);
    if (body === undefined) absent.push(key);
    else bodies.push({ ...key, bytes: wholeBuffer(body.bytes) });
  }
  return { bodies, absent };
}
