/**
 * Some servers answer a NACK by sending the same thing again at once (go-control-plane: the version asked with is not
 * the snapshot's). Who rejects at once again goes round and round with them at the speed of the network. The first
 * NACK is prompt; each repetition waits twice as long. One that counts its version up with each round is not reported
 * from one whose operator is correcting the resource: after so many rejections in a row, with nothing accepted, each waits a second.
 */
export class NackPacing {
  readonly #rejections = new Map<
    string,
    { readonly what: string; readonly times: number; readonly inRow: number }
  >();

  /** How long to hold the NACK back. */
  nextDelayMs(typeUrl: string, versionInfo: string, errorDetail: string): number {
    const what = `${versionInfo}\u0000${errorDetail}`;
    const before = this.#rejections.get(typeUrl);
    const times = before?.what === what ? before.times + 1 : 0;
    const inRow = (before?.inRow ?? 0) + 1;
    this.#rejections.set(typeUrl, { what, times, inRow });
    const roundDelayMs = inRow > promptInRow ? inRowDelayMs : 0;
    return times === 0 ? roundDelayMs : Math.min(firstDelayMs * 2 ** (times - 1), maxDelayMs);
  }

  /** The type was accepted. */
  forget(typeUrl: string): void {
    this.#rejections.delete(typeUrl);
  }

  /** The stream ended. */
  forgetAll(): void {
    this.#rejections.clear();
  }
}

const firstDelayMs = 500;
const maxDelayMs = 30_000;
const promptInRow = 20;
const inRowDelayMs = 1_000;
