/** Answers up to this size are requested in full, because leaving the contents out would save little. */
const smallAnswerBytes = 256 * 1024;
/** A full answer is requested after so many polls, because some servers change a body under the same version. */
const pollsBetweenFullAnswers = 10;

/**
 * Decides when to set exclude_resource_contents: only towards a peer that supports it (older ones ignore the field and
 * send the bodies), and only if the answers are large.
 */
export class ContentsPolicy {
  #support: 'unknown' | 'supported' | 'ignored' = 'unknown';
  #full: { sizeBytes: number; hasContents: boolean } | undefined;
  #pollsSinceFull = 0;

  get isSupported(): boolean {
    return this.#support === 'supported';
  }

  nextExcludesContents(): boolean {
    return (
      this.#support !== 'ignored' &&
      this.#full !== undefined &&
      this.#full.hasContents &&
      this.#full.sizeBytes > smallAnswerBytes &&
      this.#pollsSinceFull < pollsBetweenFullAnswers
    );
  }

  receivedFull(sizeBytes: number, hasContents: boolean): void {
    this.#full = { sizeBytes, hasContents };
    this.#pollsSinceFull = 0;
  }

  receivedWithoutContents(): void {
    this.#support = 'supported';
    this.#pollsSinceFull++;
  }

  /** Makes the next poll request a full answer. */
  requestFull(): void {
    this.#pollsSinceFull = pollsBetweenFullAnswers;
  }

  /** The peer sent contents although the request excluded them. */
  receivedContentsAnyway(): void {
    this.#support = 'ignored';
  }

  /** Called when a poll failed, because another peer may answer next. */
  reset(): void {
    this.#support = 'unknown';
    this.#full = undefined;
  }
}
