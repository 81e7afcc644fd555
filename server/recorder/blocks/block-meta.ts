/** Who reads a little of a block reads its columns and its vocabulary. */
export const maxBlockRows = 2048;

/** What is known of each block without reading it. */
export interface BlockMeta {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly count: number;
  readonly fromAt: number;
  readonly toAt: number;
  /** Bit n: it holds storedKinds[n]. */
  readonly kinds: number;
  /** Kept beyond the retention's limits, for a pinned range. */
  readonly isPinned: boolean;
}
