import { CDS, EDS, LDS, RDS } from '../xds/resource-type';
import { findResourceTypeOfService } from './find-resource-type';
import { type NackStatement, statementOf } from './nack-statement';
import { withWord } from './parse-indexed-errors';
import { endOfQuoted, type Piece, slicePiece } from './piece';

const typeByGoName = new Map([
  ['ListenerResource', LDS],
  ['RouteConfigResource', RDS],
  ['ClusterResource', CDS],
  ['EndpointsResource', EDS],
]);

/**
 * grpc-go: `error parsing "ListenerResource" response: resource "a": ...;\nresource "b": ...`, by Go's map in any
 * order, and before them "top level errors: ..." of resources that have no name. undefined: another client's text.
 */
export function parseGoErrors(piece: Piece): NackStatement[] | undefined {
  const head = /^error parsing "(\w*)" response: /.exec(piece.text);
  if (head === null) return undefined;
  const [lead, name = ''] = head;
  const typeUrl = (typeByGoName.get(name) ?? findResourceTypeOfService(name))?.typeUrl;
  const subject = typeUrl === undefined ? {} : { typeUrl };
  const rest = slicePiece(piece, lead.length);
  const starts = [...rest.text.matchAll(/(?:^|;\n|;\s*)(?=resource "|top level errors: )/g)];
  if (starts.length === 0) return [statementOf(withWord(subject, rest.text), rest)];
  return starts.flatMap(({ index, 0: separator }, place) => {
    const entry = slicePiece(rest, index + separator.length, starts[place + 1]?.index);
    if (!entry.text.startsWith('resource "')) return parseTopLevel(subject, entry);
    const opening = entry.text.indexOf('"');
    const closing = endOfQuoted(entry.text, opening);
    const resourceName = unquoteGo(entry.text.slice(opening + 1, closing));
    const reason = slicePiece(entry, closing + 1 + (entry.text[closing + 1] === ':' ? 1 : 0));
    return [statementOf(withWord({ ...subject, resourceName }, reason.text), reason)];
  });
}

/** After the last of them the first resource follows with nothing between. */
function parseTopLevel(subject: { readonly typeUrl?: string }, entry: Piece): NackStatement[] {
  const reason = slicePiece(entry, 'top level errors: '.length);
  return [statementOf(withWord(subject, reason.text), reason)];
}

/** Go's %q. */
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
