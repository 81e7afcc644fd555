import { messageType } from '../../codec/root';
import type { DeltaPlan, DeltaRequest } from './delta-state';
import type { StoredResource } from './snapshot-store';
import type { SotwRequest } from './sotw-state';

/** envoy.config.core.v3.Node as protobufjs decodes it: handed on whole to CSDS, only the id is read here. */
export interface NodeMessage {
  readonly id?: string;
}

/** What cannot be served: the stream is closed with INVALID_ARGUMENT and this text. */
export class InvalidRequest extends Error {}

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

export function decodeDiscoveryRequest(bytes: Uint8Array): Received<SotwRequest> {
  const fields: DiscoveryRequestMessage = decode('envoy.service.discovery.v3.DiscoveryRequest', bytes);
  return {
    node: fields.node ?? null,
    request: {
      typeUrl: assertTypeUrl(fields.typeUrl),
      versionInfo: fields.versionInfo ?? '',
      resourceNames: fields.resourceNames ?? [],
      responseNonce: fields.responseNonce ?? '',
      errorDetail: textOf(fields.errorDetail),
    },
  };
}

export function decodeDeltaRequest(bytes: Uint8Array): Received<DeltaRequest> {
  const name = 'envoy.service.discovery.v3.DeltaDiscoveryRequest';
  const fields: DeltaDiscoveryRequestMessage = decode(name, bytes);
  return {
    node: fields.node ?? null,
    request: {
      typeUrl: assertTypeUrl(fields.typeUrl),
      subscribe: fields.resourceNamesSubscribe ?? [],
      unsubscribe: fields.resourceNamesUnsubscribe ?? [],
      initialResourceVersions: new Map(Object.entries(fields.initialResourceVersions ?? {})),
      responseNonce: fields.responseNonce ?? '',
      errorDetail: textOf(fields.errorDetail),
    },
  };
}

export interface Envelope {
  readonly typeUrl: string;
  readonly versionInfo: string;
  readonly nonce: string;
}

export function encodeDiscoveryResponse(envelope: Envelope, resources: readonly StoredResource[]): Buffer {
  return encode('envoy.service.discovery.v3.DiscoveryResponse', {
    ...envelope,
    resources: resources.map(anyOf),
    controlPlane: { identifier: controlPlane },
  });
}

export function encodeDeltaResponse(envelope: Envelope, plan: DeltaPlan): Buffer {
  const { typeUrl, nonce, versionInfo } = envelope;
  return encode('envoy.service.discovery.v3.DeltaDiscoveryResponse', {
    systemVersionInfo: versionInfo,
    typeUrl,
    nonce,
    resources: plan.resources.map((resource) => ({
      name: resource.name,
      version: resource.version,
      resource: anyOf(resource),
    })),
    removedResources: plan.removed,
    controlPlane: { identifier: controlPlane },
  });
}

const controlPlane = 'xdscope-lab';

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

function assertTypeUrl(typeUrl: string | undefined): string {
  if (typeUrl === undefined || typeUrl === '')
    throw new InvalidRequest('type_url: mandatory on ADS, got none');
  return typeUrl;
}

/** A NACK without a text is still a NACK. */
function textOf(status: StatusMessage | undefined): string | null {
  return status === undefined ? null : (status.message ?? '');
}
