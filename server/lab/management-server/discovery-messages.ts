import type { status } from '@grpc/grpc-js';
import type { DiscoveryMethod } from '@/lib/xds/discovery-methods';
import { readTypeUrl } from '@/lib/xds/v2-types';
import { messageType } from '../../codec/root';
import type { DeltaRequest } from './delta-state';
import type { SotwRequest } from './sotw-state';

/** envoy.config.core.v3.Node as protobufjs decodes it: handed on whole to CSDS, only these are read here. */
export interface NodeMessage {
  readonly id?: string;
  readonly clientFeatures?: readonly string[];
  readonly userAgentName?: string;
}

/** What cannot be served: the stream is closed with INVALID_ARGUMENT and this text. */
export class InvalidRequest extends Error {}

/** What is not for whoever asks: the stream is closed with this. */
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

export interface Received<Request> {
  /** Guaranteed in the first request of a stream only; null where the client left it out. */
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

/** google.protobuf.Any; the spelling of the field is protobufjs's own. */
export function anyOf(resource: { typeUrl: string; bytes: Uint8Array }): {
  type_url: string;
  value: Uint8Array;
} {
  return { type_url: resource.typeUrl, value: resource.bytes };
}

export function encode(name: string, fields: Record<string, unknown>): Buffer {
  return Buffer.from(messageType(name).encode(fields).finish());
}

/** Set fields only. Throws InvalidRequest for bytes that are no such message. */
export function decode(name: string, bytes: Uint8Array) {
  const type = messageType(name);
  try {
    return type.toObject(type.decode(bytes), { longs: String });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidRequest(`expected ${name}, got ${bytes.length} bytes that are none: ${reason}`);
  }
}

/** In the v3 spelling. A stream of one type knows it without being reported. */
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

/** A NACK without a text is still a NACK. */
function textOf(status: StatusMessage | undefined): string | null {
  return status === undefined ? null : (status.message ?? '');
}
