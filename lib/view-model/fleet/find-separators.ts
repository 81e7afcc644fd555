import { itemsPerStep, type Steps } from '../../steps/steps';
import { type FleetField, fleetFields, metadataPrefix, valuesOfField } from './fleet-fields';
import type { FleetMember } from './fleet-member';

/** One value that some clients have more often than others have it. */
export interface Separator {
  readonly field: FleetField;
  readonly value: string;
  /** How many of the odd ones have it, of how many. */
  readonly inside: number;
  readonly insideOf: number;
  /** How many of the others have it, of how many. */
  readonly outside: number;
  readonly outsideOf: number;
  /** How likely so many of the odd ones have it if they were drawn by lot (Fisher's exact test, one-sided); 0 to 1. */
  readonly chance: number;
  /** So much would be found by accident among as many values as were looked at (Bonferroni, 5 %). */
  readonly isWeak: boolean;
}

/** Tells a node apart, or nothing of the node. */
const notOfNode: ReadonlySet<FleetField> = new Set(['locality', 'fresh', 'worst']);
const nodeFields = (Object.keys(fleetFields) as FleetField[]).filter((field) => !notOfNode.has(field));
/** Of a large group so many are looked at for what they may share; counted are all. */
const lookedAt = 500;
const separatorsTold = 5;
/** What the lot alone brings as easily tells nothing. */
const chanceTold = 0.4;

/** What some clients have, once for all that they are held against. */
export interface CountedValues {
  readonly clients: number;
  /** By field and value: how many have it. */
  readonly counts: ReadonlyMap<string, number>;
}

export function* countValues(members: readonly FleetMember[]): Steps<CountedValues> {
  const counts = new Map<string, number>();
  for (const [index, member] of members.entries()) {
    for (const { key } of fieldsOf(member)) counts.set(key, (counts.get(key) ?? 0) + 1);
    if (index % itemsPerStep === 0) yield;
  }
  return { clients: members.length, counts };
}

/**
 * What the odd ones share and the others do not: the node field, metadata, locality, user agent or source whose value
 * at least half of the odd ones have, and relatively fewer of the others, more than the lot would bring; the least accidental first, then who is
 * rarest among the others.
 */
export function* findSeparators(odd: readonly FleetMember[], others: CountedValues): Steps<Separator[]> {
  if (odd.length === 0) return [];
  const shared = yield* findValues(odd.length <= lookedAt ? odd : everyNth(odd, lookedAt));
  const least = Math.min(odd.length, lookedAt) / 2;
  const wanted = new Map([...shared].filter(([, { inside }]) => inside >= least));
  for (const [key, found] of wanted) {
    found.inside = 0;
    found.outside = others.counts.get(key) ?? 0;
  }
  yield* countInside(wanted, odd);
  const factorials = yield* logFactorials(odd.length + others.clients);
  const separators = [...wanted.values()]
    .filter(({ inside, outside }) => inside * others.clients > outside * odd.length)
    .map(({ field, value, inside, outside }): Separator => {
      const counts = { inside, insideOf: odd.length, outside, outsideOf: others.clients };
      const chance = chanceOf(counts, factorials);
      return { field, value, ...counts, chance, isWeak: chance * shared.size > 0.05 };
    });
  return separators
    .filter(({ chance }) => chance < chanceTold)
    .sort((a, b) => a.chance - b.chance || a.outside - b.outside || (fieldRank(a) < fieldRank(b) ? -1 : 1))
    .slice(0, separatorsTold);
}

interface Found {
  readonly field: FleetField;
  readonly value: string;
  inside: number;
  outside: number;
}

function* findValues(members: readonly FleetMember[]): Steps<Map<string, Found>> {
  const found = new Map<string, Found>();
  for (const [index, member] of members.entries()) {
    for (const { field, value, key } of fieldsOf(member)) {
      const known = found.get(key);
      if (known === undefined) found.set(key, { field, value, inside: 1, outside: 0 });
      else known.inside += 1;
    }
    if (index % itemsPerStep === 0) yield;
  }
  return found;
}

function* countInside(wanted: ReadonlyMap<string, Found>, members: readonly FleetMember[]): Steps<void> {
  for (const [index, member] of members.entries()) {
    for (const { key } of fieldsOf(member)) {
      const found = wanted.get(key);
      if (found !== undefined) found.inside += 1;
    }
    if (index % itemsPerStep === 0) yield;
  }
}

interface FieldValue {
  readonly field: FleetField;
  readonly value: string;
  /** Of both. */
  readonly key: string;
}

/** Of clients as they are: most are the same when somebody asks again. */
const fieldsKept = new WeakMap<FleetMember, readonly FieldValue[]>();

/** Each value once, whatever a list says twice. */
function fieldsOf(member: FleetMember): readonly FieldValue[] {
  const kept = fieldsKept.get(member);
  if (kept !== undefined) return kept;
  const fields: FieldValue[] = [];
  const add = (field: FleetField, value: string): number =>
    fields.push({ field, value, key: `${field}\u0000${value}` });
  for (const field of nodeFields) for (const value of valuesOfField(member, field)) add(field, value);
  for (const [index, [key, value]] of member.metadata.entries()) {
    const isTwice = member.metadata.findIndex((each) => each[0] === key && each[1] === value) < index;
    if (!isTwice) add(`${metadataPrefix}${key}`, value);
  }
  fieldsKept.set(member, fields);
  return fields;
}

/** Of equals rather a field of the node than a key of its metadata. */
function fieldRank({ field, value }: Separator): string {
  return `${field.startsWith(metadataPrefix) ? 1 : 0}${field}\u0000${value}`;
}

function everyNth<T>(items: readonly T[], count: number): T[] {
  return Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)] as T);
}

function* logFactorials(most: number): Steps<Float64Array> {
  const logs = new Float64Array(most + 1);
  for (let n = 2; n <= most; n++) {
    logs[n] = (logs[n - 1] ?? 0) + Math.log(n);
    if (n % 4096 === 0) yield;
  }
  return logs;
}

type Counts = Pick<Separator, 'inside' | 'insideOf' | 'outside' | 'outsideOf'>;

/** The hypergeometric tail: at least `inside` of the odd ones among all that have the value. */
function chanceOf({ inside, insideOf, outside, outsideOf }: Counts, logs: Float64Array): number {
  const all = insideOf + outsideOf;
  const having = inside + outside;
  const choose = (n: number, k: number): number => (logs[n] ?? 0) - (logs[k] ?? 0) - (logs[n - k] ?? 0);
  const total = choose(all, insideOf);
  let chance = 0;
  for (let k = inside; k <= Math.min(insideOf, having); k++) {
    if (insideOf - k > all - having) continue;
    chance += Math.exp(choose(having, k) + choose(all - having, insideOf - k) - total);
  }
  return Math.min(1, chance);
}
