import { findResourceTypeOfService } from './find-resource-type';
import { type NackStatement, statementOf } from './nack-statement';
import { parseEnvoyErrors } from './parse-envoy-errors';
import { parseGoErrors } from './parse-go-errors';
import { parseIndexedErrors, parseReason, withWord } from './parse-indexed-errors';
import { type Piece, slicePiece, splitPiece } from './piece';

/** What is longer is read up to here: clients print whole resources, and a text is at most as long as a message. */
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

/**
 * What the error text of a NACK, or of a row of CSDS, says of which resource and field: of C-core, grpc-go, grpc-java,
 * grpc-js-xds, Envoy and our own probe. A text of nobody that is known is one statement of its own, of no resource;
 * an empty one says nothing.
 */
export function parseNackText(text: string): NackStatement[] {
  const whole = { text: text.slice(0, maxNackChars).trimEnd(), from: 0 };
  if (whole.text === '') return [];
  for (const parse of parsers) {
    const statements = parse(whole);
    if (statements !== undefined && statements.length > 0) return statements.slice(0, maxNackStatements);
  }
  return [statementOf(withWord({}, whole.text), whole)];
}

/**
 * grpc-java, one line each: "CDS response Cluster 'a' validation error: ...", "CDS response Resource index 0 - ...", or
 * "Unsupported resource name: a for type: CDS". A reason may have several lines. undefined: another client's text.
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
    const service = reported ?? ofType ?? '';
    const name = valid ?? unsupported;
    const typeUrl = findResourceTypeOfService(service)?.typeUrl;
    const reason = slicePiece(piece, index + lead.length, starts[at + 1]?.index);
    const subject = {
      ...(typeUrl === undefined ? {} : { typeUrl }),
      ...(name === undefined ? {} : { resourceName: name }),
      ...(place === undefined ? {} : { resourceIndex: Number(place) }),
    };
    return statementOf(withWord(subject, reason.text), reason);
  });
}

/**
 * Our own probe, one line for each resource: `"a": endpoints[0].locality: expected ..., got ...; ...`, or, where it is
 * not read as far as that, `resources[0] "a": ...`. undefined: another client's text.
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
    const subject = {
      ...(place === undefined ? {} : { resourceIndex: Number(place) }),
      ...(name === undefined ? {} : { resourceName: name }),
    };
    return splitPiece(line, /; (?=\S*: expected )/y).map((reason) => {
      const path = /^(\S.*?): expected /.exec(reason.text)?.[1];
      const isField = path !== undefined && path !== 'the resource' && !/\s/.test(path);
      return statementOf({ ...subject, ...(isField ? { fieldPath: path } : {}) }, reason);
    });
  });
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
