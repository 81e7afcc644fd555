/** Answers up to this size are asked for in full: leaving the contents out would save nothing worth a risk. */
const smallAnswerBytes = 256 * 1024;
/** A body may change while its version stays (seen in the wild): every so many polls everything is asked for. */
const pollsBetweenFullOnes = 10;

/**
 * When to set exclude_resource_contents. Only towards a peer that understands it (older ones ignore the field and send
 * the bodies anyway), and only where the bodies are a burden.
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

  /** The next poll is a full one. */
  wantFull(): void {
    this.pollsSinceFull = pollsBetweenFullOnes;
  }

  /** Contents came although they were not asked for. */
  gotContentsAllTheSame(): void {
    this.understanding = 'ignored';
  }

  /** The peer may be another one now. */
  reset(): void {
    this.understanding = 'untried';
    this.full = undefined;
  }
}
