import type { Profile } from '../validate/profile';
import type { Finding } from '../validate/validate-resource';
import { locateField } from './locate-field';
import type { NackStatement } from './nack-statement';

/** The field that was rejected, in the payload, and how that is known. */
export interface RejectedField {
  /** As in Finding.fieldPath; '' for the whole resource. */
  readonly path: string;
  /**
   * - `reported`: the text names the field.
   * - `found`: the text names a field without its place, and the payload has one such.
   * - `concluded`: exactly one of our findings explains the text.
   */
  readonly basis: 'reported' | 'found' | 'concluded';
  /** The field is not set in the payload: what is around it is marked. */
  readonly isAbsent: boolean;
  /** Of the finding from which it is concluded. */
  readonly ruleId?: string;
}

/**
 * Which field of the payload a statement is about; undefined: nobody can say. `findings` are ours of that payload;
 * those that the client's profile would not reject explain nothing.
 */
export function findRejectedField(
  { fieldPath }: Pick<NackStatement, 'fieldPath'>,
  json: unknown,
  findings: readonly Finding[],
  profile: Profile,
): RejectedField | undefined {
  const rejecting = findings.filter(({ reactions }) => reactions[profile] === 'NACK');
  if (fieldPath === undefined) return conclude(rejecting);
  const located = locateField(json, fieldPath);
  switch (located.kind) {
    case 'found': {
      const { path, isWhole, isFromRoot } = located;
      // Nowhere in the payload: that it is not there may be what is wrong, or it goes by another name.
      if (path === '') {
        const guess = conclude(rejecting);
        return guess === undefined || guess.path === fieldPath
          ? { path: fieldPath, basis: 'reported', isAbsent: true }
          : guess;
      }
      // Some tell only in which part it is.
      const within = conclude(rejecting.filter((each) => isWithin(each.fieldPath, path)));
      if (within !== undefined && isWhole && within.path !== path) return within;
      return { path, basis: isFromRoot ? 'reported' : 'found', isAbsent: !isWhole };
    }
    case 'ambiguous':
      return conclude(
        rejecting.filter((each) => located.paths.some((path) => isWithin(each.fieldPath, path))),
      );
    case 'nowhere':
      return conclude(rejecting);
  }
}

/** Exactly one place explains the text. */
function conclude(findings: readonly Finding[]): RejectedField | undefined {
  const [first] = findings;
  if (first === undefined || findings.some(({ fieldPath }) => fieldPath !== first.fieldPath))
    return undefined;
  return { path: first.fieldPath, basis: 'concluded', isAbsent: false, ruleId: first.ruleId };
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);
}
