import type { ResourceModel } from '@/lib/model/parse-resource';
import { shownBodyHash } from '@/lib/model/shown-body';
import type { ResourceRow } from '@/lib/observation/resource-row';
import type { BrokenRule } from '@/lib/resolve/rejection';
import type { ResolveProfile } from '@/lib/resolve/resolve-profile';
import type { Candidate } from '@/lib/resolve/validate-row';
import type { ContextKey, ContextOf } from '../../validate/row-contexts';
import {
  type BodyKey,
  type BodyReadings,
  readingName,
  validateByOf,
  validatedName,
} from '../rows/body-readings';

/** How bodies are validated; bodies that are not available yet are added to `missing`. */
export interface Validating {
  readonly profile: ResolveProfile;
  readonly contextOf: ContextOf;
  readonly missing: Map<string, BodyKey>;
}

export class ValidatedBodies {
  constructor(private readonly readings: BodyReadings) {}

  /** The rule for which a client of the profile would reject a body, by hash; null for a body that is missing. */
  readValidated(
    row: ContextKey,
    candidates: readonly Candidate[],
    { profile, contextOf, missing }: Validating,
  ): (hash: string) => BrokenRule | null {
    const context = candidates.length === 0 ? undefined : contextOf(row);
    const broken = new Map<string, BrokenRule>();
    for (const { hash } of candidates) {
      const key = { hash, typeUrl: row.typeUrl, validateBy: validateByOf(profile), contextId: context?.id };
      const reading = this.readings.find(key, context);
      if (reading === undefined) missing.set(validatedName(key), key);
      const rule = reading?.kind === 'read' ? reading.broken[profile] : undefined;
      if (rule !== undefined) broken.set(hash, rule);
    }
    return (hash) => broken.get(hash) ?? null;
  }

  /** undefined: the body is missing, or no source has it. */
  readModel(hash: string, typeUrl: string): ResourceModel | undefined {
    const reading = this.readings.find({ hash, typeUrl });
    return reading?.kind === 'read' ? reading.model : undefined;
  }

  modelOf(row: ResourceRow, missing: Map<string, BodyKey>): ResourceModel | undefined {
    const hash = shownBodyHash(row);
    if (hash === null) return undefined;
    const key = { hash, typeUrl: row.typeUrl };
    const reading = this.readings.find(key);
    if (reading === undefined) missing.set(readingName(key), key);
    return reading?.kind === 'read' ? reading.model : undefined;
  }
}
