import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { inEffect } from '@/lib/facts/effect';
import { foldObservation, type World } from '@/lib/observation/fold';
import { buildResourceRows } from '@/lib/views/client/build-resource-rows';
import { CDS } from '@/lib/xds/resource-type';
import { packed } from '@/tests/support/builders/xds-wire';
import { RecordingStory } from '@/tests/support/recording-story';
import { runs } from '@/tests/support/runs';

/** What a management server sends of cluster "a": one of three payloads, or a response without it, and what the client answers. */
const step = fc.record({
  payload: fc.constantFrom(1, 2, 3, 'absent' as const),
  answer: fc.constantFrom('ACK' as const, 'NACK' as const, 'none' as const),
  reconnects: fc.constantFrom(false, false, false, true),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
const histories = fc.record({
  userAgentName: fc.constantFrom('envoy', 'gRPC Go', 'gRPC C-core'),
  steps: fc.array(step, { minLength: 1, maxLength: 8 }),
});

/** Records the history by a tap; returns what is in effect at its end, and the hash of each payload. */
function record(userAgentName: string, steps: readonly Step[]) {
  const story = new RecordingStory();
  const world: World = new Map();
  const hashes = new Map<Step['payload'], string>();
  let seq = 0;
  const fold = (payload?: Step['payload']): void => {
    for (const observation of story.take()) {
      seq += 1;
      foldObservation(world, { ...observation, seq });
      const [sent] = observation.kind === 'response-received' ? observation.resources : [];
      if (payload !== undefined && typeof sent?.hash === 'string') hashes.set(payload, sent.hash);
    }
  };
  const node = { id: 'c', userAgentName, userAgentVersion: '1.40.0' };
  let acked = '';
  const open = (streamId: string): void => {
    story.open(streamId);
    story.request({ node, resourceNames: ['a'], ...(acked && { versionInfo: acked }) }, streamId);
  };
  let streamId = 's0';
  open(streamId);
  for (const [index, { payload, answer, reconnects }] of steps.entries()) {
    if (reconnects) {
      story.close(streamId);
      streamId = `s${index + 1}`;
      open(streamId);
    }
    const version = `${index + 1}`;
    const sent =
      payload === 'absent' ? [] : [packed(CDS.typeUrl, { name: 'a', connectTimeout: { seconds: payload } })];
    story.response(version, sent, {}, streamId);
    fold(payload);
    if (answer === 'none') continue;
    const error = answer === 'NACK' && { errorDetail: { code: 3, message: 'a is bad' } };
    if (answer === 'ACK') acked = version;
    const request = {
      node,
      resourceNames: ['a'],
      versionInfo: acked,
      responseNonce: `n${version}`,
      ...error,
    };
    story.request(request, streamId);
    fold();
  }
  fold();
  const [client] = world.values();
  if (client === undefined) throw new Error('expected a client, got none');
  const live = () => ({ freshness: 'live', reason: '' }) as const;
  const row = runSteps(buildResourceRows(client, live)).find(({ name }) => name === 'a');
  return { row, effect: row && inEffect(row), hashes };
}

/** The hash of what is in effect as a payload; undefined if none is, or if it is not known. */
const hashOf = ({ effect }: ReturnType<typeof record>) =>
  effect?.kind === 'payload' ? effect.hash : undefined;

type Law = (steps: readonly Step[], recorded: ReturnType<typeof record>, userAgentName: string) => void;

const holds = (law: Law): void =>
  fc.assert(
    fc.property(histories, ({ userAgentName, steps }) =>
      law(steps, record(userAgentName, steps), userAgentName),
    ),
    { numRuns: runs(300) },
  );

it('is a payload only if the client ACKed it', () => {
  holds((steps, recorded) => {
    const acked = steps.filter(({ payload, answer }) => answer === 'ACK' && payload !== 'absent');
    if (acked.length === 0) expect(recorded.effect?.kind).not.toBe('payload');
    const hash = hashOf(recorded);
    if (hash !== undefined) expect(acked.map(({ payload }) => recorded.hashes.get(payload))).toContain(hash);
  });
});

it('is no payload after a removal that was ACKed, until another one is', () => {
  holds((steps, recorded) => {
    if (steps.findLast(({ answer }) => answer === 'ACK')?.payload !== 'absent') return;
    expect(recorded.effect?.kind).not.toBe('payload');
  });
});

it('is not the payload of the newest rejection because the client ACKs it later', () => {
  holds((steps, recorded, userAgentName) => {
    const answered = steps.filter(({ answer }) => answer !== 'none');
    const [before, last] = answered.slice(-2);
    // A gRPC client that ACKs on a new stream what it rejected has started again. An Envoy ACKs it without another look.
    if (userAgentName !== 'envoy' && steps.some(({ reconnects }) => reconnects)) return;
    if (before?.answer !== 'NACK' || last?.answer !== 'ACK' || before.payload !== last.payload) return;
    if (before.payload === 'absent') return;
    const first = answered.find(({ payload, answer }) => payload === before.payload && answer === 'ACK');
    if (first === last) expect(hashOf(recorded)).not.toBe(recorded.hashes.get(last.payload));
  });
});

it('is the newest payload if the client ACKed everything', () => {
  holds((steps, recorded) => {
    const last = steps.at(-1);
    if (last?.payload === 'absent' || !steps.every(({ answer }) => answer === 'ACK')) return;
    expect([recorded.effect?.kind, hashOf(recorded)]).toEqual([
      'payload',
      recorded.hashes.get(last?.payload ?? 1),
    ]);
  });
});
