import type { EnforcedConstraints, FieldConstraints, FieldRules, MessageConstraints } from '../constraints';
import type { Field } from '../field';
import { nackBy } from '../reactions';
import type { Report } from '../rule';
import { checkValue } from './check-value';
import { filtersWithOwnOverride } from './override-rules';
import { messageOf } from './typed-struct';

/** Maximum nesting depth of messages, the same as protobuf's own limit. */
const maxDepth = 100;

/** Places whose Any Envoy does not validate: it decodes them on use, or without the constraints. */
const unvalidated =
  /(?:\bupstreamConfig|\bpolicies\[\d+\]\.typedExtensionConfig)\.typedConfig$|\btypedFilterMetadata\["/;

const override = /\btypedPerFilterConfig\["(?:[^"\\]|\\.)*"\](?:\.config)?$/;

function isValidatedAny(any: Field): boolean {
  if (unvalidated.test(any.path)) return false;
  return !(filtersWithOwnOverride.has(any.typeName) && override.test(any.path));
}

const apiConfigSource = 'envoy.config.core.v3.ApiConfigSource';

/**
 * Reports every constraint that the message violates, including those of nested messages and of every Any of a known
 * type for which `isIncluded` returns true. What all profiles have in common is checked once.
 */
export function checkConstraints(
  messageName: string,
  message: Field,
  enforced: readonly EnforcedConstraints[],
  report: Report,
  isIncluded = isValidatedAny,
  depth = 0,
): void {
  if (depth > maxDepth || !message.exists) return;
  if (messageName === apiConfigSource && !message.at('apiType').exists)
    report({ field: message.at('apiType'), expected: 'a type: the default is deprecated' });
  const { required, fields, always } = planOf(enforced, messageName);
  for (const { value: groups, sharing } of required) {
    for (const group of groups) {
      if (!group.some((name) => message.at(name).exists))
        reportAs(sharing)({ field: message, expected: `one of ${group.join(', ')}`, got: 'none of them' });
    }
  }
  const ofAll = new Checker(enforced, report, isIncluded, depth);
  for (const name of new Set([...always, ...message.names()])) {
    for (const { value: field, sharing } of fields.get(name) ?? []) {
      const checker =
        sharing === enforced ? ofAll : new Checker(sharing, reportAs(sharing), isIncluded, depth);
      checker.field(message.at(name), field);
    }
  }

  function reportAs(sharing: readonly EnforcedConstraints[]): Report {
    if (sharing === enforced) return report;
    const reactions = nackBy(...sharing.flatMap(({ profiles }) => profiles));
    return (violation) => report({ reactions, ...violation });
  }
}

class Checker {
  readonly #enforced: readonly EnforcedConstraints[];
  readonly #report: Report;
  readonly #isIncluded: (any: Field) => boolean;
  readonly #depth: number;

  constructor(
    enforced: readonly EnforcedConstraints[],
    report: Report,
    isIncluded: (any: Field) => boolean,
    depth: number,
  ) {
    this.#enforced = enforced;
    this.#report = report;
    this.#isIncluded = isIncluded;
    this.#depth = depth;
  }

  field(field: Field, known: FieldConstraints): void {
    if (known.shape === 'list') this.#list(field, known);
    else if (known.shape === 'map') this.#map(field, known);
    else this.#single(field, known, known.rules);
  }

  #single(field: Field, known: FieldConstraints, rules: FieldRules | undefined): void {
    if (!field.exists && known.hasPresence === true) {
      if (isRequired(known)) this.#report({ field, expected: 'a value: the field is required' });
      return;
    }
    if (rules !== undefined) checkValue(field, rules, known.enumValues, this.#report);
    if (rules?.message?.skip !== true) this.#inside(field, known);
  }

