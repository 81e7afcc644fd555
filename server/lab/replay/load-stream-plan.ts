import type { Observation } from '@/lib/observation/observation';
import { StreamSteps } from '@/lib/replay/build-stream-steps';
import type { ReplayPlan } from '@/lib/replay/replay-plan';
import type { EpochMs } from '@/lib/xds/units';
import type { Recorder } from '../../store/recorder/recorder';

interface StreamPlanRequest {
  readonly clientId: string;
  readonly nodeId: string;
  readonly streamId?: string;
  /** Both ends are included. */
  readonly from?: EpochMs;
  readonly to?: EpochMs;
}

type PlanRecorder = Pick<Recorder, 'readHistory' | 'readObservationTexts' | 'readClientAt'>;

const maxSteps = 20_000;
const observationsAtOnce = 200;

/** Reads the responses that a client received, or returns undefined if there are none in the range. */
export async function loadStreamPlan(
  recorder: PlanRecorder,
  { clientId, nodeId, streamId, from, to }: StreamPlanRequest,
): Promise<ReplayPlan | undefined> {
  const responses = { clientId, streamId, from, to, kinds: ['response-received'] as const };
  const [newest] = await recorder.readHistory({ ...responses, limit: 1, order: 'desc' });
  if (newest === undefined) return undefined;
  // If several sources observed the client, the one with the newest response is used.
  const { sourceId } = JSON.parse(newest.json) as Observation;
  const [oldest] = await recorder.readHistory({ ...responses, sourceId, limit: 1, order: 'asc' });
  const firstSeq = oldest?.seq ?? newest.seq;
  const before = await recorder.readClientAt(clientId, { seq: firstSeq - 1 });
  const steps = new StreamSteps({ clientId, sourceId, streamId }, before?.client);
  // The answer to the newest response follows it.
  const [answer] = await recorder.readHistory({
    clientId,
    kinds: ['ack-sent', 'nack-sent'],
    afterSeq: newest.seq,
    limit: 1,
    order: 'asc',
  });
  const lastSeq = answer?.seq ?? newest.seq;
  for (let afterSeq = firstSeq - 1; steps.count < maxSteps; ) {
    const query = {
      clientId,
      afterSeq,
      beforeSeq: lastSeq + 1,
      limit: observationsAtOnce,
      order: 'asc',
    } as const;
    const page = await recorder.readObservationTexts(query);
    const last = page.at(-1);
    if (last === undefined) break;
    afterSeq = last.seq;
    for (const { seq, json } of page) {
      const observation = JSON.parse(json) as Observation;
      if (observation.kind === 'response-received' && !steps.knows(observation.streamId)) {
        await openStream(recorder, steps, observation);
      }
      steps.add({ ...observation, seq });
    }
  }
  const notes = [secretsNote];
  if (steps.count >= maxSteps) notes.push(`only the first ${maxSteps} responses are served`);
  if (before !== undefined && before.incomplete !== '') notes.push(before.incomplete);
  return { mode: 'stream', nodeId, steps: steps.steps(), notes };
}

/** Returns the beginning of a stream before the range. If it is not in the log, state of the world is assumed. */
async function openStream(
  recorder: PlanRecorder,
  steps: StreamSteps,
  { clientId, streamId }: { readonly clientId: string; readonly streamId: string },
): Promise<void> {
  const kinds = ['stream-opened'] as const;
  const [found] = await recorder.readHistory({ clientId, streamId, kinds, limit: 1, order: 'asc' });
  const opened = found === undefined ? undefined : (JSON.parse(found.json) as Observation);
  steps.open(opened?.kind === 'stream-opened' ? opened : { streamId, method: '' });
}

export const secretsNote =
  'Secrets were not recorded: where there was one, the marker that stands for it is served.';
