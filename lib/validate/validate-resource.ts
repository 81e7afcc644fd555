import { mapProfiles, type Profile, profiles } from '../xds/profile';
import { readTypeUrl } from '../xds/v2-types';
import { Field } from './field';
import { type UncheckedPart, uncheckedBy } from './find-unchecked';
import {
  everyNack,
  isTrouble,
  type Reactions,
  severer,
  type Verdict,
  verdictOfReaction,
  withoutReactionsOf,
} from './reactions';
import type { Dependence, Rule, RuleContext } from './rule';
import { rules } from './rules';

export interface Finding extends Partial<Dependence> {
  readonly ruleId: string;
  /** The requirement of the rule; absent if the finding is about no single rule. */
  readonly title?: string;
  readonly source: string;
  /** A path such as "endpoints[0].locality"; '' for the whole resource. */
  readonly fieldPath: string;
  /** Path, expected value and actual value. */
  readonly message: string;
  readonly reactions: Reactions;
  /** Facts that the reactions do not state. */
  readonly note?: string;
}

const rulesByType = new Map<string, readonly Rule[]>();
for (const rule of rules) {
  for (const type of rule.types) rulesByType.set(type, [...(rulesByType.get(type) ?? []), rule]);
}

const noClients: ReadonlySet<Profile> = new Set();

/** Further findings are counted and reported in one finding: a hostile resource can violate rules a million times. */
const maxFindings = 1000;

/** Findings that are not listed, counted by the reactions of the clients. */
interface UnlistedFindings {
  readonly reactions: Reactions;
  readonly count: number;
}

export interface CollectedFindings {
  readonly findings: readonly Finding[];
  readonly unlisted: readonly UnlistedFindings[];
}

/** The findings of collectFindings(), and one more finding that counts those that are not listed. */
export function validateResource(typeUrl: string, json: unknown, context: RuleContext = {}): Finding[] {
  const { findings, unlisted } = collectFindings(typeUrl, json, context);
  return unlisted.length === 0 ? [...findings] : [...findings, buildRestFinding(unlisted)];
}

/**
 * Validates `json`, which the codec decoded for models, and lists the first 1,000 findings of all rules. A v2 type is
 * validated as its v3 type. A type without rules has no findings. Never throws.
 */
export function collectFindings(
  typeUrl: string,
  json: unknown,
  context: RuleContext = {},
): CollectedFindings {
  const { typeUrl: type } = readTypeUrl(typeUrl);
  const resource = new Field(json);
  if (resource.unreadable !== undefined) {
    const message = `the resource: expected a ${type.slice(type.lastIndexOf('/') + 1)}, got bytes that are none (${resource.unreadable})`;
    const source = 'xDS: resources are protobuf messages';
    const finding = { ruleId: 'protobuf', source, fieldPath: '', message, reactions: everyNack };
    return { findings: [finding], unlisted: [] };
  }
  const findings = new Map<string, Finding>();
  const rest = new FindingCounts();
  for (const rule of rulesByType.get(type) ?? []) {
    rule.check(
      resource,
      ({
        field,
        expected,
        got = field.show(),
        reactions = rule.reactions,
        skippedBy = noClients,
        note,
        dependence,
      }) => {
        const fieldPath = field.path;
        const message = `${fieldPath || 'the resource'}: expected ${expected}, got ${got}`;
        const key = `${rule.id} ${message}`;
        const own = withoutReactionsOf(reactions, skippedBy);
        if (findings.size >= maxFindings && !findings.has(key)) {
          rest.add(key, own);
          return;
        }
        const before = findings.get(key);
        const shown = note ?? before?.note;
        findings.set(key, {
          ruleId: rule.id,
          title: rule.title,
          source: rule.source,
          fieldPath,
          message,
          reactions: before === undefined ? own : strictest(before.reactions, own),
          ...(shown === undefined ? {} : { note: shown }),
          ...(dependence && {
            ...dependence,
            otherwise: withoutReactionsOf(dependence.otherwise, skippedBy),
          }),
        });
      },
      { ...context, typeUrl: type },
    );
  }
  return { findings: [...findings.values()], unlisted: rest.list() };
}

/** Findings that are counted by their reactions and not kept. */
class FindingCounts {
  readonly #counts = new Map<string, UnlistedFindings>();
  #last: { readonly key: string; readonly reactions: Reactions } | undefined;

  /** A rule reports differences between clients consecutively; together they are one finding. */
  add(key: string, own: Reactions): void {
    const last = this.#last?.key === key ? this.#last : undefined;
    if (last !== undefined) this.#change(last.reactions, -1);
    const reactions = last === undefined ? own : strictest(last.reactions, own);
    this.#change(reactions, 1);
    this.#last = { key, reactions };
  }

  list(): UnlistedFindings[] {
    return [...this.#counts.values()].filter(({ count }) => count > 0);
  }

  #change(reactions: Reactions, by: number): void {
    const id = profiles.map((profile) => reactions[profile]).join(' ');
    this.#counts.set(id, { reactions, count: (this.#counts.get(id)?.count ?? 0) + by });
  }
}

function buildRestFinding(rest: readonly UnlistedFindings[]): Finding {
  const count = rest.reduce((sum, each) => sum + each.count, 0);
  return {
    ruleId: 'more',
    source: `only the first ${maxFindings} are listed`,
    fieldPath: '',
    message: `the resource: expected fewer broken rules, got ${count} more than are listed`,
    reactions: rest.map(({ reactions }) => reactions).reduce(strictest),
  };
}

/** The findings of a resource, and the parts of it for which the rules are not complete. */
export interface ValidatedResource {
  readonly findings: readonly Finding[];
  readonly unchecked: readonly UncheckedPart[];
}

/** The answer of one client if the resource were the only one in its response. */
export function verdictOfValidated({ findings, unchecked }: ValidatedResource, profile: Profile): Verdict {
  const verdict = verdictOf(findings, profile);
  if (verdict !== 'ACK') return verdict;
  const isOpen =
    uncheckedBy(profile, unchecked).length > 0 || findings.some((each) => isOpenFor(each, profile));
  return isOpen ? 'NO_FAULT_FOUND' : 'ACK';
}

/** True if the client does not accept the resource where the assumption of the finding does not hold. */
export function isOpenFor({ otherwise }: Pick<Finding, 'otherwise'>, profile: Profile): boolean {
  return otherwise !== undefined && isTrouble(verdictOfReaction(otherwise[profile]));
}

/** The same by the violated rules alone: ACK if there is none. */
export function verdictOf(findings: readonly Finding[], profile: Profile): Verdict {
  return verdictOfReaction(findings.map(({ reactions }) => reactions[profile]).reduce(severer, 'accept'));
}

/** A rule that reports per client yields one finding, with the strictest reaction of each client. */
function strictest(a: Reactions, b: Reactions): Reactions {
  return mapProfiles((profile) => severer(a[profile], b[profile]));
}
