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
}

/** What a rule may know besides the resource. */
export interface RuleContext {
  /** Names under certificate_providers in the client's bootstrap; undefined: not known. */
  readonly certificateProviders?: ReadonlySet<string>;
}

/** One numbered rule of the reference (xds-semantics, section 2.2). */
export interface Rule {
  /** As in "C4"; a letter after it where the reference has several conditions under one number. */
  readonly id: string;
  /** Type URLs of the resources that it is about. */
  readonly types: readonly string[];
  readonly source: string;
  readonly fieldPath: string;
  readonly reactions: Reactions;
  check(resource: Field, report: (breach: Breach) => void, context: RuleContext): void;
}
