import { describeUnparsed, parseYaml } from '../input/parse-notation';
import { type DocumentView, ScanError } from './document-view';
import { ValueView } from './value-view';
import { contentBehind, isBlankAt, isItem, nextLine } from './yaml-lines';

const [colon, question, singleQuote, doubleQuote, backslash] = [0x3a, 0x3f, 0x27, 0x22, 0x5c];
/** First bytes of a value that is not a key: an anchor, tag, alias, flow collection or block scalar. */
const noKey = new Set([...'&!*[]{}|>%@`,'].map((char) => char.charCodeAt(0)));

/**
 * A value of a YAML document in block style, in bytes. Entries are delimited by their indentation, and only values that
 * are requested are parsed, so that a document of 200 MB takes its bytes and one element at a time in memory. An alias
 * resolves only to an anchor of its own element.
 */
export class YamlView implements DocumentView {
  readonly #bytes: Uint8Array;
  readonly #column: number;
  readonly #end: number;

  readonly kind: DocumentView['kind'];
  #parsed: ValueView | undefined;

  constructor(
    bytes: Uint8Array,
    /** Place of the first byte of the content, which is in `column`. */
    readonly offset: number,
    column: number,
    end: number,
  ) {
    this.#bytes = bytes;
    this.#column = column;
    this.#end = end;

    if (isItem(bytes, offset, end)) this.kind = 'list';
    else if (findKeyEnd(bytes, offset, end) !== undefined) this.kind = 'object';
    else this.kind = isFlow(bytes[offset]) ? this.#flowKind() : 'other';
  }

  *members(): Iterable<readonly [string, DocumentView]> {
    if (this.kind !== 'object') return;
    const keyEndOfFirst = findKeyEnd(this.#bytes, this.offset, this.#end);
    if (keyEndOfFirst === undefined) {
      yield* this.#whole().members();
      return;
    }
    for (const { from, to } of this.#entries(false)) {
      const keyEnd = findKeyEnd(this.#bytes, from, to);
      if (keyEnd === undefined) throw new ScanError(from, 'expected a key and ":", got something else');
      yield [this.#keyOf(from, keyEnd), this.#viewOf(keyEnd + 1, to)];
    }
  }

  *items(): Iterable<readonly [index: number, item: DocumentView]> {
    if (this.kind !== 'list') return;
    if (!isItem(this.#bytes, this.offset, this.#end)) {
      yield* this.#whole().items();
      return;
    }
    let index = 0;
    for (const { from, to } of this.#entries(true)) {
      if (!isItem(this.#bytes, from, to)) throw new ScanError(from, 'expected "- ", got something else');
      yield [index, this.#viewOf(from + 1, to)];
      index += 1;
    }
  }

  value(): unknown {
    return this.#whole().value();
  }

  size(): number {
    return this.#end - this.offset;
  }

  /** A flow collection that cannot be parsed has no members; value() throws the reason. */
  #flowKind(): DocumentView['kind'] {
    try {
      return this.#whole().kind;
    } catch {
      return 'other';
    }
  }

  #whole(): ValueView {
    if (this.#parsed !== undefined) return this.#parsed;
    // The first line is indented as in the document.
    const text =
      ' '.repeat(this.#column) + Buffer.from(this.#bytes.subarray(this.offset, this.#end)).toString();
    const parsed = parseYaml(text);
    if (!parsed.ok) {
      throw parsed.limit ?? new Error(describeUnparsed('YAML', parsed.reason));
    }
    const view = new ValueView(parsed.documents[0] ?? null);
    // Elements are not cached: there are many, and each is read once.
    if (isFlow(this.#bytes[this.offset])) this.#parsed = view;
    return view;
  }

  /** Yields the entries of a mapping or a list, which begin in this column. A list may be in the column of its key. */
  *#entries(isList: boolean): Iterable<{ readonly from: number; readonly to: number }> {
    let from = this.offset;
    let at = this.#behindLine(from);
    for (let line = nextLine(this.#bytes, at, this.#end); line !== undefined; ) {
      const { start, content, end } = line;
      const column = content - start;
      if (column < this.#column) throw new ScanError(content, 'expected a deeper indentation');
      if (column === this.#column && (isList || !isItem(this.#bytes, content, end))) {
        yield { from, to: start };
        from = content;
      }
      at = end + 1;
      line = nextLine(this.#bytes, at, this.#end);
    }
    yield { from, to: this.#end };
  }

  #behindLine(at: number): number {
    const found = this.#bytes.indexOf(0x0a, at);
    return found === -1 || found >= this.#end ? this.#end : found + 1;
  }

  /** Returns the value behind a key or a dash, in the same line or in the lines below. */
  #viewOf(at: number, to: number): DocumentView {
    const lineEnd = Math.min(this.#behindLine(at), to);
    const inLine = contentBehind(this.#bytes, at, lineEnd);
    if (inLine !== undefined) {
      const lineStart = this.#bytes.lastIndexOf(0x0a, at) + 1;
      return new YamlView(this.#bytes, inLine, inLine - lineStart, to);
    }
    const below = nextLine(this.#bytes, lineEnd, to);
    if (below === undefined) return new ValueView(null);
    return new YamlView(this.#bytes, below.content, below.content - below.start, to);
  }

  #keyOf(from: number, end: number): string {
    const text = Buffer.from(this.#bytes.subarray(from, end)).toString().trimEnd();
    if (!/^["']/.test(text)) return text;
    const parsed = parseYaml(text);
    return parsed.ok ? String(parsed.documents[0]) : text;
  }
}

function isFlow(byte: number | undefined): boolean {
  return byte === 0x7b || byte === 0x5b;
}

/** Returns the place of the ":" behind a key, or undefined if no key begins at `from`. */
function findKeyEnd(bytes: Uint8Array, from: number, end: number): number | undefined {
  const first = bytes[from] ?? 0;
  if (noKey.has(first) || (first === question && isBlankAt(bytes, from + 1, end))) return undefined;
  let at = from;
  if (first === doubleQuote || first === singleQuote) {
    for (at += 1; at < end && bytes[at] !== first && bytes[at] !== 0x0a; at += 1)
      if (bytes[at] === backslash && first === doubleQuote) at += 1;
    if (bytes[at] !== first) return undefined;
    at += 1;
  }
  for (; at < end && bytes[at] !== 0x0a; at += 1) {
    if (bytes[at] === colon && isBlankAt(bytes, at + 1, end)) return at;
    if (bytes[at] === 0x23 && isBlankAt(bytes, at - 1, end)) return undefined;
  }
  return undefined;
}

/** Returns the documents of a text, which are separated by "---". */
export function yamlDocuments(bytes: Uint8Array, start: number): YamlView[] {
  const views: YamlView[] = [];
  const add = (from: number, to: number): void => {
    const line = nextLine(bytes, from, to);
    if (line !== undefined) views.push(new YamlView(bytes, line.content, line.content - line.start, to));
  };
  let from = start;
  for (let at = start; at < bytes.length; ) {
    const found = bytes.indexOf(0x0a, at);
    const end = found === -1 ? bytes.length : found;
    const mark = end - at >= 3 ? String.fromCharCode(...bytes.subarray(at, at + 3)) : '';
    if ((mark === '---' || mark === '...') && contentBehind(bytes, at + 3, end) === undefined) {
      add(from, at);
      from = end + 1;
    } else if (bytes[at] === 0x25 && from === at) from = end + 1; // %YAML or %TAG.
    at = end + 1;
  }
  add(from, bytes.length);
  return views;
}
