import type { Constraints } from './constraints';
import type { Field } from './field';
import type { Profile, Reactions } from './profile';

export interface Breach {
  readonly field: Field;
  readonly expected: string;
  /** The field's value unless said. */
  readonly got?: string;
  /** The rule's own unless said. */
  readonly reactions?: Reactions;
  /** Clients that drop the part before they would look at this. */
  readonly sparedBy?: ReadonlySet<Profile>;
  /** What the reactions leave unsaid: newer versions, an assumption that was made. */
  readonly note?: string;
}

export type Report = (breach: Breach) => void;

/** What a rule may know besides the resource; what is left out is not validated. */
export interface RuleContext {
  /** Names under certificate_providers in the client's bootstrap. */
  readonly certificateProviders?: ReadonlySet<string>;
  /** The protos' own constraints (validate.rules), by which Envoy validates. */
  readonly constraints?: Constraints;
  /** The name under which an EDS resource was asked for. */
  readonly subscribedName?: string;
  /** Every cluster that the client knows. */
  readonly clusters?: ReadonlySet<string>;
}

export interface CheckContext extends RuleContext {
  /** Of the resource, as in resource-type.ts. */
  readonly typeUrl: string;
}

/** One numbered rule of the reference (xds-semantics, sections 2.1, 2.2 and 2.4). */
export interface Rule {
  /** As in "C4"; a gRFC's number ("A41") for HTTP filters; a letter after it where one number has several conditions. */
  readonly id: string;
  /** Type URLs of the resources that it is about. */
  readonly types: readonly string[];
  readonly source: string;
  readonly fieldPath: string;
  readonly reactions: Reactions;
  check(resource: Field, report: Report, context: CheckContext): void;
}

/** For lists of rules of one resource type. */
export function rulesOf(typeUrl: string) {
  return (
    id: string,
    source: string,
    fieldPath: string,
    reactions: Reactions,
    check: Rule['check'],
  ): Rule => ({ id, types: [typeUrl], source, fieldPath, reactions, check });
}

/** Breaches of a part that some clients never look at. */
export function spare(report: Report, who: ReadonlySet<Profile>): Report {
  if (who.size === 0) return report;
  return (breach) => report({ ...breach, sparedBy: new Set([...(breach.sparedBy ?? []), ...who]) });
}
