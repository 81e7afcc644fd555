import type { EpochMs } from '@/lib/xds/units';

/** Of one type on one stream: what was sent last, and what the client said to it. Empty texts: nothing yet. */
export interface TypeNonces {
  readonly sent: string;
  readonly sentAt: EpochMs;
  readonly acked: string;
  /** error_detail of the newest answer; empty once something was acknowledged after it. */
  readonly error: string;
}

const nothingYet: TypeNonces = { sent: '', sentAt: 0, acked: '', error: '' };

/** The bookkeeping of a stream as istiod keeps it: by type alone, and it forgets a rejection with the next ACK. */
export class NonceIndex {
  readonly #types = new Map<string, TypeNonces>();

  of(typeUrl: string): TypeNonces {
    return this.#types.get(typeUrl) ?? nothingYet;
  }

  sent(typeUrl: string, nonce: string, at: EpochMs): void {
    this.#types.set(typeUrl, { ...this.of(typeUrl), sent: nonce, sentAt: at });
  }

  answered(typeUrl: string, nonce: string, errorDetail: string | null): void {
    const known = this.of(typeUrl);
    const answer = errorDetail === null ? { acked: nonce, error: '' } : { error: errorDetail };
    this.#types.set(typeUrl, { ...known, ...answer });
  }
}
