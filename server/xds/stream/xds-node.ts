import type { NodeInfo } from '@/lib/observation/observation';

/**
 * Who we say that we are: envoy.config.core.v3.Node, reported in the first request of each stream. Metadata goes to the
 * server as it is; what is observed of it is redacted.
 */
export type XdsNode = Omit<NodeInfo, 'clientFeatures'>;

/**
 * What we can do, in the spellings of gRPC (xds-semantics 1.12): no overprovisioning (as every gRPC client says), and
 * resources wrapped in envoy.service.discovery.v3.Resource.
 */
export const clientFeatures: readonly string[] = [
  'envoy.lb.does_not_support_overprovisioning',
  'xds.config.resource-in-sotw',
];

/** proto3 JSON. */
export function nodeJson(node: XdsNode): Record<string, unknown> {
  const { id, cluster, locality, userAgentName, userAgentVersion, metadata } = node;
  return {
    id,
    cluster,
    ...(locality === null ? {} : { locality }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    userAgentName,
    ...(userAgentVersion === '' ? {} : { userAgentVersion }),
    clientFeatures,
  };
}
