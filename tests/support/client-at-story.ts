import { expect } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation, Recorded } from '@/lib/observation/observation';
import { seededRandom } from '@/server/lab/random';
import type { Recorder } from '@/server/store/recorder/recorder';
import { makeDay } from './builders/make-day';

export const startAt = Date.UTC(2026, 10, 20);

/** A day of four clients, one of which has many rows. */
export function observationsOfDay(observations: number, seed: number): Observation[] {
  const options = { observations, startAt, clients: 4, largeClients: 1, manyServices: 400, seed };
  return [...makeDay(options, { wire: 0, delta: 0 })].flat().map(({ observation }) => observation);
}

export function numbered(observations: readonly Observation[]): Recorded[] {
  return observations.map((observation, index) => ({ ...observation, seq: index + 1 }));
}

/** Expects each client, at some seqs from `from` on, to be the fold of everything up to there. */
export async function expectFolds(
  log: Pick<Recorder, 'readClientAt'>,
  day: readonly Recorded[],
  from: number,
): Promise<void> {
  const random = seededRandom(from);
  const places = Array.from({ length: 8 }, () => from + Math.floor(random() * (day.length - from + 1)));
  const world: World = new Map();
  const wanted = new Set([from, day.length, ...places]);
  for (const observation of day) {
    foldObservation(world, observation);
    if (!wanted.has(observation.seq)) continue;
    for (const [clientId, state] of world) {
      const found = await log.readClientAt(clientId, { seq: observation.seq });
      expect(found?.client, `${clientId} at ${observation.seq}`).toEqual(state);
      expect(found?.incomplete).toBe('');
    }
  }
}
