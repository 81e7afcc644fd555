import type { EpochMs } from '@/lib/xds/units';

/** One type on one stream: the nonces of the last response and the last answers. Empty strings mean none. */
export interface TypeNonces {
  readonly sent: string;
  readonly sentAt: EpochMs;
  readonly acked: string;
  /** error_detail of the newest answer; empty after a later ACK. */
  readonly error: string;
}

const nothingYet: TypeNonces = { sent: '', sentAt: 0, acked: '', error: '' };

/** Stores the state of a stream as istiod does, by type only. An ACK clears the previous rejection. */
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
