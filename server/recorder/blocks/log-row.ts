import type { Observation, Recorded } from '@/lib/observation/observation';

export interface LogRow {
  readonly seq: number;
  readonly observation: Recorded;
}

/** Adds the seq to the given observation. */
export function numbered(seq: number, observation: Observation): LogRow {
  const recorded = observation as Observation & { seq: number };
  recorded.seq = seq;
  return { seq, observation: recorded };
}

/** Returns the observation as it is stored: without its seq. */
export function plainObservation({ observation: { seq: _, ...observation } }: LogRow): Observation {
  return observation as Observation;
}
