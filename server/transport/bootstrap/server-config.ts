import {
  type CallCredentialsConfig,
  type ChannelCredentialsConfig,
  insecure,
} from '../grpc/credentials-config';
import type { Target } from '../targets/target';

/** One entry of `xds_servers`. */
export interface ServerConfig {
  readonly target: Target;
  readonly credentials: ChannelCredentialsConfig;
  readonly callCredentials: readonly CallCredentialsConfig[];
  /** All server_features, including unknown ones. */
  readonly features: ReadonlySet<string>;
}

/** One entry of `authorities` (gRFC A47). */
export interface AuthorityConfig {
  /** The order is that of preference (gRFC A71). The default is the top-level servers, so it is never empty. */
  readonly servers: readonly ServerConfig[];
  /** `xdstp://AUTHORITY/envoy.config.listener.v3.Listener/%s` by default. */
  readonly clientListenerResourceNameTemplate: string;
  /** gRFC A95: fall back whenever the server cannot be reached, even if all wanted resources are cached. */
  readonly fallbackOnReachabilityOnly: boolean;
}

/** Returns a server in plain text without features. */
export function plainServer(target: Target): ServerConfig {
  return { target, credentials: insecure, callCredentials: [], features: new Set() };
}
