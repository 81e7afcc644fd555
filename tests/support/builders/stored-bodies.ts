import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Body } from '@/server/observe';
import type { BodySource } from '@/server/store/recorder/recorder';
import { openWholeRecorder } from '../open-recorder';

/** Bodies are written when the test flushes them. */
const stoppedClock = { now: () => 0, setTimeout: () => ({ cancel: () => undefined }) };

/** A real recorder with bodies, which counts those that the main thread reads. */
export async function startBodies(bodies: Iterable<Body> = []) {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'xdscope-bodies-'));
  const recorder = await openWholeRecorder({ dataDir, clock: stoppedClock });
  const store = (body: Body): void => {
    const observation = { kind: 'source-up', at: 0, vantage: 'csds', sourceId: 's' } as const;
    recorder.append({ observation, bodies: [body] });
  };
  for (const body of bodies) store(body);
  const reads: string[] = [];
  const source: BodySource = {
    file: recorder.file,
    readPendingBodies: (hashes) => recorder.readPendingBodies(hashes),
    noteDamage: (message) => recorder.noteDamage(message),
    readBodies(hashes, signal) {
      const wanted = [...hashes];
      reads.push(...wanted);
      return recorder.readBodies(wanted, signal);
    },
  };
  const close = async (): Promise<void> => {
    await recorder.close();
    rmSync(dataDir, { recursive: true });
  };
  return { recorder, store, source, reads, close };
}
