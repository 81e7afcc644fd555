/** Answers up to this size are requested in full, because leaving the contents out would save little. */
const smallAnswerBytes = 256 * 1024;
/**
 * A body may change while its version stays the same (seen in real servers), so a full answer is requested once in so
 * many polls.
 */
const pollsBetweenFullOnes = 10;

/**
 * Decides when to set exclude_resource_contents: only towards a peer that supports it (older ones ignore the field and
 * send the bodies), and only if the answers are large.
 */
export class ContentsPolicy {
  private understanding: 'untried' | 'understood' | 'ignored' = 'untried';
  private full: { sizeBytes: number; hasContents: boolean } | undefined;
  private pollsSinceFull = 0;

  get isUnderstood(): boolean {
    return this.understanding === 'understood';
  }

  nextExcludesContents(): boolean {
    return (
      this.understanding !== 'ignored' &&
      this.full !== undefined &&
      this.full.hasContents &&
      this.full.sizeBytes > smallAnswerBytes &&
      this.pollsSinceFull < pollsBetweenFullOnes
    );
  }

  gotFull(sizeBytes: number, hasContents: boolean): void {
    this.full = { sizeBytes, hasContents };
    this.pollsSinceFull = 0;
  }

  gotWithoutContents(): void {
    this.understanding = 'understood';
    this.pollsSinceFull++;
  }

  /** Makes the next poll request a full answer. */
  wantFull(): void {
    this.pollsSinceFull = pollsBetweenFullOnes;
  }

  /** The peer sent contents although the request excluded them. */
  gotContentsAllTheSame(): void {
    this.understanding = 'ignored';
  }

  /** Call when the connection failed: another peer may answer next. */
  reset(): void {
    this.understanding = 'untried';
    this.full = undefined;
  }
}
