import type { Observation } from '@/lib/observation/observation';
import type { ObservationLog } from '../store/log';
import { namedHashes } from '../store/named-hashes';
import type { Recorder } from '../store/recorder/recorder';
import { inSlices } from '../workers/threads/in-slices';
import type { SourceLeases } from './source-leases';

export interface ForwardedRecording {
  /** The recording that is forwarded. */
  readonly recorder: Pick<Recorder, 'readObservationTexts' | 'readBodies'>;
  /**
   * The name of the recording in the store, which recognises what it has of it. A recording that begins anew, whose seqs begin
   * again at 1, must have another name.
   */
  readonly collector: string;
  /** Under which fencing numbers its observations were made. Absent: nobody else makes them. */
  readonly leases?: Pick<SourceLeases, 'fenceOf' | 'noteSent'>;
}

export const pageSize = 1_000;

/**
 * Copies the observations after a local seq, with the bodies that they name, into a store, in one transaction. Returns their newest
 * local seq, or undefined if there are none.
 */
export async function forwardPage(
  { recorder, collector, leases }: ForwardedRecording,
  log: ObservationLog,
  afterSeq: number,
): Promise<number | undefined> {
  const page = await recorder.readObservationTexts({ afterSeq, limit: pageSize, order: 'asc' });
  const last = page.at(-1);
  if (last === undefined) return undefined;
  const lines = page.map(({ json }) => json);
  // To receive parsed observations from another thread takes as long as to parse them (README.md).
  const observations: Observation[] = [];
  await inSlices(lines, (line) => observations.push(JSON.parse(line) as Observation), 1);
  const named = new Set(observations.flatMap(namedHashes));
  const stored = await log.keepBodies(named);
  const missing = [...named].filter((hash) => !stored.has(hash));
  await log.append({
    observations,
    lines,
    bodies: [...(await recorder.readBodies(missing)).values()],
    key: { collector, n: last.seq },
    fences: observations.map((each, index) => leases?.fenceOf(each, page[index]?.seq ?? 0)),
  });
  await leases?.noteSent(last.seq);
  return last.seq;
}
