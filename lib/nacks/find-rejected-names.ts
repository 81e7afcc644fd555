import { normaliseResourceName } from '../xds/resource-name';
import { CDS, LDS } from '../xds/resource-type';
import type { NackStatement } from './nack-statement';
import { maxNackChars, maxNackStatements, parseNackText } from './parse-nack-text';

/** The resources of a response that a NACK rejects, by its error text. */
interface RejectedNames {
  readonly rejected: ReadonlySet<string>;
  /**
   * The state of the other resources: `accepted`; `kept` as they were before the response; `rejected`; `unknown`, for
   * instance if the text is longer than the part that is parsed; `one-of`: one of them is at fault, and some of the others
   * are in effect.
   */
  readonly others: 'accepted' | 'kept' | 'rejected' | 'unknown' | 'one-of';
}

export interface RejectedResponse {
  /** Absent: not known, and others than the rejected ones are not in effect. */
  readonly typeUrl?: string;
  /** The names of the response's resources, in order; null if a name cannot be decoded. */
  readonly names: readonly (string | null)[];
  /** The subset of `names` whose payload the client has not accepted before. Absent: all. */
  readonly changed?: readonly (string | null)[];
  readonly errorDetail: string;
  /** envoy.config.core.v3.Node.user_agent_name, as in "gRPC C-core" or "envoy". */
  readonly userAgentName: string;
  /** True if the NACK contains the rejected version as the accepted one, so that a part of it is in effect. */
  readonly movesVersion: boolean;
}

/**
 * Finds the rejected resources in the text of a NACK: those that parseNackText finds; in the text of an unknown client,
 * every name of the response that occurs. If it has no name, the only changed resource is the rejected one.
 *
 * gRFC A46: gRPC clients accept the valid resources of a response. Envoy does for listeners and clusters, if the response
 * can be decoded and meets the constraints of its messages. Of other types it has applied those that it handled before the
 * bad one, in an order that is not known. By the protocol, a NACK rejects the whole response.
 */
export function findRejectedNames({
  names,
  changed = names,
  errorDetail,
  userAgentName,
  movesVersion,
  typeUrl,
}: RejectedResponse): RejectedNames {
  const text = errorDetail.slice(0, maxNackChars);
  const statements = parseNackText(errorDetail);
  const rejected = findReportedNames(statements, names);
  if (rejected.size === 0)
    for (const name of names) if (name !== null && isNamed(text, name)) rejected.add(name);
  const unreadable = names.filter((name) => name === null).length;
  const [candidate] = changed;
  if (rejected.size === 0 && changed.length === 1 && candidate != null) rejected.add(candidate);
  const isGrpc = /^grpc/i.test(userAgentName.trim());
  const isEnvoyList = /Error adding\/updating (?:listener|cluster)\(s\)/.test(text);
  const acceptsValidPart = movesVersion || isGrpc || isEnvoyList;
  if (!acceptsValidPart) {
    const isEnvoy = /^envoy/i.test(userAgentName.trim());
    if (isEnvoy && unreadable === 0 && isApplied(text, typeUrl)) {
      return { rejected, others: rejected.size === 0 ? 'one-of' : 'unknown' };
    }
    return { rejected, others: rejected.size === 0 && unreadable === 0 ? 'rejected' : 'kept' };
  }
  // The client accepts the valid resources, whichever they are.
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

/**
 * Returns true if Envoy handles the resources of the response one by one, after all of them were decoded and checked.
 */
function isApplied(text: string, typeUrl: string | undefined): boolean {
  if (typeUrl === undefined || typeUrl === CDS.typeUrl || typeUrl === LDS.typeUrl) return false;
  return !/Proto constraint validation failed|^Unable to (?:unpack|parse) /.test(text);
}

const nameChar = /[\w.:/~@%-]/;

/** Tests for whole words: "a" does not occur in "ab", nor "b" in "a.b". A full stop or colon after a word ends it. */
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
