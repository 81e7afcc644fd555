import type { status } from '@grpc/grpc-js';
import { messageOf } from '@/lib/format/message-of';
import type { DiscoveryMethod } from '@/lib/xds/discovery-methods';
import type { EpochMs } from '@/lib/xds/units';
import { readTypeUrl } from '@/lib/xds/v2-types';
import { messageType } from '../../codec/root';
import type { DeltaRequest } from './delta-state';
import type { SotwRequest } from './sotw-state';

/** envoy.config.core.v3.Node as protobufjs decodes it. CSDS gets the whole object; only these fields are read here. */
export interface NodeMessage {
  readonly id?: string;
  readonly clientFeatures?: readonly string[];
  readonly userAgentName?: string;
}

/** A request that cannot be served: the stream is closed with INVALID_ARGUMENT and this message. */
export class InvalidRequest extends Error {}

/** A request that the client may not make: the stream is closed with this status. */
export class RejectedRequest extends Error {
  constructor(readonly rejection: Rejection) {
    super(rejection.details);
  }
}

export interface Rejection {
  readonly code: status;
  readonly details: string;
}

interface StatusMessage {
  readonly code?: number;
  readonly message?: string;
}

interface DiscoveryRequestMessage {
  versionInfo?: string;
  node?: NodeMessage;
  resourceNames?: string[];
  typeUrl?: string;
  responseNonce?: string;
  errorDetail?: StatusMessage;
}

interface DeltaDiscoveryRequestMessage {
  node?: NodeMessage;
  typeUrl?: string;
  resourceNamesSubscribe?: string[];
  resourceNamesUnsubscribe?: string[];
  initialResourceVersions?: Record<string, string>;
  responseNonce?: string;
  errorDetail?: StatusMessage;
}

interface Received<Request> {
  /** Required only in the first request of a stream; null if absent. */
  readonly node: NodeMessage | null;
  readonly request: Request;
}

export function decodeDiscoveryRequest(bytes: Uint8Array, method: DiscoveryMethod): Received<SotwRequest> {
  const fields: DiscoveryRequestMessage = decode('envoy.service.discovery.v3.DiscoveryRequest', bytes);
  return {
    node: fields.node ?? null,
    request: {
      typeUrl: assertTypeUrl(fields.typeUrl, method),
      versionInfo: fields.versionInfo ?? '',
      resourceNames: fields.resourceNames ?? [],
      responseNonce: fields.responseNonce ?? '',
      errorDetail: textOf(fields.errorDetail),
    },
  };
}

export function decodeDeltaRequest(bytes: Uint8Array, method: DiscoveryMethod): Received<DeltaRequest> {
  const name = 'envoy.service.discovery.v3.DeltaDiscoveryRequest';
  const fields: DeltaDiscoveryRequestMessage = decode(name, bytes);
  return {
    node: fields.node ?? null,
    request: {
      typeUrl: assertTypeUrl(fields.typeUrl, method),
      subscribe: fields.resourceNamesSubscribe ?? [],
      unsubscribe: fields.resourceNamesUnsubscribe ?? [],
      initialResourceVersions: new Map(Object.entries(fields.initialResourceVersions ?? {})),
      responseNonce: fields.responseNonce ?? '',
      errorDetail: textOf(fields.errorDetail),
    },
  };
}

/** google.protobuf.Any; protobufjs requires this spelling of the field. */
export function anyOf(resource: { typeUrl: string; bytes: Uint8Array }): {
  type_url: string;
  value: Uint8Array;
} {
  return { type_url: resource.typeUrl, value: resource.bytes };
}

export function encode(name: string, fields: Record<string, unknown>): Buffer {
  return Buffer.from(messageType(name).encode(fields).finish());
}

/** Contains only fields that are set. Throws InvalidRequest for bytes that are not such a message. */
export function decode(name: string, bytes: Uint8Array) {
  const type = messageType(name);
  try {
    return type.toObject(type.decode(bytes), { longs: String });
  } catch (error) {
    throw new InvalidRequest(
      `expected ${name}, got ${bytes.length} bytes that are none: ${messageOf(error)}`,
    );
  }
}

/** Returns the type URL in its v3 spelling. On a stream of one type the request can omit it. */
function assertTypeUrl(stated: string | undefined, { type }: DiscoveryMethod): string {
  if (stated === undefined || stated === '') {
    if (type === null) throw new InvalidRequest('type_url: mandatory on ADS, got none');
    return type.typeUrl;
  }
  const { typeUrl } = readTypeUrl(stated);
  if (type !== null && typeUrl !== type.typeUrl) {
    throw new InvalidRequest(`type_url: expected "${type.typeUrl}" on this stream, got "${stated}"`);
  }
  return typeUrl;
}

/** A NACK without a message is still a NACK. */
function textOf(status: StatusMessage | undefined): string | null {
  return status === undefined ? null : (status.message ?? '');
}

/** A google.protobuf.Timestamp. */
export function timestampOf(at: EpochMs): { seconds: number; nanos: number } {
  const seconds = Math.floor(at / 1000);
  return { seconds, nanos: Math.round((at - seconds * 1000) * 1e6) };
}
