import type { BodyOutcome } from '@/lib/view-model/compare/diff-item';
import type { Body } from '../observe';
import type { BodyTree } from './diff-builder';
import type { HashPair } from './hash-pair';

export interface DiffWorkerData {
  /** The log's. */
  readonly file: string;
}

/** null: a body is not stored (any longer). `pending`: bodies that are not written yet. */
export interface DiffJobs {
  outcomes: {
    readonly input: { readonly pairs: readonly HashPair[]; readonly pending: readonly Body[] };
    readonly output: (BodyOutcome | null)[];
  };
  tree: {
    readonly input: { readonly pair: HashPair; readonly limit: number; readonly pending: readonly Body[] };
    readonly output: BodyTree | null;
  };
}
