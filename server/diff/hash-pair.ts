import type { Body } from '../observe';
import type { BodyPair } from './diff-builder';

/** Two stored bodies, by hash, that are read as one type. */
export interface HashPair {
  readonly typeUrl: string;
  readonly left: string;
  readonly right: string;
}

/** undefined: a body is not stored (any longer). */
export function bodyPairOf(
  { typeUrl, left, right }: HashPair,
  bodies: ReadonlyMap<string, Body>,
): BodyPair | undefined {
  const [one, other] = [bodies.get(left), bodies.get(right)];
  return one && other && { typeUrl, left: one.bytes, right: other.bytes };
}
