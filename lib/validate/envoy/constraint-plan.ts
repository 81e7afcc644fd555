import type { EnforcedConstraints, FieldConstraints, MessageConstraints } from '../constraints';

/** A part of the constraints of a message, and the constraints that have it: all of them, or some. */
interface Shared<T> {
  readonly value: T;
  readonly sharing: readonly EnforcedConstraints[];
}

/** What to check in messages of one name. */
export interface ConstraintPlan {
  /** Each entry lists oneofs of which one member must be set. */
  readonly required: readonly Shared<readonly (readonly string[])[]>[];
  /** By JSON name. */
  readonly fields: ReadonlyMap<string, readonly Shared<FieldConstraints>[]>;
  /** The fields that have rules for absent values. */
  readonly always: readonly string[];
}

const plans = new WeakMap<readonly EnforcedConstraints[], Map<string, ConstraintPlan>>();

export function planOf(enforced: readonly EnforcedConstraints[], messageName: string): ConstraintPlan {
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

export function isRequired({ isInOneof, rules }: FieldConstraints): boolean {
  if (rules === undefined || isInOneof === true) return false;
  const isWanted = rules.message?.required ?? rules.any?.required ?? rules.duration?.required ?? false;
  return isWanted || (rules.repeated?.min_items ?? 0) > 0 || (rules.map?.min_pairs ?? 0) > 0;
}
