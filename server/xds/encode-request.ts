import { findV2TypeUrl } from '@/lib/xds/v2-types';
import type { ResourceCodec } from './resource-codec';
import type { SentRequest } from './xds-channel';
import { nodeJson, type XdsNode } from './xds-node';

export interface EncodeRequestOptions {
  readonly node: XdsNode;
  readonly codec: ResourceCodec;
  readonly apiVersion: 'v3' | 'v2';
}

/** google.rpc.Code. Any would do ("do not interpret"); C-core and Go send this one. */
const invalidArgument = 3;

/** The bytes of a DiscoveryRequest or DeltaDiscoveryRequest. Those of v2 have the same field numbers. */
export function encodeRequest(request: SentRequest, options: EncodeRequestOptions): Uint8Array {
  const { isDelta, versionInfo, responseNonce, resourceNames, reason, errorDetail } = request;
  const { codec, apiVersion } = options;
  const typeUrl = apiVersion === 'v2' ? (findV2TypeUrl(request.typeUrl) ?? request.typeUrl) : request.typeUrl;
  const nacks = reason === 'nack' ? { errorDetail: { code: invalidArgument, message: errorDetail } } : {};
  const encoded = isDelta
    ? codec.encode('envoy.service.discovery.v3.DeltaDiscoveryRequest', {
        typeUrl,
        responseNonce,
        resourceNamesSubscribe: resourceNames,
        resourceNamesUnsubscribe: request.unsubscribed,
        initialResourceVersions: Object.fromEntries(request.initialResourceVersions),
        ...nacks,
      })
    : codec.encode('envoy.service.discovery.v3.DiscoveryRequest', {
        typeUrl,
        versionInfo,
        responseNonce,
        resourceNames,
        ...nacks,
      });
  if (!request.withNode) return encoded;
  const nodeField = isDelta ? 1 : 2;
  return Buffer.concat([lengthDelimited(nodeField, encodeNode(options)), encoded]);
}

function encodeNode({ node, codec, apiVersion }: EncodeRequestOptions): Uint8Array {
  const encoded = codec.encode('envoy.config.core.v3.Node', nodeJson(node));
  if (apiVersion === 'v3') return encoded;
  // v2 has a build_version, which v3 reserved: servers of its time know the client by it.
  const buildVersion = [node.userAgentName, node.userAgentVersion].filter((part) => part !== '').join('/');
  return Buffer.concat([encoded, lengthDelimited(5, Buffer.from(buildVersion))]);
}

/** A field of a message, strings or bytes or messages: they are all written alike. */
function lengthDelimited(fieldNumber: number, value: Uint8Array): Buffer {
  const varint: number[] = [];
  let rest = value.length;
  while (rest > 0x7f) {
    varint.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  varint.push(rest);
  return Buffer.concat([Buffer.from([(fieldNumber << 3) | 2, ...varint]), value]);
}
