import { CDS, EDS, LDS, RDS } from '../xds/resource-type';
import { findResourceTypeOfService } from './find-resource-type';
import { type NackStatement, statementOf } from './nack-statement';
import { parseEnvoyErrors } from './parse-envoy-errors';
import { parseIndexedErrors, parseReason, withField } from './parse-indexed-errors';
import { endOfQuoted, type Piece, slicePiece, splitPiece } from './piece';

const typeByGoName = new Map([
  ['ListenerResource', LDS],
  ['RouteConfigResource', RDS],
  ['ClusterResource', CDS],
  ['EndpointsResource', EDS],
]);

/**
 * grpc-go: `error parsing "ListenerResource" response: resource "a": ...;\nresource "b": ...`, in the random order of a Go
 * map, and before them "top level errors: ..." of resources without a name. Returns undefined for texts of other clients.
 */
function parseGoErrors(piece: Piece): NackStatement[] | undefined {
  const head = /^error parsing "(\w*)" response: /.exec(piece.text);
  if (head === null) return undefined;
  const [lead, name = ''] = head;
  const subject = { typeUrl: (typeByGoName.get(name) ?? findResourceTypeOfService(name))?.typeUrl };
  const rest = slicePiece(piece, lead.length);
  const starts = [...rest.text.matchAll(/(?:^|;\n|;\s*)(?=resource "|top level errors: )/g)];
  if (starts.length === 0) return [statementOf(withField(subject, rest.text), rest)];
  return starts.flatMap(({ index, 0: separator }, place) => {
    const entry = slicePiece(rest, index + separator.length, starts[place + 1]?.index);
    if (!entry.text.startsWith('resource "')) {
      const topLevel = slicePiece(entry, 'top level errors: '.length);
      return [statementOf(withField(subject, topLevel.text), topLevel)];
    }
    const opening = entry.text.indexOf('"');
    const closing = endOfQuoted(entry.text, opening);
    const resourceName = unquoteGo(entry.text.slice(opening + 1, closing));
    const reason = slicePiece(entry, closing + 1 + (entry.text[closing + 1] === ':' ? 1 : 0));
    return [statementOf(withField({ ...subject, resourceName }, reason.text), reason)];
  });
}

/** Reads a Go string that was formatted with %q. */
function unquoteGo(quoted: string): string {
  return quoted.replace(
    /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))/gi,
    (whole, x, u, wide, char) => {
      const hex: string | undefined = x ?? u ?? wide;
      if (hex === undefined) return escapes.get(char) ?? char;
      const code = Number.parseInt(hex, 16);
      return code > 0x10ffff ? whole : String.fromCodePoint(code);
    },
  );
}

const escapes = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
]);

/** Longer texts are parsed up to here. Clients print whole resources, so that a text may be as long as a message. */
export const maxNackChars = 64 * 1024;
export const maxNackStatements = 1_000;

const parsers = [
  parseIndexedErrors,
  parseGoErrors,
  parseJavaErrors,
  parseEnvoyErrors,
  parseReason,
  parseProbeErrors,
] as const;

const textsKept = 32;
/** The statements of the newest texts. A client sends the same text a thousand times per second in a NACK storm. */
const newest = new Map<string, readonly NackStatement[]>();

/**
 * Parses the error text of a NACK, or of a CSDS row, of C-core, grpc-go, grpc-java, grpc-js-xds, Envoy and our probe. The
 * text of another client is one statement without a resource; an empty text has none.
 */
export function parseNackText(text: string): readonly NackStatement[] {
  const known = newest.get(text);
  if (known !== undefined) return known;
  const statements = parse(text);
  // A longer text would stay in memory as a whole.
  if (text.length > maxNackChars) return statements;
  newest.set(text, statements);
  const [oldest] = newest.keys();
  if (newest.size > textsKept && oldest !== undefined) newest.delete(oldest);
  return statements;
}

function parse(text: string): readonly NackStatement[] {
  const whole = { text: text.slice(0, maxNackChars).trimEnd(), from: 0 };
  if (whole.text === '') return [];
  for (const parseOf of parsers) {
    const statements = parseOf(whole);
    if (statements !== undefined && statements.length > 0) return statements.slice(0, maxNackStatements);
  }
  return [statementOf(withField({}, whole.text), whole)];
}

/**
 * grpc-java, one line each: "CDS response Cluster 'a' validation error: ...", "CDS response Resource index 0 - ...", or
 * "Unsupported resource name: a for type: CDS". A reason may have several lines. Returns undefined for texts of other
 * clients.
 */
function parseJavaErrors(piece: Piece): NackStatement[] | undefined {
  const { text } = piece;
  const starts = [
    ...text.matchAll(
      /^(?:([A-Z]+) response (?:\w+ '(.*?)' validation error: |[Rr]esource index (\d+)(?: - |: | ))|(?=Unsupported resource name: (.*?) for type: ([A-Z]+)$))/gm,
    ),
  ];
  if (starts[0]?.index !== 0) return undefined;
  return starts.map(({ index, 0: lead, 1: reported, 2: valid, 3: place, 4: unsupported, 5: ofType }, at) => {
    const reason = slicePiece(piece, index + lead.length, starts[at + 1]?.index);
    const subject = {
      typeUrl: findResourceTypeOfService(reported ?? ofType ?? '')?.typeUrl,
      resourceName: valid ?? unsupported,
      resourceIndex: place === undefined ? undefined : Number(place),
    };
    return statementOf(withField(subject, reason.text), reason);
  });
}

/**
 * Our probe, one line for each resource: `"a": endpoints[0].locality: expected ..., got ...; ...`, or `resources[0] "a": ...`
 * if the resource cannot be decoded. Returns undefined for texts of other clients.
 */
function parseProbeErrors(piece: Piece): NackStatement[] | undefined {
  const starts = [...piece.text.matchAll(/^(?:resources\[(\d+)\](?: (?=")|: ))?(?:"(.*?)": )?/gm)].filter(
    ([lead]) => lead !== '',
  );
  if (starts[0]?.index !== 0) return undefined;
  return starts.flatMap(({ index, 0: lead, 1: place, 2: name }, at) => {
    const line = slicePiece(
      piece,
      index + lead.length,
      starts[at + 1]?.index ?? endOfLine(piece.text, index),
    );
    const subject = { resourceIndex: place === undefined ? undefined : Number(place), resourceName: name };
    return splitPiece(line, /; (?=\S*: expected )/y).map((reason) => {
      const path = /^(\S.*?): expected /.exec(reason.text)?.[1];
      const isField = path !== undefined && path !== 'the resource' && !/\s/.test(path);
      return statementOf({ ...subject, fieldPath: isField ? path : undefined }, reason);
    });
  });
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
