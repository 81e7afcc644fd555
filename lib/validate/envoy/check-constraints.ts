import type { Constraints, FieldConstraints, FieldRules, MessageConstraints } from '../constraints';
import type { Field } from '../field';
import type { Report } from '../rule';
import { checkValue } from './check-value';

/** Maximum nesting depth of messages, the same as protobuf's own limit. */
const maxDepth = 100;

/** Places whose Any Envoy does not validate: it decodes them on use, or without the constraints. */
const unvalidated =
  /(?:\bupstreamConfig|\bpolicies\[\d+\]\.typedExtensionConfig)\.typedConfig$|\btypedFilterMetadata\["/;

const isValidatedAny = (any: Field): boolean => !unvalidated.test(any.path);

const apiConfigSource = 'envoy.config.core.v3.ApiConfigSource';

/**
 * Reports every constraint that the message violates, including those of nested messages and of every Any of a known
 * type for which `isIncluded` returns true.
 */
export function checkConstraints(
  messageName: string,
  message: Field,
  constraints: Constraints,
  report: Report,
  isIncluded = isValidatedAny,
  depth = 0,
): void {
  const known = findMessage(constraints, messageName);
  if (known === undefined || depth > maxDepth || !message.exists) return;
  for (const group of known.required ?? []) {
    if (!group.some((name) => message.at(name).exists))
      report({ field: message, expected: `one of ${group.join(', ')}`, got: 'none of them' });
  }
  if (messageName === apiConfigSource && !message.at('apiType').exists)
    report({ field: message.at('apiType'), expected: 'a type: the default is deprecated' });
  const checker = new Checker(constraints, report, isIncluded, depth);
  for (const name of namesToCheck(message, known)) {
    const field = Object.hasOwn(known.fields, name) ? known.fields[name] : undefined;
    if (field !== undefined) checker.field(message.at(name), field);
  }
}

function findMessage({ messages }: Constraints, name: string): MessageConstraints | undefined {
  return Object.hasOwn(messages, name) ? messages[name] : undefined;
}

const always = new WeakMap<MessageConstraints, readonly string[]>();

/** Names of the fields that are set, and of the fields that have rules for absent values. */
function namesToCheck(message: Field, known: MessageConstraints): ReadonlySet<string> {
  let names = always.get(known);
  if (names === undefined) {
    names = Object.entries(known.fields)
      .filter(([, field]) => field.rules !== undefined && (field.hasPresence !== true || isRequired(field)))
      .map(([name]) => name);
    always.set(known, names);
  }
  return new Set([...names, ...message.names()]);
}

function isRequired({ isInOneof, rules }: FieldConstraints): boolean {
  if (rules === undefined || isInOneof === true) return false;
  const isWanted = rules.message?.required ?? rules.any?.required ?? rules.duration?.required ?? false;
  return isWanted || (rules.repeated?.min_items ?? 0) > 0 || (rules.map?.min_pairs ?? 0) > 0;
}

class Checker {
  constructor(
    private readonly constraints: Constraints,
    private readonly report: Report,
    private readonly isIncluded: (any: Field) => boolean,
    private readonly depth: number,
  ) {}

  field(field: Field, known: FieldConstraints): void {
    if (known.shape === 'list') this.list(field, known);
    else if (known.shape === 'map') this.map(field, known);
    else this.single(field, known, known.rules);
  }

  private single(field: Field, known: FieldConstraints, rules: FieldRules | undefined): void {
    if (!field.exists && known.hasPresence === true) {
      if (isRequired(known)) this.report({ field, expected: 'a value: the field is required' });
      return;
    }
    if (rules !== undefined) checkValue(field, rules, known.enumValues, this.report);
    if (rules?.message?.skip !== true) this.inside(field, known);
  }

  private list(field: Field, known: FieldConstraints): void {
    const items = field.items();
    const rules = known.rules?.repeated;
    const { min_items: min = 0, max_items: max = Infinity } = rules ?? {};
    if (items.length < min && !(items.length === 0 && rules?.ignore_empty === true))
      this.report({ field, expected: `at least ${min} of them`, got: String(items.length) });
    if (items.length > max)
      this.report({ field, expected: `at most ${max} of them`, got: String(items.length) });
    const seen = new Set<string>();
    for (const item of items) {
      const key = rules?.unique === true ? JSON.stringify(item.value) : '';
      if (rules?.unique === true && seen.has(key))
        this.report({ field: item, expected: 'a value that is unique in the list' });
      seen.add(key);
      this.single(item, { ...known, hasPresence: false }, rules?.items);
    }
  }

  private map(field: Field, known: FieldConstraints): void {
    const entries = field.entries();
    const rules = known.rules?.map;
    const { min_pairs: min = 0, max_pairs: max = Infinity } = rules ?? {};
    if (entries.length < min && !(entries.length === 0 && rules?.ignore_empty === true))
      this.report({ field, expected: `at least ${min} of them`, got: String(entries.length) });
    if (entries.length > max)
      this.report({ field, expected: `at most ${max} of them`, got: String(entries.length) });
    for (const [key, entry] of entries) {
      if (rules?.keys !== undefined) {
        checkValue(entry.withValue(key), rules.keys, undefined, this.report);
      }
      this.single(entry, { ...known, hasPresence: false }, rules?.values);
    }
  }

  private inside(field: Field, known: FieldConstraints): void {
    const isAny = known.isAny === true && !field.isTypedStruct;
    const name = isAny ? field.typeName : known.message;
    if (name === undefined || (isAny && !this.isIncluded(field))) return;
    checkConstraints(name, field, this.constraints, this.report, this.isIncluded, this.depth + 1);
  }
}
