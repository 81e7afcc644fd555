import { type Document, isScalar, parseAllDocuments, visit, YAMLParseError } from 'yaml';
import {
  assertBlockNesting,
  assertMembers,
  assertMembersOfDocument,
  isEmptyBracket,
} from './document-nesting';

/** Parsing YAML takes about a hundred times its size in memory. */
const mostYamlBytes = 8 * 1024 * 1024;
/** Each alias copies the value of its anchor, so a few lines could expand to gigabytes. */
export const mostAliases = 1_000;

/**
 * Parses YAML 1.2 with anchors and merge keys. Integers beyond 2^53 are bigint. Throws a NestingError if a limit of
 * structure is exceeded, a YAMLParseError if the text is malformed, a ReferenceError for an alias without its anchor or
 * too many aliases, and an Error that begins with "expected" for a text that is too large or has tags.
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
    // An aliased value is stored once in memory, but its readers visit it at each alias.
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
  /** Number of members of the value and of all values in it, with aliases expanded. */
  members: number;
}

/** Converts each bigint that a number represents exactly. With aliases, one object is in several places. */
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

/**
 * The parser compares each key with all keys before it, which takes minutes for 100,000 keys. Documents are therefore
 * parsed with `uniqueKeys: false`, and repeated keys are found here. The error has the form of the parser's.
 */
function findRepeatedKey(document: Document.Parsed, text: string): YAMLParseError | undefined {
  let found: YAMLParseError | undefined;
  visit(document, {
    Map(_, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        const value = isScalar(key) ? key.value : key;
        if (keys.has(value)) {
          const offset = isScalar(key) ? (key.range?.[0] ?? 0) : 0;
          found = new YAMLParseError([offset, offset + 1], 'DUPLICATE_KEY', messageAt(text, offset));
          return visit.BREAK;
        }
        keys.add(value);
      }
      return undefined;
    },
  });
  return found;
}

function messageAt(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `Map keys must be unique at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

const lines = /^( *)((?:- +)*)(.*)$/gm;
const isEntry = /^[^#].*?:(?:\s|$)|^:(?:\s|$)/;

/** Matches a string in double quotes, or a token of a flow collection. */
const flowParts = /"(?:[^"\\]|\\.)*"|[{}[\],]/gs;

/** While it is parsed, an entry of YAML takes about 1.5 kB, ten times as much as a member of JSON. */
const mostMembersOfYaml = 150_000;

/**
 * Throws a NestingError for a mapping of more than 100,000 keys, or a text with more than 150,000 entries and items. A
 * parsed YAML document takes about 70 times its size in memory, so that entries are counted before, by their
 * indentation and by the commas within brackets. An entry on a line of its own within brackets counts twice.
 */
function assertYamlMembers(text: string): void {
  assertMembersOfDocument(countBlockMembers(text) + countFlowMembers(text), mostMembersOfYaml);
}

function countBlockMembers(text: string): number {
  let total = 0;
  const open: { readonly column: number; members: number }[] = [];
  const close = (column: number): void => {
    for (let last = open.at(-1); last !== undefined && last.column > column; last = open.at(-1)) {
      assertMembers(last.members);
      open.pop();
    }
  };
  for (const [, blanks = '', dashes = '', content = ''] of text.matchAll(lines)) {
    for (const char of dashes) if (char === '-') total += 1;
    if (content === '-') total += 1;
    if (!isEntry.test(content)) continue;
    total += 1;
    const column = blanks.length + dashes.length;
    // Each item of a list begins a mapping of its own.
    close(dashes === '' ? column : blanks.length);
    const last = open.at(-1);
    if (last?.column === column) last.members += 1;
    else open.push({ column, members: 1 });
  }
  close(-1);
  return total;
}

function countFlowMembers(text: string): number {
  let total = 0;
  /** Number of members of each open object, 0 for a list. */
  const open: number[] = [];
  for (const { 0: part, index } of text.matchAll(flowParts)) {
    if (part === '{' || part === '[') {
      open.push(part === '{' ? 1 : 0);
      if (!isEmptyBracket(text, index)) total += 1;
    } else if (part === '}' || part === ']') assertMembers(open.pop() ?? 0);
    else if (part === ',' && open.length > 0) {
      total += 1;
      const members = open.at(-1) ?? 0;
      if (members > 0) open[open.length - 1] = members + 1;
    }
  }
  for (const members of open) assertMembers(members);
  return total;
}
