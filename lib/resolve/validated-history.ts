import { resourceKey } from '../observation/client-state';
import type { ResourceKey } from '../observation/resource-state';
import type { Profile } from '../xds/profile';
import type { BrokenRule } from './rejection';
import type { Judgement } from './resource-store';
import { type Candidate, candidatesOf, type Trust, type ValidatedRow, validateRow } from './validate-row';

export type HistoryRow = ValidatedRow & ResourceKey;

/**
 * The bodies that a client of the profile would have in use after each change: a rejected body does not replace an
 * earlier good one. MUTABLE. The cost of a change does not depend on the length of the history.
 */
export class ValidatedHistory {
  readonly #profile: Profile;
  readonly #trust: Trust;

  /** Keys are resourceKey(); values are hashes of the bodies in use. */
  readonly #good = new Map<string, string>();

  constructor(profile: Profile, trust: Trust) {
    this.#profile = profile;
    this.#trust = trust;
  }

  /** Bodies whose broken rule take() needs; null if the row is taken as reported. */
  candidatesOf(row: HistoryRow): readonly Candidate[] | null {
    return candidatesOf(row, this.#trust);
  }

  /** undefined if the row is taken as reported. */
  take(row: HistoryRow, brokenRuleOf: (hash: string) => BrokenRule | null): Judgement | undefined {
    const key = resourceKey(row);
    const candidates = this.candidatesOf(row);
    if (candidates === null || candidates.length === 0) {
      this.#good.delete(key);
      return undefined;
    }
    const before = this.#good.get(key);
    const isKnown = before === undefined || candidates.some(({ hash }) => hash === before);
    const all = isKnown ? candidates : [...candidates, { hash: before, isRejected: false }];
    const validated = validateRow(
      row,
      all,
      (hash) => (hash === before ? null : brokenRuleOf(hash)),
      this.#profile,
    );
    if (typeof validated?.hash === 'string') this.#good.set(key, validated.hash);
    return validated;
  }

  remove(key: ResourceKey): void {
    this.#good.delete(resourceKey(key));
  }
}
