import type { Observation, Recorded } from '@/lib/observation/observation';

/** An observation as it goes into the log. */
export interface LogRow {
  readonly seq: number;
  readonly observation: Recorded;
}

/** The observation becomes the row's: it is given its seq. */
export function numbered(seq: number, observation: Observation): LogRow {
  const recorded = observation as Observation & { seq: number };
  recorded.seq = seq;
  return { seq, observation: recorded };
}

/** As it is kept: without its seq. */
export function plainObservation({ observation: { seq: _, ...observation } }: LogRow): Observation {
  return observation as Observation;
}
