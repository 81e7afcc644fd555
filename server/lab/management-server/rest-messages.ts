import protojson from 'protobufjs/ext/protojson.js';
import { findV2TypeUrl } from '@/lib/xds/v2-types';
import { decodeBody } from '../../codec/decode-body';
import { messageType } from '../../codec/root';
import { InvalidRequest, type NodeMessage } from './discovery-messages';
import { withProtoNames } from './proto-names';
import type { StoredResource } from './snapshot-store';

export interface RestRequest {
  readonly node: NodeMessage;
  readonly versionInfo: string;
  readonly resourceNames: readonly string[];
  readonly responseNonce: string;
  /** null if the poll rejects nothing. */
  readonly errorDetail: string | null;
}

interface DiscoveryRequestMessage {
  versionInfo?: string;
  node?: NodeMessage | null;
  resourceNames?: string[];
  responseNonce?: string;
  errorDetail?: { message?: string } | null;
}

/** Throws InvalidRequest if the body is not a DiscoveryRequest in JSON. */
export function decodeRestRequest(body: string): RestRequest {
  const type = messageType('envoy.service.discovery.v3.DiscoveryRequest');
  try {
    const fields = protojson.fromJson(type, JSON.parse(body)) as object as DiscoveryRequestMessage;
    return {
      node: fields.node ?? {},
      versionInfo: fields.versionInfo ?? '',
      resourceNames: fields.resourceNames ?? [],
      responseNonce: fields.responseNonce ?? '',
      errorDetail: fields.errorDetail ? (fields.errorDetail.message ?? '') : null,
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidRequest(`expected a DiscoveryRequest in JSON, got ${body.length} characters: ${reason}`);
  }
}

export interface RestResponseHead {
  readonly typeUrl: string;
  readonly versionInfo: string;
  readonly nonce: string;
}

export interface RestResponseOptions {
  readonly apiVersion: 'v3' | 'v2';
  /** The names are those of go-control-plane. */
  readonly protoNames: boolean;
}

export function encodeRestResponse(
  { typeUrl, versionInfo, nonce }: RestResponseHead,
  resources: readonly StoredResource[],
  { apiVersion, protoNames }: RestResponseOptions,
): string {
  const wireTypeUrl = apiVersion === 'v2' ? (findV2TypeUrl(typeUrl) ?? typeUrl) : typeUrl;
  const json = {
    versionInfo,
    typeUrl: wireTypeUrl,
    nonce,
    controlPlane: { identifier: 'xdscope-lab' },
    resources: resources.map(({ bytes }) => {
      const body = decodeBody(typeUrl, bytes).json;
      const fields = protoNames ? withProtoNames(undefined, { '@type': typeUrl, ...Object(body) }) : body;
      return { ...Object(fields), '@type': wireTypeUrl };
    }),
  };
  if (!protoNames) return JSON.stringify(json);
  const { versionInfo: version_info, typeUrl: type_url, controlPlane: control_plane, ...rest } = json;
  return JSON.stringify({ version_info, type_url, control_plane, ...rest });
}
