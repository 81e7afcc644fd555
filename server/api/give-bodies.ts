import type { Recorder } from '../recorder/recorder';
import { wholeBuffer } from '../threads/whole-buffer';
import type { BodyKey, RowsTaken } from './graph-maker';
import type { RunGraphJob } from './graph-rows';

export interface BodyGiver {
  readonly run: RunGraphJob;
  readonly recorder: Pick<Recorder, 'readBodies'>;
}

/** Gives a maker the bodies that it lacks for a list, in its turns, till it lacks none. */
export async function giveBodies(
  { run, recorder }: BodyGiver,
  list: string,
  version: number,
  wanted: readonly BodyKey[],
): Promise<void> {
  for (let missing = wanted; missing.length > 0; ) {
    const stored = await recorder.readBodies(missing.map(({ hash }) => hash));
    const absent: BodyKey[] = [];
    const bodies: (BodyKey & { readonly bytes: Uint8Array })[] = [];
    for (const key of missing) {
      const body = stored.get(key.hash);
      if (body === undefined) absent.push(key);
      else bodies.push({ ...key, bytes: wholeBuffer(body.bytes) });
    }
    const taken: RowsTaken = await run('bodies', { list, version, bodies, absent });
    if (taken.kind === 'unknown') throw new Error(`the rows of "${list}" were lost while bodies came`);
    missing = taken.missing;
  }
}
