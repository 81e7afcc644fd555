import { normaliseTypeUrl } from '@/lib/xds/resource-type';
import { isJsonObject, type JsonObject } from './json/json-object';
import { encodeJson, type JsonProblem } from './json/json-to-message';
import { findMessageType, messageType, unknownTypeReason } from './root';

/** google.protobuf.Any as protobufjs has it. */
export interface AnyMessage {
  readonly type_url: string;
  readonly value: Uint8Array;
}

export type DocumentResource =
  | {
      readonly kind: 'resource';
      readonly name: string | null;
      readonly any: AnyMessage;
      /** What was left out, since its type does not have it. */
      readonly notes: readonly string[];
    }
  | { readonly kind: 'unreadable'; readonly name: string | null; readonly reason: string };

/**
 * One element of a DiscoveryResponse's `resources` in JSON: an Any with "@type". An Any whose bytes are given (as
 * `{typeUrl, value}`, or as xdscope writes what it does not know) is taken as it is, whatever its type. Of another
 * type that is not in the protos there are no bytes to keep: JSON alone does not say which field is which.
 */
export function readDocumentResource(value: unknown): DocumentResource {
  if (!isJsonObject(value)) {
    const got = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
    return { kind: 'unreadable', name: null, reason: `expected an object with "@type", got ${got}` };
  }
  const name = nameOf(value);
  const asBytes = findAnyFields(value);
  if (asBytes !== undefined) return { kind: 'resource', name, any: asBytes, notes: [] };
  const typeUrl = value['@type'];
  if (typeof typeUrl !== 'string' || typeUrl === '') {
    return { kind: 'unreadable', name, reason: 'expected an object with "@type", got one without' };
  }
  const isOpaque = isJsonObject(value['xdscope.opaque']);
  if (!isOpaque && findMessageType(typeUrl) === undefined) {
    return { kind: 'unreadable', name, reason: unknownTypeReason(typeUrl) };
  }
  const type = messageType('google.protobuf.Any');
  const { bytes, problems } = encodeJson(type, { ...value, '@type': normaliseTypeUrl(typeUrl) });
  const serious = problems.filter(({ isUnknownField }) => !isUnknownField);
  if (serious.length > 0)
    return { kind: 'unreadable', name, reason: `not a ${typeUrl}: ${formatProblems(serious)}` };
  const { type_url, value: inner = new Uint8Array(0) } = type.decode(bytes) as object as AnyMessage;
  return { kind: 'resource', name, any: { type_url, value: inner }, notes: problems.map(formatLeftOut) };
}

export function formatLeftOut({ place, reason }: JsonProblem): string {
  return `${place}: ${reason}; left out`;
}

const shownProblems = 5;

export function formatProblems(problems: readonly JsonProblem[]): string {
  const more = problems.length - shownProblems;
  const shown = problems
    .slice(0, shownProblems)
    .map(({ place, reason }) => (place === '' ? reason : `${place}: ${reason}`));
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/** An Any that came as its two fields, as some tools write it; undefined when it is of the canonical kind. */
function findAnyFields(value: JsonObject): AnyMessage | undefined {
  const typeUrl = value.typeUrl ?? value.type_url;
  const { value: base64 } = value;
  if ('@type' in value || typeof typeUrl !== 'string' || typeof base64 !== 'string') return undefined;
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(base64)) return undefined;
  return { type_url: normaliseTypeUrl(typeUrl), value: Buffer.from(base64, 'base64') };
}

/** What it calls itself, where it cannot be asked as the type that it is. */
function nameOf({ name, clusterName, cluster_name: snakeName }: JsonObject): string | null {
  const found = name ?? clusterName ?? snakeName;
  return typeof found === 'string' && found !== '' ? found : null;
}
