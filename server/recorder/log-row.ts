import type { Observation, Recorded } from '@/lib/observation/observation';

/** An observation as it goes into the log. */
export interface LogRow {
  readonly seq: number;
  readonly observation: Recorded;
  /** Its JSON without the seq, as UTF-8. */
  readonly text: Uint8Array;
}

export function logRowOf(seq: number, text: Buffer): LogRow {
  const observation = JSON.parse(text.toString()) as Observation & { seq: number };
  observation.seq = seq;
  return { seq, observation, text };
}

export function jsonOf({ text }: LogRow): string {
  return Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString();
}
