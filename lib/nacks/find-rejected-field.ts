import type { Finding } from '../validate/validate-resource';
import type { Profile } from '../xds/profile';
import { locateField } from './locate-field';
import type { NackStatement } from './nack-statement';

export interface RejectedField {
  /** The path as in Finding.fieldPath; '' stands for the whole resource. */
  readonly path: string;
  /**
   * - `reported`: the text contains the path.
   * - `found`: the text contains a field without its parents, and the payload has one such field.
   * - `concluded`: exactly one of our findings explains the text.
   */
  readonly basis: 'reported' | 'found' | 'concluded';
  /** True if the payload lacks the field. The path is then the field's, or that of its parent. */
  readonly isAbsent: boolean;
  /** The rule of the finding from which it is concluded. */
  readonly ruleId?: string;
}

/**
 * Finds the field of the payload that a statement is about; undefined if it is unknown. `findings` are those of the payload.
 * Only findings that the client's profile rejects are considered.
 */
export function findRejectedField(
  { fieldPath, hint }: Pick<NackStatement, 'fieldPath' | 'hint'>,
  json: unknown,
  findings: readonly Finding[],
  profile: Profile,
): RejectedField | undefined {
  if (fieldPath === '') return { path: '', basis: 'reported', isAbsent: false };
  const rejecting = findings.filter(({ reactions }) => reactions[profile] === 'NACK');
  if (fieldPath === undefined && hint === undefined) return conclude(rejecting);
  const located = locateField(json, fieldPath ?? '', hint);
  switch (located.kind) {
    case 'found': {
      const { path, missing, isFromRoot } = located;
      // The payload lacks the field: its absence may be the error, or its name in the payload differs.
      if (path === '' && missing !== '') {
        const whole = missing.slice(1);
        const guess = hint === undefined ? conclude(rejecting) : undefined;
        return guess === undefined || guess.path === whole
          ? { path: whole, basis: 'reported', isAbsent: true }
          : guess;
      }
      // Some clients report a parent of the field only.
      const within = conclude(rejecting.filter((each) => isWithin(each.fieldPath, path)));
      if (within !== undefined && missing === '' && within.path !== path && hint === undefined) return within;
      // Paths of Envoy are exact; gRPC clients leave out steps, or name the fields of their own structures.
      const whole = hint === undefined ? path : path + missing;
      return { path: whole, basis: isFromRoot ? 'reported' : 'found', isAbsent: missing !== '' };
    }
    case 'ambiguous':
      return conclude(
        rejecting.filter((each) => located.paths.some((path) => isWithin(each.fieldPath, path))),
      );
    case 'nowhere':
      return conclude(rejecting);
  }
}

function conclude(findings: readonly Finding[]): RejectedField | undefined {
  const [first] = findings;
  if (first === undefined || findings.some(({ fieldPath }) => fieldPath !== first.fieldPath))
    return undefined;
  return { path: first.fieldPath, basis: 'concluded', isAbsent: false, ruleId: first.ruleId };
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);
}