  #list(field: Field, known: FieldConstraints): void {
    const items = field.items();
    const rules = known.rules?.repeated;
    const { min_items: min = 0, max_items: max = Infinity } = rules ?? {};
    if (items.length < min && !(items.length === 0 && rules?.ignore_empty === true))
      this.#report({ field, expected: `at least ${min} of them`, got: String(items.length) });
    if (items.length > max)
      this.#report({ field, expected: `at most ${max} of them`, got: String(items.length) });
    const seen = new Set<string>();
    for (const item of items) {
      const key = rules?.unique === true ? JSON.stringify(item.value) : '';
      if (rules?.unique === true && seen.has(key))
        this.#report({ field: item, expected: 'a value that is unique in the list' });
      seen.add(key);
      this.#single(item, { ...known, hasPresence: false }, rules?.items);
    }
  }

  #map(field: Field, known: FieldConstraints): void {
    const entries = field.entries();
    const rules = known.rules?.map;
    const { min_pairs: min = 0, max_pairs: max = Infinity } = rules ?? {};
    if (entries.length < min && !(entries.length === 0 && rules?.ignore_empty === true))
      this.#report({ field, expected: `at least ${min} of them`, got: String(entries.length) });
    if (entries.length > max)
      this.#report({ field, expected: `at most ${max} of them`, got: String(entries.length) });
    for (const [key, entry] of entries) {
      if (rules?.keys !== undefined) {
        checkValue(entry.withValue(key), rules.keys, undefined, this.#report);
      }
      this.#single(entry, { ...known, hasPresence: false }, rules?.values);
    }
  }

  #inside(field: Field, known: FieldConstraints): void {
    const isAny = known.isAny === true;
    const name = isAny ? field.typeName : known.message;
    if (name === undefined || (isAny && !this.#isIncluded(field))) return;
    const message = isAny ? messageOf(field) : field;
    checkConstraints(name, message, this.#enforced, this.#report, this.#isIncluded, this.#depth + 1);
  }
}

/** A part of the constraints of a message, and the constraints that have it: all of them, or some. */
interface Shared<T> {
  readonly value: T;
  readonly sharing: readonly EnforcedConstraints[];
}

/** The constraints to check in messages of one name. */
interface ConstraintPlan {
  /** Each entry lists oneofs of which one member must be set. */
  readonly required: readonly Shared<readonly (readonly string[])[]>[];
  /** The constraints of fields by JSON name. */
  readonly fields: ReadonlyMap<string, readonly Shared<FieldConstraints>[]>;
  /** The fields that have rules for absent values. */
  readonly always: readonly string[];
}

const plans = new WeakMap<readonly EnforcedConstraints[], Map<string, ConstraintPlan>>();

function planOf(enforced: readonly EnforcedConstraints[], messageName: string): ConstraintPlan {
  const known = plans.get(enforced) ?? new Map<string, ConstraintPlan>();
  plans.set(enforced, known);
  const plan = known.get(messageName) ?? buildPlan(enforced, messageName);
  known.set(messageName, plan);
  return plan;
}

function buildPlan(enforced: readonly EnforcedConstraints[], messageName: string): ConstraintPlan {
  const messageOf = ({ messages }: EnforcedConstraints): MessageConstraints | undefined =>
    Object.hasOwn(messages, messageName) ? messages[messageName] : undefined;
  const names = new Set(enforced.flatMap((each) => Object.keys(messageOf(each)?.fields ?? {})));
  const fields = new Map(
    [...names].map((name) => [name, findShared(enforced, (each) => messageOf(each)?.fields[name])]),
  );
  return {
    required: findShared(enforced, (each) => messageOf(each)?.required),
    fields,
    always: [...fields]
      .filter(([, all]) => all.some(({ value }) => appliesToAbsent(value)))
      .map(([name]) => name),
  };
}

/** If a part is the same object for all, `sharing` is `enforced` itself. */
function findShared<T>(
  enforced: readonly EnforcedConstraints[],
  partOf: (each: EnforcedConstraints) => T | undefined,
): Shared<T>[] {
  const byPart = new Map<T, EnforcedConstraints[]>();
  for (const each of enforced) {
    const part = partOf(each);
    if (part !== undefined) byPart.set(part, [...(byPart.get(part) ?? []), each]);
  }
  return [...byPart].map(([value, sharing]) => {
    return { value, sharing: sharing.length === enforced.length ? enforced : sharing };
  });
}

function appliesToAbsent(field: FieldConstraints): boolean {
  return field.rules !== undefined && (field.hasPresence !== true || isRequired(field));
}

function isRequired({ isInOneof, rules }: FieldConstraints): boolean {
  if (rules === undefined || isInOneof === true) return false;
  const isWanted = rules.message?.required ?? rules.any?.required ?? rules.duration?.required ?? false;
  return isWanted || (rules.repeated?.min_items ?? 0) > 0 || (rules.map?.min_pairs ?? 0) > 0;
}
