import protobuf from 'protobufjs';
import textformat from 'protobufjs/ext/textformat.js';
import { levelsExceeded } from '../document-nesting';
import { findMessageType, unknownTypeReason } from '../root';
import { type TextField, TextFieldError, textBlocks, textFields, textOf } from './text-fields';

/** A larger piece is not parsed at once, which takes about a hundred times its size in memory. */
const pieceBytes = 128 * 1024;
const maxDepth = 100;
const anyName = '.google.protobuf.Any';

/**
 * Encodes a message in protobuf's text format, which is in the bytes `from` (inclusive) to `to` (exclusive). Large
 * messages are split into their fields, so that only a field without subfields is ever parsed as a whole. Throws a
 * TextFieldError whose message quotes no value of the document, which may be a secret.
 */
export function encodeText(type: protobuf.Type, bytes: Uint8Array, from = 0, to = bytes.length): Uint8Array {
  const out: Uint8Array[] = [];
  encodeMessage({ bytes, out }, type, from, to, 0);
  return Buffer.concat(out);
}

interface Encoding {
  readonly bytes: Uint8Array;
  readonly out: Uint8Array[];
}

/** Returns the number of bytes that were added. */
function encodeMessage(
  encoding: Encoding,
  type: protobuf.Type,
  from: number,
  to: number,
  depth: number,
): number {
  if (depth > maxDepth) throw new TextFieldError(from, levelsExceeded(maxDepth).message);
  let length = 0;
  let piece: { readonly from: number; end: number } | null = null;
  const parse = (): void => {
    if (piece !== null) length += parsePiece(encoding, type, piece.from, piece.end);
    piece = null;
  };
  for (const field of textFields(encoding.bytes, from, to)) {
    if (field.end - field.from > pieceBytes) {
      parse();
      const added = openField(encoding, type, field, depth);
      if (added !== undefined) {
        length += added;
        continue;
      }
    }
    piece ??= { from: field.from, end: field.end };
    piece.end = field.end;
    if (piece.end - piece.from > pieceBytes) parse();
  }
  parse();
  return length;
}

/** Returns the number of bytes that were added, or undefined if the field has no subfields. */
function openField(
  { bytes, out }: Encoding,
  type: protobuf.Type,
  { name, kind, valueFrom, valueTo, from }: TextField,
  depth: number,
): number | undefined {
  const made: Uint8Array[] = [];
  const field = type.fieldsArray.find((each) => each.protoName === name || each.name === name);
  const isAny = type.fullName === anyName && name.startsWith('[');
  const typeUrl = name.slice(1, -1);
  const inner = isAny ? findMessageType(typeUrl) : field?.resolvedType;
  if (isAny && inner === undefined) throw new TextFieldError(from, unknownTypeReason(typeUrl.slice(0, 200)));
  if (!(inner instanceof protobuf.Type) || field?.map === true || field?.delimited === true) return undefined;
  const blocks = kind === 'block' ? [[valueFrom, valueTo] as const] : textBlocks(bytes, valueFrom, valueTo);
  if (kind === 'scalar' || blocks === undefined) return undefined;
  if (isAny) made.push(protobuf.Writer.create().uint32(10).string(typeUrl).finish());
  const tag = ((isAny ? 2 : (field?.id ?? 0)) << 3) | 2;
  for (const [start, end] of blocks) {
    const body: Uint8Array[] = [];
    const size = encodeMessage({ bytes, out: body }, inner, start, end, depth + 1);
    made.push(protobuf.Writer.create().uint32(tag).uint32(size).finish(), ...body);
  }
  for (const part of made) out.push(part);
  return made.reduce((sum, part) => sum + part.length, 0);
}

/** The parts of an error of the parser that quote names only. */
const shownReason = /unknown field '[\w.]{1,80}'|the type "[\w./]{1,200}" is not in xdscope's protos/;

function parsePiece({ bytes, out }: Encoding, type: protobuf.Type, from: number, to: number): number {
  try {
    const encoded = type.encode(textformat.fromText(type, textOf(bytes, from, to))).finish();
    if (encoded.length > 0) out.push(encoded);
    return encoded.length;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const reason = shownReason.exec(message)?.[0] ?? 'it does not read as such';
    const line = Number(/\(line (\d+)\)$/.exec(message)?.[1] ?? 1);
    throw new TextFieldError(from, `${reason} (line ${linesBefore(bytes, from) + line})`);
  }
}

function linesBefore(bytes: Uint8Array, end: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(0x0a); at !== -1 && at < end; at = bytes.indexOf(0x0a, at + 1)) lines += 1;
  return lines;
}
