import { type Document, parseAllDocuments, visit } from 'yaml';
import { assertYamlMembers } from './assert-yaml-members';
import { assertBlockNesting, assertMembersOfDocument } from './document-nesting';
import { findRepeatedKey } from './find-repeated-key';

/** YAML costs some hundred times its size in memory while it is read. */
const mostYamlBytes = 8 * 1024 * 1024;
/** Each use of an anchor copies what it stands for; a few lines could stand for gigabytes. */
export const mostAliases = 1_000;

/**
 * The one reader of YAML: version 1.2 with anchors and merge keys. Integers beyond 2^53 are bigint. Throws a NestingError
 * for a limit of structure, a YAMLParseError where the text is no YAML, a ReferenceError for an alias without its anchor
 * or too many aliases, and an Error with what was expected for a text that is too large or that has tags: no document that
 * is read here has any.
 */
export function parseYamlDocuments(text: string): unknown[] {
  if (text.length > mostYamlBytes) {
    throw new Error(`expected at most ${mostYamlBytes} characters of YAML, got ${text.length}`);
  }
  assertBlockNesting(text);
  assertYamlMembers(text);
  const documents = parseAllDocuments(text, {
    merge: true,
    intAsBigInt: true,
    uniqueKeys: false,
    logLevel: 'silent',
  });
  if ('empty' in documents) return [];
  return documents.map((document) => {
    const error = document.errors[0] ?? findRepeatedKey(document, text);
    if (error !== undefined) throw error;
    const tag = findTag(document);
    if (tag !== undefined) throw new Error(`expected YAML without tags, got ${tag.slice(0, 80)}`);
    const reader = new ValueReader();
    const { value, members } = reader.read(document.toJS({ maxAliasCount: mostAliases }));
    // What aliases stand for is one value in memory, but is written out by whoever goes through it.
    assertMembersOfDocument(members);
    return value;
  });
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

interface Read {
  value: unknown;
  /** Of it and of all that is in it, aliases written out. */
  members: number;
}

/** The same value with numbers for what a number holds exactly. Anchors make one object stand in many places. */
class ValueReader {
  readonly #seen = new Map<object, Read>();

  read(value: unknown): Read {
    if (typeof value === 'bigint') {
      const number = Number(value);
      return { value: Number.isSafeInteger(number) ? number : value, members: 0 };
    }
    if (typeof value !== 'object' || value === null) return { value, members: 0 };
    const known = this.#seen.get(value);
    if (known !== undefined) return known;
    const isList = Array.isArray(value);
    const entries = Object.entries(value);
    const made: object = isList ? [] : {};
    const read: Read = { value: made, members: entries.length };
    this.#seen.set(value, read);
    for (const [key, item] of entries) {
      const inner = this.read(item);
      read.members += inner.members;
      Object.defineProperty(made, key, {
        value: inner.value,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
    return read;
  }
}
