import { findFieldWord } from './find-field-word';
import { findResourceTypeOfMessage } from './find-resource-type';
import { type NackStatement, statementOf } from './nack-statement';
import { type Piece, slicePiece, splitPiece } from './piece';
import { readReportedPath } from './read-reported-path';

const opening = 'xDS response validation errors: [';

/**
 * C-core and grpc-js-xds list what is wrong by place in the response:
 *
 *     xDS response validation errors: [resource index 0: NAME: INVALID_ARGUMENT: ...; resource index 2: ...]
 *
 * C-core reports the name, grpc-js-xds the message's type. undefined: it is another client's text.
 */
export function parseIndexedErrors(piece: Piece): NackStatement[] | undefined {
  const entries = splitEntries(piece);
  return entries.length === 0 ? undefined : entries.flatMap(parseEntry);
}

/**
 * What such a text says of each resource that it only counts, in the order of the response, as CSDS would say it; empty
 * where it names any, or is another client's.
 */
export function listCountedReasons(text: string): string[] {
  const entries = splitEntries({ text, from: 0 }).map((entry) => entry.text.replace(entryLead, ''));
  return entries.some((entry) => namedReason.test(entry)) ? [] : entries;
}

const entryLead = /^resource index (\d+): /;

function splitEntries(piece: Piece): Piece[] {
  const { text } = piece;
  if (!text.startsWith(opening)) return [];
  const starts = [...text.matchAll(/(?:^xDS response validation errors: \[|; )(?=resource index \d+: )/g)];
  return starts.map(({ index, 0: lead }, place) => {
    const isLast = place === starts.length - 1;
    const end = isLast ? text.length - (text.endsWith(']') ? 1 : 0) : starts[place + 1]?.index;
    return slicePiece(piece, index + lead.length, end);
  });
}

/** What stands in CSDS, of one resource: without the list around it. undefined: it is another client's text. */
export function parseReason(piece: Piece): NackStatement[] | undefined {
  const { text } = piece;
  if (/^[A-Z_]+: /.test(text) || text.includes('[field:')) return parseFieldErrors({}, piece);
  return /^\w+ message validation failed: \[/.test(text) ? parseMessageErrors({}, piece) : undefined;
}

type Subject = Omit<NackStatement, 'reason' | 'range'>;

/** What C-core puts after the name: a status of absl. */
const namedReason =
  /^(.+?): (?=(?:INVALID_ARGUMENT|NOT_FOUND|UNAVAILABLE|INTERNAL|UNKNOWN|FAILED_PRECONDITION|ALREADY_EXISTS|OUT_OF_RANGE|UNIMPLEMENTED|DATA_LOSS|RESOURCE_EXHAUSTED): )/s;

function parseEntry(entry: Piece): NackStatement[] {
  const [lead = '', index = ''] = entryLead.exec(entry.text) ?? [];
  const subject: Subject = { resourceIndex: Number(index) };
  const rest = slicePiece(entry, lead.length);
  const named = namedReason.exec(rest.text);
  if (named !== null) {
    const [whole, resourceName = ''] = named;
    return parseFieldErrors({ ...subject, resourceName }, slicePiece(rest, whole.length));
  }
  return parseMessageErrors(subject, rest);
}

/** "errors validating X: [field:a.b error:E; field:c errors:[F; G]]" */
function parseFieldErrors(subject: Subject, piece: Piece): NackStatement[] {
  const { text } = piece;
  const starts = [...text.matchAll(/(?:\[|; )field:(.*?) error(?:s:(?=\[)|:)/gs)];
  if (starts.length === 0) return [statementOf(withWord(subject, text), piece)];
  const before = text.slice(0, starts[0]?.index).replace(/: ?$/, '');
  const parent = /(?:^|[\s:])([a-z_]+(?:\.[a-z_]+)*)$/.exec(before)?.[1];
  const prefix = parent !== undefined && /(?:^|: )[a-z_.]+$/.test(before) ? `${parent}.` : '';
  return starts.flatMap(({ index, 0: lead, 1: reported = '' }, place) => {
    const isLast = place === starts.length - 1;
    const end = isLast ? text.length - (text.endsWith(']') ? 1 : 0) : starts[place + 1]?.index;
    const path = readReportedPath(`${prefix}${reported}`);
    const own = path === '' ? subject : { ...subject, fieldPath: path };
    return reasonsOf(slicePiece(piece, index + lead.length, end), lead).map((each) => statementOf(own, each));
  });
}

/** "error:E", or "errors:[F; G]". */
function reasonsOf(reason: Piece, lead: string): Piece[] {
  if (!lead.endsWith('errors:')) return [reason];
  return splitPiece(slicePiece(reason, 1, reason.text.length - (reason.text.endsWith(']') ? 1 : 0)), /; /y);
}

/** "Cluster message validation failed: [a.b is wrong,c: is wrong too]"; or one sentence. */
function parseMessageErrors(subject: Subject, piece: Piece): NackStatement[] {
  const [lead = '', message = ''] = /^(\w+) message validation failed: \[/.exec(piece.text) ?? [];
  if (lead === '') return [statementOf(withWord(subject, piece.text), piece)];
  const typeUrl = findResourceTypeOfMessage(message)?.typeUrl;
  const reported = { ...subject, ...(typeUrl === undefined ? {} : { typeUrl }) };
  const inside = slicePiece(piece, lead.length, piece.text.length - (piece.text.endsWith(']') ? 1 : 0));
  return splitPiece(inside, /,(?=\S)/y).map((each) => {
    const [all = '', path] =
      /^([a-z][a-z0-9_]*(?:\[[^\]]*\])?(?:\.[a-z][a-z0-9_]*(?:\[[^\]]*\])?)*)(?::|(?= )) ?/.exec(each.text) ??
      [];
    if (path === undefined || !/[._[]/.test(path)) return statementOf(withWord(reported, each.text), each);
    const isHead = all.includes(':');
    const inner = isHead ? undefined : findFieldWord(each.text);
    const fieldPath = inner?.startsWith(readReportedPath(path)) ? inner : readReportedPath(path);
    return statementOf({ ...reported, fieldPath }, isHead ? slicePiece(each, all.length) : each);
  });
}

export function withWord(subject: Subject, sentence: string): Subject {
  const fieldPath = findFieldWord(sentence);
  return fieldPath === undefined ? subject : { ...subject, fieldPath };
}
