import protojson from 'protobufjs/ext/protojson.js';
import { normaliseTypeUrl } from '@/lib/xds/resource-type';
import { findV3TypeUrl } from '@/lib/xds/v2-types';
import { explainDocumentError } from './document-error';
import { findMessageType, messageType } from './root';

export type PlainObject = Record<string, unknown>;

/** google.protobuf.Any as protobufjs has it. */
interface AnyMessage {
  readonly type_url: string;
  readonly value: Uint8Array;
}

export type DocumentResource =
  | {
      readonly kind: 'resource';
      readonly name: string | null;
      readonly any: AnyMessage;
      readonly note: string | null;
    }
  | { readonly kind: 'unreadable'; readonly name: string | null; readonly reason: string };

/**
 * One element of a DiscoveryResponse's `resources` in JSON: an Any with "@type". An Any whose bytes are given (as
 * `{typeUrl, value}`, or as xdscope writes what it does not know) is taken as it is, whatever its type. Of another
 * type that is not in the protos there are no bytes to keep: JSON alone does not say which field is which.
 */
export function readDocumentResource(value: unknown): DocumentResource {
  if (!isPlainObject(value)) {
    const got = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
    return { kind: 'unreadable', name: null, reason: `expected an object with "@type", got ${got}` };
  }
  const name = nameOf(value);
  const asBytes = readBytes(value);
  if (asBytes !== undefined) return { kind: 'resource', name, any: asBytes, note: null };
  const typeUrl = value['@type'];
  if (typeof typeUrl !== 'string' || typeUrl === '') {
    return { kind: 'unreadable', name, reason: 'expected an object with "@type", got one without' };
  }
  // A v2 resource is read as its v3 twin, which has the same fields; the Any says what it was.
  const spokenTypeUrl = normaliseTypeUrl(typeUrl);
  const json = { ...value, '@type': findV3TypeUrl(spokenTypeUrl) ?? spokenTypeUrl };
  if (findMessageType(json['@type']) === undefined) {
    return { kind: 'unreadable', name, reason: `the type "${typeUrl}" is not in xdscope's protos` };
  }
  try {
    return { kind: 'resource', name, any: { ...anyOf(json, false), type_url: spokenTypeUrl }, note: null };
  } catch (strictError) {
    const strictReason = explainDocumentError(strictError);
    try {
      return {
        kind: 'resource',
        name,
        any: { ...anyOf(json, true), type_url: spokenTypeUrl },
        note: `${strictReason}: left out`,
      };
    } catch (error) {
      return { kind: 'unreadable', name, reason: `not a ${typeUrl}: ${explainDocumentError(error)}` };
    }
  }
}

export function isPlainObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function anyOf(json: PlainObject, ignoreUnknownFields: boolean): AnyMessage {
  const any = protojson.fromJson(messageType('google.protobuf.Any'), json, { ignoreUnknownFields });
  const { type_url = '', value = new Uint8Array(0) } = any as Partial<AnyMessage>;
  return { type_url, value };
}

/** The bytes of an Any that came with them; undefined when it is of the canonical kind. */
function readBytes(value: PlainObject): AnyMessage | undefined {
  const opaque = value['xdscope.opaque'];
  const typeUrl = value['@type'] ?? value.typeUrl ?? value.type_url;
  const base64 = isPlainObject(opaque) ? opaque.valueBase64 : '@type' in value ? undefined : value.value;
  if (typeof typeUrl !== 'string' || typeof base64 !== 'string') return undefined;
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(base64)) return undefined;
  return { type_url: normaliseTypeUrl(typeUrl), value: Buffer.from(base64, 'base64') };
}

/** What it calls itself, where it cannot be asked as the type that it is. */
function nameOf({ name, clusterName, cluster_name: snakeName }: PlainObject): string | null {
  const found = name ?? clusterName ?? snakeName;
  return typeof found === 'string' && found !== '' ? found : null;
}
