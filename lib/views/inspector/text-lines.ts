import { formatVisible } from '../../format/visible-text';

export type Notation = 'yaml' | 'json';
type Tone = 'key' | 'number' | 'word' | 'sign';

/** A part of a line in one colour; null: that of text. */
interface TextPart {
  readonly tone: Tone | null;
  readonly text: string;
}

interface TextLine {
  /** The line number, from 1. */
  readonly number: number;
  /** The parts by their first column, from 0. */
  readonly parts: ReadonlyMap<number, TextPart>;
  /** The following lines are indented further. */
  readonly isFoldable: boolean;
}

const pairs = {
  /** Indentation and dashes, a key, a colon, a value. */
  yaml: /^(\s*(?:- )*)("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'#-][^#]*?)(:)(?= |$)(.*)$/,
  json: /^(\s*)("(?:[^"\\]|\\.)*")(:)(.*)$/,
};
const blockHeader = /(?:^|\s)[|>][+-]?\d?$/;
const jsonTokens = /("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*)|(true|false|null)|([[\]{},]+)/g;

/** Lines of YAML or JSON as renderBody() formats it, with invisible characters made visible. */
export function layoutTextLines(text: string, notation: Notation): TextLine[] {
  const lines = splitLines(text).map(formatVisible);
  /** The indentation of the YAML block of text that goes on; null: none. */
  let blockIndent: number | null = null;
  return lines.map((line, index) => {
    const indent = indentOf(line);
    const isFoldable = line !== '' && indentOf(lines[index + 1] ?? '') > indent;
    const isInBlock = blockIndent !== null && (line === '' || indent > blockIndent);
    if (!isInBlock) blockIndent = notation === 'yaml' && blockHeader.test(line) ? indent : null;
    const parts = isInBlock ? [plain(line)] : colorLine(line, notation);
    return { number: index + 1, parts: byColumn(parts), isFoldable };
  });
}

function byColumn(parts: readonly TextPart[]): Map<number, TextPart> {
  const columns = new Map<number, TextPart>();
  let column = 0;
  for (const part of parts) {
    if (part.text !== '') columns.set(column, part);
    column += part.text.length;
  }
  return columns;
}

/** A finding about a long list would mark everything. */
export const maxMarkedLines = 40;

/** The first and the last marked line, from 1, of a range of characters. */
export function findMarkedLines(text: string, { from, to }: { readonly from: number; readonly to: number }) {
  const first = lineAt(text, from);
  return { first, last: Math.min(lineAt(text, Math.max(from, to - 1)), first + maxMarkedLines - 1) };
}

function splitLines(text: string): string[] {
  return text.split(/\r\n?|\n/);
}

function lineAt(text: string, at: number): number {
  return splitLines(text.slice(0, at)).length;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function colorLine(line: string, notation: Notation): TextPart[] {
  const [, indent, key = '', colon = '', value = ''] = pairs[notation].exec(line) ?? [];
  if (indent === undefined) return colorValue(line, notation);
  return [
    { tone: 'sign', text: indent },
    { tone: 'key', text: key },
    { tone: 'sign', text: colon },
    ...colorValue(value, notation),
  ];
}

function colorValue(value: string, notation: Notation): TextPart[] {
  if (notation === 'yaml') {
    const [dashes = ''] = /^\s*(?:- )*/.exec(value) ?? [];
    return [{ tone: 'sign', text: dashes }, plain(value.slice(dashes.length))];
  }
  const parts: TextPart[] = [];
  let at = 0;
  for (const { 0: token, 1: quoted, 2: number, 3: word, index } of value.matchAll(jsonTokens)) {
    parts.push(plain(value.slice(at, index)));
    const tone =
      quoted !== undefined ? null : number !== undefined ? 'number' : word !== undefined ? 'word' : 'sign';
    parts.push({ tone, text: token });
    at = index + token.length;
  }
  return [...parts, plain(value.slice(at))];
}

function plain(text: string): TextPart {
  return { tone: null, text };
}
