import { group } from 'd3';
import { by } from '../collections/compare';
import { messageNameOf } from '../xds/resource-type';
import { type FactFinder, type FieldFacts, meansAbsent, presentName } from './field-facts';
import { isJsonObject, type JsonObject } from './json-object';
import { type ItemKey, type ListRule, unlistedRule } from './list-rule';

/**
 * Returns equal texts for values with the same meaning: sets and keys of objects are sorted, and fields that mean the same
 * as absent ones are left out.
 */
export function canonicalText(finder: FactFinder, value: unknown, message: string | undefined): string {
  if (Array.isArray(value)) return listText(finder, value, undefined, unlistedRule);
  // A negative zero means the same as zero.
  if (!isJsonObject(value)) return value === 0 ? '0' : JSON.stringify(value);
  const facts = finder.of(value, message);
  const parts: string[] = [];
  for (const name of Object.keys(value).sort()) {
    const [field, held] = [facts?.field(name), value[name]];
    if (held === undefined || (field !== undefined && meansAbsent(field, held))) continue;
    if (name === '@type' && typeof held === 'string') parts.push(`"@type":${messageNameOf(held)}`);
    else parts.push(`${JSON.stringify(name)}:${fieldText(finder, held, field)}`);
  }
  return `{${parts.join(',')}}`;
}

function fieldText(finder: FactFinder, value: unknown, field: FieldFacts | undefined): string {
  if (field?.shape === 'list' && Array.isArray(value)) {
    return listText(finder, value, field.message, field.rule);
  }
  if (field?.shape === 'map' && isJsonObject(value)) return mapText(finder, value, field);
  return canonicalText(finder, presentName(field, value), field?.message);
}

/** A former name and the present name of one extension are different entries if a map has both. */
function mapText(finder: FactFinder, map: JsonObject, field: FieldFacts): string {
  const entries = Object.keys(map).map((key) => {
    const name = presentName(field, key);
    const isAlone = name === key || !Object.hasOwn(map, String(name));
    const text = canonicalText(finder, map[key], field.message);
    return `${JSON.stringify(isAlone ? name : key)}:${text}`;
  });
  return `{${entries.sort()}}`;
}

function listText(
  finder: FactFinder,
  items: readonly unknown[],
  message: string | undefined,
  rule: ListRule,
): string {
  const texts = items.map((item) => canonicalText(finder, item, message));
  if (rule.order === 'none') texts.sort();
  if (rule.order !== 'within-key') return `[${texts}]`;
  const [key] = rule.keys;
  const nameOf = (item: unknown): string => (key && readKey(finder, item, message, key, rule)) ?? '';
  const groups = group(texts, (_, index) => nameOf(items[index]));
  return `[${[...groups].sort(by(([key]) => key)).map(([, members]) => `[${members}]`)}]`;
}

/** Returns the text of a key for comparisons; undefined if the element does not have the key. */
export function readKey(
  finder: FactFinder,
  item: unknown,
  message: string | undefined,
  key: ItemKey,
  { isKeyWhenEmpty }: Pick<ListRule, 'isKeyWhenEmpty'>,
): string | undefined {
  const parts = key.map((path) => partOf(finder, item, message, path));
  if (isKeyWhenEmpty !== true && parts.every((part) => part === '')) return undefined;
  return parts.join(' ');
}

/** Returns '' if the part is absent or empty. */
function partOf(finder: FactFinder, item: unknown, message: string | undefined, path: string): string {
  const found = findPart(finder, item, message, path.split('.'));
  if (found === undefined) return '';
  const text = canonicalText(finder, found.value, found.message);
  return text === '{}' || text === '""' || text === '[]' || text === '0' ? '' : text;
}

interface Part {
  readonly value: unknown;
  readonly message: string | undefined;
}

function findPart(
  finder: FactFinder,
  value: unknown,
  message: string | undefined,
  [name, ...rest]: readonly string[],
): Part | undefined {
  if (name === undefined) return { value, message };
  if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
  const field = finder.of(value, message)?.field(name);
  return findPart(finder, presentName(field, value[name]), field?.message, rest);
}
