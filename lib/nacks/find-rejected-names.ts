import { normaliseResourceName } from '../xds/resource-name';
import type { NackStatement } from './nack-statement';
import { maxNackChars, maxNackStatements, parseNackText } from './parse-nack-text';

/** What a NACK's words say of the resources of the response that it rejects. */
export interface RejectedNames {
  /** Those that it names. */
  readonly rejected: ReadonlySet<string>;
  /**
   * What became of the others: `accepted`; `kept`: as they were before the response; `rejected` with it; `unknown`: nobody
   * can tell which of them are in use, as where the text is longer than what is read of it.
   */
  readonly others: 'accepted' | 'kept' | 'rejected' | 'unknown';
}

export interface RejectedResponse {
  /** Of its resources, in order; null: one that nobody can read a name of. */
  readonly names: readonly (string | null)[];
  readonly errorDetail: string;
  /** envoy.config.core.v3.Node.user_agent_name, as in "gRPC C-core" or "envoy". */
  readonly userAgentName: string;
  /** The NACK names the version that it rejects as the one in use: part of it is. */
  readonly movesVersion: boolean;
}

/**
 * Finds in a NACK's text which resources were rejected: what clients name, or only count, as parseNackText reads it; in
 * the words of a client that nobody knows, each name that stands there.
 *
 * gRFC A46: gRPC clients use the good part of a response; Envoy does for listeners and clusters, when the response as a
 * whole could be read. The protocol itself has a NACK reject the whole response.
 */
export function findRejectedNames({
  names,
  errorDetail,
  userAgentName,
  movesVersion,
}: RejectedResponse): RejectedNames {
  const text = errorDetail.slice(0, maxNackChars);
  const statements = parseNackText(errorDetail);
  const rejected = findReportedNames(statements, names);
  if (rejected.size === 0)
    for (const name of names) if (name !== null && isNamed(text, name)) rejected.add(name);
  const unreadable = names.filter((name) => name === null).length;
  if (rejected.size === 0 && names.length === 1 && names[0] !== null && names[0] !== undefined) {
    rejected.add(names[0]);
  }
  const isGrpc = /^grpc/i.test(userAgentName.trim());
  const isEnvoyList = /Error adding\/updating (?:listener|cluster)\(s\)/.test(text);
  const takesGoodPart = movesVersion || isGrpc || isEnvoyList;
  if (!takesGoodPart)
    return { rejected, others: rejected.size === 0 && unreadable === 0 ? 'rejected' : 'kept' };
  // Whichever they are, the client has the good ones.
  const isReadWhole = errorDetail.length <= maxNackChars && statements.length < maxNackStatements;
  const isReported = rejected.size > 0 || unreadable > 0 || movesVersion;
  return { rejected, others: isReadWhole && isReported ? 'accepted' : 'unknown' };
}

function findReportedNames(
  statements: readonly NackStatement[],
  names: RejectedResponse['names'],
): Set<string> {
  const present = new Set(names);
  const reported = new Set<string>();
  for (const { resourceIndex, resourceName } of statements) {
    const placed = resourceIndex === undefined ? undefined : names[resourceIndex];
    const name = placed ?? (resourceName === undefined ? undefined : normaliseResourceName(resourceName));
    if (name !== undefined && present.has(name)) reported.add(name);
  }
  return reported;
}

const nameChar = /[\w.:/~@%-]/;

/** As a word of its own: "a" is not named by "ab", nor "b" by "a.b"; a full stop or colon behind it ends a sentence. */
function isNamed(text: string, name: string): boolean {
  if (name === '') return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? ' ';
    const behind = text.slice(at + name.length, at + name.length + 2);
    const endsHere = !nameChar.test(behind[0] ?? ' ') || /^[.:,;](?:[\s"'\]]|$)/.test(behind);
    if (!nameChar.test(before) && endsHere) return true;
  }
  return false;
}
