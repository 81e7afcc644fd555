import type { Profile } from '../xds/profile';
import type { EnforcedConstraints } from './constraints';
import type { Field } from './field';
import type { Reactions } from './reactions';

/** A condition outside the resource on which a verdict also depends. */
export interface Dependence {
  /** A sentence that states the condition, and what is assumed. */
  readonly dependsOn: string;
  /** The reactions where the assumption does not hold. */
  readonly otherwise: Reactions;
}

export interface Violation {
  readonly field: Field;
  readonly expected: string;
  /** The value of the field if absent. */
  readonly got?: string;
  /** The reactions of the rule if absent. */
  readonly reactions?: Reactions;
  /** Clients that drop the part before they validate it. */
  readonly skippedBy?: ReadonlySet<Profile>;
  /** Facts that the reactions do not state: newer versions, assumptions. */
  readonly note?: string;
  readonly dependence?: Dependence;
}

export type Report = (violation: Violation) => void;

/** The data that a rule can use besides the resource. Rules that need an absent member are not checked. */
export interface RuleContext {
  /** Names under certificate_providers in the client's bootstrap. */
  readonly certificateProviders?: ReadonlySet<string>;
  /** Constraints in the protos (validate.rules), which Envoy enforces, by profile. */
  readonly constraints?: readonly EnforcedConstraints[];
  /** The name by which the client subscribed to an EDS resource. */
  readonly subscribedName?: string;
  /** Every cluster that the client has. */
  readonly clusters?: ReadonlySet<string>;
  /**
   * The resource is that of no known client. Its Envoy is assumed to be a release, which has no extensions of others,
   * and to have no static secrets.
   */
  readonly isWithoutClient?: boolean;
  /** The addresses of the other listeners before this one, as in "TCP 127.0.0.1:80", with the names of the listeners. */
  readonly takenAddresses?: ReadonlyMap<string, string>;
  /** The places of messages of v2 types in a v3 resource. */
  readonly v2Parts?: readonly { readonly path: string; readonly typeUrl: string }[];
  /** The response contains the same name before this resource. */
  readonly isRepeated?: boolean;
  /** The response that carries the resource: its type_url, and whether it carries a resource of another type. */
  readonly response?: { readonly typeUrl: string; readonly isMixed: boolean };
}

export interface CheckContext extends RuleContext {
  /** Type URL of the resource, as in resource-type.ts. */
  readonly typeUrl: string;
}

/** One numbered rule of the reference (xds-semantics, sections 2.1, 2.2 and 2.4). */
export interface Rule {
  /**
   * A number such as "C4", or a gRFC's number ("A41") for HTTP filters, with a letter if one number has several
   * conditions.
   */
  readonly id: string;
  /** The requirement of the rule, in a few words. */
  readonly title: string;
  /** Type URLs of the resources to which the rule applies. */
  readonly types: readonly string[];
  readonly source: string;
  readonly reactions: Reactions;
  check(resource: Field, report: Report, context: CheckContext): void;
}

export function rulesOf(typeUrl: string) {
  return (id: string, title: string, source: string, reactions: Reactions, check: Rule['check']): Rule => ({
    id,
    title,
    types: [typeUrl],
    source,
    reactions,
    check,
  });
}

/** Reports findings about a part that some clients never read. */
export function reportExceptFor(report: Report, clients: ReadonlySet<Profile>): Report {
  if (clients.size === 0) return report;
  return (violation) =>
    report({ ...violation, skippedBy: new Set([...(violation.skippedBy ?? []), ...clients]) });
}
