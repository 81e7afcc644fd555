import type { BodyOutcome } from '@/lib/views/compare/diff-item';
import type { Body } from '../../observe';
import type { DataFile, JobSet } from '../../workers/compute';
import type { BodyPair, BodyTree } from './diff-builder';

export interface HashPair {
  readonly typeUrl: string;
  readonly left: string;
  readonly right: string;
  /** Both are endpoints, of which an Envoy wrote one into its config dump: only what the dump retains is compared. */
  readonly isOfDump?: true;
}

/** Results are null if a body is not stored. `pending` are bodies that are not written yet. */
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

export const diffJobs: JobSet<'diff', DataFile, DiffJobs> = { name: 'diff', thread: 'shared' };

/** Returns undefined if a body is not stored. */
export function bodyPairOf(
  { typeUrl, left, right, isOfDump }: HashPair,
  bodies: ReadonlyMap<string, Body>,
): BodyPair | undefined {
  const [one, other] = [bodies.get(left), bodies.get(right)];
  return one && other && { typeUrl, left: one.bytes, right: other.bytes, ...(isOfDump && { isOfDump }) };
}
