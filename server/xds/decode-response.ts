import { normaliseTypeUrl } from '@/lib/xds/resource-type';
import { messageType } from '../codec/root';

/** One element of DiscoveryResponse.resources, named but not yet decoded. */
export type ResponseEntry =
  | { readonly kind: 'resource'; readonly name: string; readonly bytes: Uint8Array }
  /** A wrapped resource without a payload: it only renews the time to live of what we hold. */
  | { readonly kind: 'heartbeat'; readonly name: string }
  | EntryProblem;

export interface EntryProblem {
  readonly kind: 'problem';
  /** null where the resource itself is not to blame by name: it cannot be read, or it is the second of its name. */
  readonly name: string | null;
  /** With the place in the response and, where known, the name: `resources[3] "a": expected ..., got ...`. */
  readonly reason: string;
}

/** A DiscoveryResponse. The resources stay bytes, views of the message's buffer. */
export interface ResponseEnvelope {
  readonly typeUrl: string;
  readonly versionInfo: string;
  readonly nonce: string;
  /** ControlPlane.identifier; empty when the server does not say who it is. */
  readonly controlPlane: string;
  readonly sizeBytes: number;
  readonly resources: readonly AnyFields[];
}

export type EnvelopeResult =
  | { readonly kind: 'envelope'; readonly envelope: ResponseEnvelope }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Reads a resource's name out of its bytes; undefined when they are not that type. */
export type NameOf = (typeUrl: string, bytes: Uint8Array) => string | undefined;

/** google.protobuf.Any as protobufjs decodes it. */
export interface AnyFields {
  readonly type_url?: string;
  readonly value?: Uint8Array;
}

interface DiscoveryResponseFields {
  readonly versionInfo?: string;
  readonly resources?: readonly AnyFields[];
  readonly typeUrl?: string;
  readonly nonce?: string;
  readonly controlPlane?: { readonly identifier?: string } | null;
}

/** envoy.service.discovery.v3.Resource. */
interface WrappedFields {
  readonly name?: string;
  readonly resource?: AnyFields | null;
}

const wrapperTypeUrl = 'type.googleapis.com/envoy.service.discovery.v3.Resource';
const noBytes = new Uint8Array(0);

/** The envelope alone: about 1 ms per thousand resources. */
export function decodeEnvelope(message: Uint8Array): EnvelopeResult {
  let fields: DiscoveryResponseFields;
  try {
    fields = messageType('envoy.service.discovery.v3.DiscoveryResponse').decode(
      message,
    ) as DiscoveryResponseFields;
  } catch (error) {
    const reason = `expected a DiscoveryResponse, got ${message.length} bytes that do not decode: ${reasonOf(error)}`;
    return { kind: 'unreadable', reason };
  }
  return {
    kind: 'envelope',
    envelope: {
      typeUrl: normaliseTypeUrl(fields.typeUrl ?? ''),
      versionInfo: fields.versionInfo ?? '',
      nonce: fields.nonce ?? '',
      controlPlane: fields.controlPlane?.identifier ?? '',
      sizeBytes: message.length,
      resources: fields.resources ?? [],
    },
  };
}

/**
 * The entries of a response, one by one, so that the reader of 100,000 may stop for breath. A second resource of a
 * name is a problem of the response (xDS protocol: the client must NACK it); the first one stands, as in C-core.
 */
export function* readEntries(envelope: ResponseEnvelope, nameOf: NameOf): Generator<ResponseEntry> {
  const seen = new Set<string>();
  for (const [index, any] of envelope.resources.entries()) {
    const entry = readEntry(envelope.typeUrl, any, index, nameOf);
    if (entry.kind === 'problem') {
      yield entry;
    } else if (seen.has(entry.name)) {
      const reason = `${placeOf(index, entry.name)}: expected one resource of this name, got another copy`;
      yield { kind: 'problem', name: null, reason };
    } else {
      seen.add(entry.name);
      yield entry;
    }
  }
}

function readEntry(typeUrl: string, any: AnyFields, index: number, nameOf: NameOf): ResponseEntry {
  const outerTypeUrl = normaliseTypeUrl(any.type_url ?? '');
  if (outerTypeUrl !== wrapperTypeUrl) {
    return readPayload(typeUrl, outerTypeUrl, any.value ?? noBytes, undefined, index, nameOf);
  }
  let wrapped: WrappedFields;
  try {
    wrapped = messageType('envoy.service.discovery.v3.Resource').decode(
      any.value ?? noBytes,
    ) as WrappedFields;
  } catch (error) {
    const reason = `${placeOf(index)}: the wrapping Resource does not decode: ${reasonOf(error)}`;
    return { kind: 'problem', name: null, reason };
  }
  const name = wrapped.name === '' ? undefined : wrapped.name;
  if (wrapped.resource === null || wrapped.resource === undefined) {
    return name === undefined
      ? {
          kind: 'problem',
          name: null,
          reason: `${placeOf(index)}: a wrapping Resource without name or resource`,
        }
      : { kind: 'heartbeat', name };
  }
  const innerTypeUrl = normaliseTypeUrl(wrapped.resource.type_url ?? '');
  return readPayload(typeUrl, innerTypeUrl, wrapped.resource.value ?? noBytes, name, index, nameOf);
}

function readPayload(
  expectedTypeUrl: string,
  typeUrl: string,
  bytes: Uint8Array,
  wrapperName: string | undefined,
  index: number,
  nameOf: NameOf,
): ResponseEntry {
  if (typeUrl !== expectedTypeUrl) {
    const got = typeUrl === '' ? 'no type URL' : `"${typeUrl}"`;
    const reason = `${placeOf(index, wrapperName)}: expected type "${expectedTypeUrl}", got ${got}`;
    return { kind: 'problem', name: wrapperName ?? null, reason };
  }
  const name = nameOf(typeUrl, bytes);
  if (name === undefined) {
    const reason = `${placeOf(index, wrapperName)}: the name cannot be read: ${bytes.length} bytes are not a ${typeUrl}`;
    return { kind: 'problem', name: wrapperName ?? null, reason };
  }
  return { kind: 'resource', name, bytes };
}

export function placeOf(index: number, name?: string): string {
  return name === undefined ? `resources[${index}]` : `resources[${index}] "${name}"`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
