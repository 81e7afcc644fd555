import { canonicalText } from './canonical-text';
import { type FactFinder, presentName } from './field-facts';
import { isJsonObject } from './json-object';
import type { ItemKey, ListRule } from './list-rule';

/** A key's text for comparing, not for people; undefined: the element has no such key. */
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

/** '' when it is not there, or says nothing. */
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
