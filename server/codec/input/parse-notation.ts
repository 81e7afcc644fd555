import { type Document, parseAllDocuments, visit } from 'yaml';
import { assertYamlMembers } from '../assert-yaml-members';
import { assertBlockNesting, NestingError } from '../document-nesting';
import { findRepeatedKey } from '../find-repeated-key';
import { parseExactJson } from '../parse-exact-json';

/** Documents of JSON or YAML as values, or why they are none. Integers beyond 2^53 are bigint. */
export type ParsedNotation =
  | { readonly ok: true; readonly documents: readonly unknown[] }
  | { readonly ok: false; readonly reason: string };

/** YAML costs some hundred times its size in memory while it is read. */
const mostYamlBytes = 8 * 1024 * 1024;
/** Each use of an anchor copies what it stands for; a few lines could stand for gigabytes. */
const mostAliases = 1_000;

/** Of a document that is not of its notation: a limit that it exceeds says by itself what was expected. */
export function describeUnparsed(notation: 'JSON' | 'YAML', reason: string): string {
  return reason.startsWith('expected ') ? reason : `expected ${notation}, got ${reason}`;
}

export function parseJson(text: string): ParsedNotation {
  try {
    return { ok: true, documents: [parseExactJson(text)] };
  } catch (error) {
    return {
      ok: false,
      reason: error instanceof NestingError ? error.message : `no JSON${placeOf(error)}`,
    };
  }
}

/** YAML 1.2 with anchors and merge keys; tags are refused, since none of them is in any xDS document. */
export function parseYaml(text: string): ParsedNotation {
  if (text.length > mostYamlBytes) {
    return { ok: false, reason: `expected at most ${mostYamlBytes} characters of YAML, got ${text.length}` };
  }
  try {
    assertBlockNesting(text);
    assertYamlMembers(text);
    const documents = parseAllDocuments(text, {
      merge: true,
      intAsBigInt: true,
      uniqueKeys: false,
      logLevel: 'silent',
    });
    if ('empty' in documents) return { ok: true, documents: [] };
    const values: unknown[] = [];
    for (const document of documents) {
      const error = document.errors[0] ?? findRepeatedKey(document, text);
      if (error !== undefined) return { ok: false, reason: `no YAML${placeOf(error)}` };
      const tag = findTag(document);
      if (tag !== undefined)
        return { ok: false, reason: `expected YAML without tags, got ${tag.slice(0, 80)}` };
      values.push(smallIntegers(document.toJS({ maxAliasCount: mostAliases })));
    }
    return { ok: true, documents: values };
  } catch (error) {
    return {
      ok: false,
      reason: error instanceof NestingError ? error.message : `no YAML: ${explain(error)}`,
    };
  }
}

function findTag(document: Document.Parsed): string | undefined {
  let found: string | undefined;
  visit(document, {
    Node(_, node) {
      if (!('tag' in node) || node.tag === undefined) return undefined;
      found = node.tag;
      return visit.BREAK;
    },
  });
  return found;
}

/** The same value with numbers for what a number holds exactly. Anchors make one object stand in many places. */
function smallIntegers(value: unknown, seen = new Map<object, unknown>()): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const known = seen.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    seen.set(value, items);
    for (const item of value) items.push(smallIntegers(item, seen));
    return items;
  }
  const object: Record<string, unknown> = {};
  seen.set(value, object);
  for (const [key, item] of Object.entries(value)) {
    Object.defineProperty(object, key, {
      value: smallIntegers(item, seen),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return object;
}

/** Where a parser stopped, without the text around that place: it may be a secret. */
function placeOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const found = /at (?:line \d+, column \d+|position \d+)/.exec(message)?.[0];
  if (found !== undefined) return `: it stops ${found}`;
  return /end of|unterminated/i.test(message) ? ': it ends in the middle' : '';
}

function explain(error: unknown): string {
  if (error instanceof RangeError) return 'nested too deep';
  if (error instanceof ReferenceError) {
    return /^unresolved/i.test(error.message)
      ? 'an alias without its anchor'
      : `more than ${mostAliases} uses of anchors`;
  }
  return error instanceof Error ? error.name : 'unreadable';
}
