import { nackCode } from '@/lib/xds/nack-code';
import { findV2TypeUrl } from '@/lib/xds/v2-types';
import { nodeJson, type XdsNode } from '../client/xds-node';
import type { SentRequest } from '../stream/xds-channel';

/** A DiscoveryRequest in canonical proto3 JSON: camelCase, and nothing that has its default. */
export function encodeRestRequest(
  request: SentRequest,
  { node, apiVersion }: { readonly node: XdsNode; readonly apiVersion: 'v3' | 'v2' },
): string {
  const { typeUrl, versionInfo, resourceNames, responseNonce, errorDetail } = request;
  return JSON.stringify({
    ...(versionInfo === '' ? {} : { versionInfo }),
    node: nodeJson(node),
    ...(resourceNames.length === 0 ? {} : { resourceNames }),
    typeUrl: apiVersion === 'v2' ? (findV2TypeUrl(typeUrl) ?? typeUrl) : typeUrl,
    ...(responseNonce === '' ? {} : { responseNonce }),
    ...(errorDetail === '' ? {} : { errorDetail: { code: nackCode, message: errorDetail } }),
  });
}
