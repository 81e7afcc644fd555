import type { Problem } from '@/lib/observation/observation';
import type { FoundTarget } from './parse-target-list';

/** What a look brought. A look that failed leaves what was found before as it is. */
export type Found =
  | { readonly kind: 'targets'; readonly targets: readonly FoundTarget[]; readonly notes: readonly string[] }
  | { readonly kind: 'failed'; readonly problem: Problem };

/** Looks for targets, again and again, until it is stopped. */
export interface TargetFinder {
  /** Time between two looks, where nothing else says that it is time. */
  readonly intervalMs: number;
  start(onFound: (found: Found) => void): void;
  stop(): void;
}
