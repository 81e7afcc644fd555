import type { StreamChange } from '@/lib/api/stream';

/**
 * A change that arrives while a query is being read may be newer than the answer, which then would undo it. So the
 * changes of that time are kept, and folded in once more after the answer: each of them says what something IS, and
 * the last one of a key wins, so twice is as good as once.
 */
export class FetchOverlap {
  /** Changes recorded before each running fetch began; the oldest fetch comes first. */
  private readonly starts = new Map<string, number>();
  private log: StreamChange[] = [];
  /** Changes that were recorded before the first of `log`. */
  private dropped = 0;

  /** Changes that are kept: those since the oldest running fetch began. */
  get size(): number {
    return this.log.length;
  }

  record(changes: readonly StreamChange[]): void {
    if (this.starts.size === 0) return;
    for (const change of changes) this.log.push(change);
  }

  /** Tell it whether a query is fetching; when one stopped, the changes that overlapped it come back. */
  follow(queryHash: string, isFetching: boolean): readonly StreamChange[] {
    const start = this.starts.get(queryHash);
    if (isFetching) {
      if (start === undefined) this.starts.set(queryHash, this.dropped + this.log.length);
      return [];
    }
    if (start === undefined) return [];
    this.starts.delete(queryHash);
    const missed = this.log.slice(start - this.dropped);
    this.dropOld();
    return missed;
  }

  /** On a busy page some fetch always runs: what came before the oldest one is of no use to any. */
  private dropOld(): void {
    const [oldest = this.dropped + this.log.length] = this.starts.values();
    if (oldest === this.dropped) return;
    this.log = this.log.slice(oldest - this.dropped);
    this.dropped = oldest;
  }
}
