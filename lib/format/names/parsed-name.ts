type NameConvention = 'istio' | 'envoy-gateway' | 'consul' | 'kuma' | 'contour' | 'xdstp' | 'xdscope';

/** The parts of a name that follows the convention of a control plane. A part that the name does not state is absent. */
export interface ParsedName {
  readonly convention: NameConvention;
  /** The short form of the name: "cart.shop". */
  readonly title: string;
  /** They follow the title, in this order: ":8080", "v1". Title and qualifiers together are as distinct as the names. */
  readonly qualifiers: readonly string[];
  readonly service?: string;
  readonly namespace?: string;
  /** A number, or the name of a port. */
  readonly port?: string;
  readonly subset?: string;
  readonly direction?: 'inbound' | 'outbound';
  readonly fqdn?: string;
  /** Node ids of Istio: "sidecar", "router", "waypoint", "ztunnel". */
  readonly nodeKind?: string;
  /** Node ids of Istio: the IP address of the proxy. */
  readonly address?: string;
}

/** A name as a convention reads it; undefined: the name does not follow it. */
export type NameParser = (name: string, typeName: string | undefined) => ParsedName | undefined;
