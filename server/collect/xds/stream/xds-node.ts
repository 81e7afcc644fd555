import type { NodeInfo } from '@/lib/observation/observation';

/**
 * The node that the client sends in the first request of each stream (envoy.config.core.v3.Node). Metadata is sent
 * unchanged, and redacted in observations.
 */
export type XdsNode = Omit<NodeInfo, 'clientFeatures'>;

/**
 * The client features of the probe (xds-semantics 1.12): no overprovisioning, as in every gRPC client, and support for
 * resources wrapped in envoy.service.discovery.v3.Resource.
 */
export const clientFeatures: readonly string[] = [
  'envoy.lb.does_not_support_overprovisioning',
  'xds.config.resource-in-sotw',
];

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
