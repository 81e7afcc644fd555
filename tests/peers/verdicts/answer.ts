import type { Verdict } from '@/lib/validate/reactions';

/** The answer of a client to the one resource of a response. `silent`: it neither answers nor ends. */
export type Answer = 'ACK' | 'NACK' | 'silent' | 'ended';

export interface Answered {
  readonly answer: Answer;
  /** The error_detail of a NACK, or why the client ended. */
  readonly text: string;
}

/** The answer of a client with the verdict. */
export function answerOf(verdict: Verdict): Answer {
  if (verdict === 'NACK') return 'NACK';
  if (verdict === 'NO_ANSWER') return 'silent';
  return verdict === 'CRASH' ? 'ended' : 'ACK';
}
