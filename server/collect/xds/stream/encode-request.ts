import { nackCode } from '@/lib/xds/nack-code';
import { findV2TypeUrl } from '@/lib/xds/v2-types';
import { WireWriter } from '../../../codec/wire-writer';
import type { ResourceCodec } from '../response/resource-codec';
import type { SentRequest } from './xds-channel';
import { nodeJson, type XdsNode } from './xds-node';

interface EncodeRequestOptions {
  readonly node: XdsNode;
  readonly codec: ResourceCodec;
  readonly apiVersion: 'v3' | 'v2';
}

/**
 * Encodes a DiscoveryRequest or DeltaDiscoveryRequest, whose field numbers are the same in v2. It does not use protobufjs,
 * because each state-of-the-world ACK may contain 100,000 names.
 */
export function encodeRequest(request: SentRequest, options: EncodeRequestOptions): Buffer {
  return request.isDelta ? encodeDelta(request, options) : encodeSotw(request, options);
}

function encodeSotw(request: SentRequest, options: EncodeRequestOptions): Buffer {
  const writer = new WireWriter().string(1, request.versionInfo);
  if (request.withNode) writer.message(2, encodeNode(options));
  writer.fields(encodeNames(request.resourceNames));
  writer.string(4, typeUrlOf(request, options.apiVersion)).string(5, request.responseNonce);
  if (request.reason === 'nack') writer.message(6, encodeStatus(request.errorDetail));
  return writer.finish();
}

function encodeDelta(request: SentRequest, options: EncodeRequestOptions): Buffer {
  const writer = new WireWriter();
  if (request.withNode) writer.message(1, encodeNode(options));
  writer.string(2, typeUrlOf(request, options.apiVersion));
  writer.strings(3, request.resourceNames).strings(4, request.unsubscribed);
  writer.map(5, request.initialResourceVersions).string(6, request.responseNonce);
  if (request.reason === 'nack') writer.message(7, encodeStatus(request.errorDetail));
  return writer.finish();
}

/**
 * Encodes a DiscoveryRequest in JSON with the field names of the .proto files, as Envoy does: some servers read no others.
 * Fields that have their default are absent.
 */
export function encodeJsonRequest(
  request: SentRequest,
  { node, apiVersion }: Omit<EncodeRequestOptions, 'codec'>,
): string {
  const { versionInfo, resourceNames, responseNonce, errorDetail } = request;
  return JSON.stringify({
    ...(versionInfo === '' ? {} : { version_info: versionInfo }),
    node: protoNodeJson(node),
    ...(resourceNames.length === 0 ? {} : { resource_names: resourceNames }),
    type_url: typeUrlOf(request, apiVersion),
    ...(responseNonce === '' ? {} : { response_nonce: responseNonce }),
    ...(errorDetail === '' ? {} : { error_detail: { code: nackCode, message: errorDetail } }),
  });
}

/** The names of metadata are those of the client, and stay as they are. */
function protoNodeJson(node: XdsNode): Record<string, unknown> {
  const { metadata, locality, ...fields } = nodeJson(node);
  const named = Object.entries({ ...fields, ...(node.locality && { locality: protoNames(node.locality) }) });
  return { ...protoNames(Object.fromEntries(named)), ...(metadata !== undefined && { metadata }) };
}

function protoNames(fields: object): Record<string, unknown> {
  const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [snakeCase(name), value]));
}

/** Caches the encoding of long lists of names, which each ACK repeats. */
const encodedNames = new WeakMap<readonly string[], Buffer>();
const longList = 100;

function encodeNames(names: readonly string[]): Buffer {
  const known = encodedNames.get(names);
  if (known !== undefined) return known;
  const bytes = new WireWriter().strings(3, names).finish();
  if (names.length >= longList) encodedNames.set(names, bytes);
  return bytes;
}

function typeUrlOf({ typeUrl }: SentRequest, apiVersion: 'v3' | 'v2'): string {
  return apiVersion === 'v2' ? (findV2TypeUrl(typeUrl) ?? typeUrl) : typeUrl;
}

function encodeStatus(message: string): Buffer {
  return new WireWriter().integer(1, nackCode).string(2, message).finish();
}

function encodeNode({ node, codec, apiVersion }: EncodeRequestOptions): Uint8Array {
  const encoded = codec.encode('envoy.config.core.v3.Node', nodeJson(node));
  if (apiVersion === 'v3') return encoded;
  // v2 servers identify the client by build_version, a field that v3 has reserved.
  const buildVersion = [node.userAgentName, node.userAgentVersion].filter((part) => part !== '').join('/');
  return Buffer.concat([encoded, new WireWriter().string(5, buildVersion).finish()]);
}
