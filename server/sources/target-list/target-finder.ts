import type { Problem } from '@/lib/observation/observation';
import type { FoundTarget } from './parse-target-list';

/** The result of one lookup. A failed lookup keeps the targets that were found before. */
export type Found =
  | { readonly kind: 'targets'; readonly targets: readonly FoundTarget[]; readonly notes: readonly string[] }
  | { readonly kind: 'failed'; readonly problem: Problem };

/** Looks up targets repeatedly until it is stopped. */
export interface TargetFinder {
  /** Milliseconds between two lookups, if no event causes one earlier. */
  readonly intervalMs: number;
  start(onFound: (found: Found) => void): void;
  stop(): void;
}
