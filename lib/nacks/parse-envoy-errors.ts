import { CDS, EDS, LDS, RDS, SDS } from '../xds/resource-type';
import { findResourceTypeOfMessage } from './find-resource-type';
import { type NackStatement, type Subject, statementOf } from './nack-statement';
import { type Piece, slicePiece, splitPiece } from './piece';
import { readReportedPath } from './read-reported-path';

/** Envoy. Returns undefined for texts of other clients. */
export function parseEnvoyErrors(piece: Piece): NackStatement[] | undefined {
  return parseUpdateErrors(piece) ?? parseConstraint({}, piece) ?? parseSentence(piece);
}

/** Matches a field of a message in text format, with nested messages after it. No cause is a single word, number or string. */
const fieldAsText = /^[a-z]\w*: (?:"(?:[^"\\\n]|\\.)*"|[A-Z][A-Z0-9_]*|-?[\d.]+|true|false)(?:\n\w+ \{.*)?$/s;

/** "Error adding/updating listener(s) a: cause, b: cause" */
function parseUpdateErrors(piece: Piece): NackStatement[] | undefined {
  const head = /^Error adding\/updating (listener|cluster)(?:\(s\))? /.exec(piece.text);
  if (head === null) return undefined;
  const [lead, noun] = head;
  const { typeUrl } = noun === 'cluster' ? CDS : LDS;
  const rest = slicePiece(piece, lead.length);
  const entries = splitPiece(rest, /(?:, |\n)(?=[^\s,:][^\s,]*: )/y);
  return entries.flatMap((entry, place) => {
    if (place > 0 && fieldAsText.test(entry.text)) return [];
    // Some versions omit the name: ": cause".
    const [named = '', resourceName = ''] = /^(.*?): /s.exec(entry.text) ?? [];
    const subject = { typeUrl, resourceName: resourceName || undefined };
    const cause = slicePiece(entry, named.length);
    return (
      parseConstraint(subject, cause) ??
      parseDeprecated(subject, cause) ?? [statementOf({ ...fieldOfSentence(cause), ...subject }, cause)]
    );
  });
}

/**
 * protoc-gen-validate: "Proto constraint validation failed (ClusterValidationError.HealthChecks[i]: ... | caused by
 * HealthCheckValidationError.Timeout: value is required): <the message as text>". The index is the letter i.
 */
function parseConstraint(subject: Subject, piece: Piece): NackStatement[] | undefined {
  const { text } = piece;
  const opening = /^(?:Proto constraint validation failed )?\((?=\w+ValidationError\.)/.exec(text)?.[0];
  if (opening === undefined) return undefined;
  const closing = text.indexOf('):', opening.length);
  const end = closing < 0 ? text.length : closing;
  const chain = text.slice(opening.length, end);
  const oneof = /\| caused by field: "(\w+)", reason: /.exec(chain);
  const links = [...chain.matchAll(/(?:^|\| caused by )(\w+)ValidationError\.(\w+)((?:\[\w*\])*): /g)];
  const steps = links.map(([, , name = '', index = '']) => fieldOf(name) + indexOf(index));
  const path = [...steps, ...(oneof?.[1] === undefined ? [] : [readReportedPath(oneof[1])])].join('.');
  const type = findResourceTypeOfMessage(links[0]?.[1] ?? '');
  const reported = {
    typeUrl: subject.typeUrl ?? type?.typeUrl,
    resourceName: subject.resourceName ?? (type && nameOfMessage(text.slice(end + 2))),
    fieldPath: path || undefined,
  };
  const last = oneof ?? links.at(-1);
  const reasonAt = last === undefined ? 0 : last.index + last[0].length;
  return [statementOf(reported, slicePiece(piece, opening.length + reasonAt, end))];
}

/**
 * "Proto constraint validation failed (Using deprecated option 'envoy.api.v2.Cluster.tls_context' ...): <the message as
 * text>": a field that this version of Envoy does not accept.
 */
function parseDeprecated(subject: Subject, piece: Piece): NackStatement[] | undefined {
  const found = /^Proto constraint validation failed \((?=Using deprecated option '([\w.]+)')/.exec(
    piece.text,
  );
  if (found === null) return undefined;
  const [opening, option = ''] = found;
  const closing = piece.text.indexOf('): ', opening.length);
  const end = closing < 0 ? piece.text.length : closing;
  const reported = {
    typeUrl: subject.typeUrl,
    resourceName: subject.resourceName ?? nameOfMessage(piece.text.slice(end + 2)),
    fieldPath: readReportedPath(option.split('.').at(-1) ?? ''),
  };
  return [statementOf(reported, slicePiece(piece, opening.length, end))];
}

/** Reads the name of a resource in text format, which is its first field. */
function nameOfMessage(text: string): string | undefined {
  return /^\s*(?:cluster_)?name: "((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
}

/** "HttpHealthCheck" */
function fieldOf(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** "[i]" stands for any element; "[3]" and "[key]" are reported ones. */
function indexOf(brackets: string): string {
  return brackets.replace(/\[i\]/g, '[]').replace(/\[(?!\d+\])(\w+)\]/g, '["$1"]');
}

const sentences: readonly {
  readonly pattern: RegExp;
  readonly typeUrl: string;
  readonly fieldPath?: string;
}[] = [
  {
    pattern:
      /^Only (?:unique values for domains|a single wildcard domain).* in (?:route|virtual host) (?<name>\S+?)\.?$/s,
    typeUrl: RDS.typeUrl,
    fieldPath: 'virtualHosts[].domains',
  },
  {
    pattern: /^Only (?:unique values for domains|a single wildcard domain)/,
    typeUrl: RDS.typeUrl,
    fieldPath: 'virtualHosts[].domains',
  },
  { pattern: /^route: unknown (?:weighted )?cluster /, typeUrl: RDS.typeUrl },
  {
    pattern: /^Unexpected EDS cluster \(expecting \S+\): (?<name>\S+)$/,
    typeUrl: EDS.typeUrl,
    fieldPath: 'clusterName',
  },
  {
    pattern: /^Unexpected RDS configuration \(expecting \S+\): (?<name>\S+)$/,
    typeUrl: RDS.typeUrl,
    fieldPath: 'name',
  },
  {
    pattern: /^Unexpected SDS secret \(expecting \S+\): (?<name>\S+)$/,
    typeUrl: SDS.typeUrl,
    fieldPath: 'name',
  },
];

/** Envoy reports the same errors for route configurations that are inline in a listener. */
function fieldOfSentence({ text }: Piece): Pick<Subject, 'fieldPath'> {
  const fieldPath = sentences.find(({ pattern }) => pattern.test(text))?.fieldPath;
  return { fieldPath: fieldPath === 'name' ? undefined : fieldPath };
}

function parseSentence(piece: Piece): NackStatement[] | undefined {
  for (const { pattern, typeUrl, fieldPath } of sentences) {
    const found = pattern.exec(piece.text);
    if (found === null) continue;
    return [statementOf({ typeUrl, resourceName: found.groups?.name, fieldPath }, piece)];
  }
  return undefined;
}
