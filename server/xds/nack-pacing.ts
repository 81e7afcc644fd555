/**
 * Some servers answer a NACK by sending the same thing again at once (go-control-plane: the version asked with is not
 * the snapshot's). Who refuses at once again goes round and round with them at the speed of the network. The first
 * NACK is prompt; each repetition waits twice as long.
 */
export class NackPacing {
  readonly #refusals = new Map<string, { readonly what: string; readonly times: number }>();

  /** How long to hold the NACK back. */
  nextDelayMs(typeUrl: string, versionInfo: string, errorDetail: string): number {
    const what = `${versionInfo}\u0000${errorDetail}`;
    const before = this.#refusals.get(typeUrl);
    const times = before?.what === what ? before.times + 1 : 0;
    this.#refusals.set(typeUrl, { what, times });
    return times === 0 ? 0 : Math.min(firstDelayMs * 2 ** (times - 1), maxDelayMs);
  }

  /** The type was accepted. */
  forget(typeUrl: string): void {
    this.#refusals.delete(typeUrl);
  }

  /** The stream ended. */
  forgetAll(): void {
    this.#refusals.clear();
  }
}

const firstDelayMs = 500;
const maxDelayMs = 30_000;
