import { CDS, EDS, LDS, RDS } from '../xds/resource-type';
import { findResourceTypeOfService } from './find-resource-type';
import { type NackStatement, statementOf } from './nack-statement';
import { withField } from './parse-indexed-errors';
import { endOfQuoted, type Piece, slicePiece } from './piece';

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
export function parseGoErrors(piece: Piece): NackStatement[] | undefined {
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
