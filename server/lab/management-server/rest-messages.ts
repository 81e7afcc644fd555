import protobuf from 'protobufjs';
import protojson from 'protobufjs/ext/protojson.js';
import { messageOf } from '@/lib/format/message-of';
import { findV2TypeUrl } from '@/lib/xds/v2-types';
import { decodeBody } from '../../codec/decode-body';
import { isJsonObject, type JsonObject } from '../../codec/json/json-object';
import { findMessageType, messageType } from '../../codec/root';
import { InvalidRequest, type NodeMessage } from './discovery-messages';
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
    throw new InvalidRequest(
      `expected a DiscoveryRequest in JSON, got ${body.length} characters: ${messageOf(error)}`,
    );
  }
}

interface RestResponseHead {
  readonly typeUrl: string;
  readonly versionInfo: string;
  readonly nonce: string;
}

interface RestResponseOptions {
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

/**
 * Converts proto3 JSON to the field names of the .proto files ("version_info"), like Go's protojson with
 * UseProtoNames and therefore go-control-plane. Keys of maps and of Structs are not changed.
 */
function withProtoNames(type: protobuf.Type | undefined, json: unknown): unknown {
  if (!isJsonObject(json)) return json;
  if (type === undefined || type.fullName === '.google.protobuf.Any') return anyWithProtoNames(json);
  if (type.fullName.startsWith('.google.protobuf.')) return json;
  const fields = new Map(type.fieldsArray.map((field) => [field.jsonName, field]));
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => {
      const field = fields.get(key);
      return field === undefined ? [key, value] : [field.protoName, valueWithProtoNames(field, value)];
    }),
  );
}

function anyWithProtoNames(json: JsonObject): JsonObject {
  const { '@type': typeUrl, ...rest } = json;
  const type = typeof typeUrl === 'string' ? findMessageType(typeUrl) : undefined;
  if (type === undefined) return json;
  return { '@type': typeUrl, ...(withProtoNames(type, rest) as JsonObject) };
}

function valueWithProtoNames(field: protobuf.Field, value: unknown): unknown {
  const type = field.resolve().resolvedType;
  if (!(type instanceof protobuf.Type)) return value;
  if (Array.isArray(value)) return value.map((each) => withProtoNames(type, each));
  if (field.map && isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withProtoNames(type, each)]));
  }
  return withProtoNames(type, value);
}
