import { findFieldInText } from './find-field-in-text';
import { findResourceTypeOfMessage } from './find-resource-type';
import { type NackStatement, type Subject, statementOf } from './nack-statement';
import { type Piece, slicePiece, splitPiece } from './piece';
import { readReportedPath } from './read-reported-path';

const opening = 'xDS response validation errors: [';

/**
 * C-core and grpc-js-xds list errors by index in the response:
 *
 *     xDS response validation errors: [resource index 0: NAME: INVALID_ARGUMENT: ...; resource index 2: ...]
 *
 * C-core reports the name, grpc-js-xds the type of the message. Returns undefined for texts of other clients.
 */
export function parseIndexedErrors(piece: Piece): NackStatement[] | undefined {
  const entries = splitEntries(piece);
  return entries.length === 0 ? undefined : entries.flatMap(parseEntry);
}

/**
 * Returns the errors of resources that the text identifies by index alone, in the order of the response, as CSDS reports
 * them. Returns none if the text names a resource, or is of another client.
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

/** Parses the error of one resource in CSDS, which has no list around it. Returns undefined for texts of other clients. */
export function parseReason(piece: Piece): NackStatement[] | undefined {
  const { text } = piece;
  if (/^[A-Z_]+: /.test(text) || text.includes('[field:')) return parseFieldErrors({}, piece);
  return /^\w+ message validation failed: \[/.test(text) ? parseMessageErrors({}, piece) : undefined;
}

/** C-core writes an absl status after the name. */
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
  if (starts.length === 0) return [statementOf(withField(subject, text), piece)];
  const before = text.slice(0, starts[0]?.index).replace(/: ?$/, '');
  const parent = /(?:^|[\s:])([a-z_]+(?:\.[a-z_]+)*)$/.exec(before)?.[1];
  const prefix = parent !== undefined && /(?:^|: )[a-z_.]+$/.test(before) ? `${parent}.` : '';
  return starts.flatMap(({ index, 0: lead, 1: reported = '' }, place) => {
    const isLast = place === starts.length - 1;
    const end = isLast ? text.length - (text.endsWith(']') ? 1 : 0) : starts[place + 1]?.index;
    const path = readReportedPath(`${prefix}${reported}`);
    const own = { ...subject, fieldPath: path || subject.fieldPath };
    return reasonsOf(slicePiece(piece, index + lead.length, end), lead).map((each) => statementOf(own, each));
  });
}

/** "error:E", or "errors:[F; G]". */
function reasonsOf(reason: Piece, lead: string): Piece[] {
  if (!lead.endsWith('errors:')) return [reason];
  return splitPiece(slicePiece(reason, 1, reason.text.length - (reason.text.endsWith(']') ? 1 : 0)), /; /y);
}

/** "Cluster message validation failed: [a.b is wrong,c: is wrong too]", or one sentence. */
function parseMessageErrors(subject: Subject, piece: Piece): NackStatement[] {
  const [lead = '', message = ''] = /^(\w+) message validation failed: \[/.exec(piece.text) ?? [];
  if (lead === '') return [statementOf(withField(subject, piece.text), piece)];
  const reported = { ...subject, typeUrl: findResourceTypeOfMessage(message)?.typeUrl ?? subject.typeUrl };
  const inside = slicePiece(piece, lead.length, piece.text.length - (piece.text.endsWith(']') ? 1 : 0));
  return splitPiece(inside, /,(?=\S)/y).map((each) => {
    const [all = '', path] =
      /^([a-z][a-z0-9_]*(?:\[[^\]]*\])?(?:\.[a-z][a-z0-9_]*(?:\[[^\]]*\])?)*)(?::|(?= )) ?/.exec(each.text) ??
      [];
    if (path === undefined || !/[._[]/.test(path)) return statementOf(withField(reported, each.text), each);
    const isHead = all.includes(':');
    const inner = isHead ? undefined : findFieldInText(each.text);
    const fieldPath = inner?.startsWith(readReportedPath(path)) ? inner : readReportedPath(path);
    return statementOf({ ...reported, fieldPath }, isHead ? slicePiece(each, all.length) : each);
  });
}

export function withField(subject: Subject, sentence: string): Subject {
  return { ...subject, fieldPath: findFieldInText(sentence) ?? subject.fieldPath };
}
