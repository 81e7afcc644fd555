import type { EpochMs } from '../xds/units';

/**
 * What one observation says of one client and one resource, or of one message of a type.
 *
 * - asked: the client named it in a request.
 * - sent: somebody saw it on its way to the client, or the control plane says that it sent it.
 * - accepted, rejected: the client's word.
 * - unclear: it was in a response of which a part is in use; whether it is in that part, nobody can tell.
 * - missing: the client says that it has none.
 * - dropped: the client asks for it no more, or no more has it.
 * - gone, back: its stream ended, its source names it no longer; it is there again.
 */
export type FactKind =
  | 'asked'
  | 'sent'
  | 'accepted'
  | 'rejected'
  | 'unclear'
  | 'missing'
  | 'dropped'
  | 'gone'
  | 'back';

export interface ConvergenceFact {
  readonly what: FactKind;
  readonly at: EpochMs;
  /**
   * A poll reported it: it happened between this moment and `at`; null: nobody looked before. Not there: seen as it
   * happened.
   */
  readonly after?: EpochMs | null;
  /** Place in the log; 0: what xdscope knows without it. */
  readonly seq: number;
  readonly clientId: string;
  readonly sourceId: string;
  /** Empty for gone and back. */
  readonly typeUrl: string;
  /** null: the message as a whole. */
  readonly name: string | null;
  readonly version: string;
  readonly hash: string | null;
  /** Who sent it; null: not reported. */
  readonly server: string | null;
  /** Where that server was reached; null: the source is not declared with an address. */
  readonly address: string | null;
  /** Pairs an answer with its response; null: reported without a message. */
  readonly nonceKey: string | null;
  /** error_detail, or why it is gone. */
  readonly text: string;
}

/** Did a poll tell it? Then it has an interval and no moment. */
export function isPolled({ after }: Pick<ConvergenceFact, 'after'>): boolean {
  return after !== undefined;
}
