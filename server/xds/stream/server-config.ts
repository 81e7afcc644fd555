import type { Target } from '../../dial/target';
import {
  type CallCredentialsConfig,
  type ChannelCredentialsConfig,
  insecure,
} from '../../grpc/credentials-config';

/** One entry of `xds_servers`. */
export interface ServerConfig {
  readonly target: Target;
  readonly credentials: ChannelCredentialsConfig;
  readonly callCredentials: readonly CallCredentialsConfig[];
  /** server_features as written, unknown ones too. */
  readonly features: ReadonlySet<string>;
}

/** One entry of `authorities` (gRFC A47). */
export interface AuthorityConfig {
  /** In the order of preference (gRFC A71); never empty: an authority without servers has the top-level ones. */
  readonly servers: readonly ServerConfig[];
  /** `xdstp://AUTHORITY/envoy.config.listener.v3.Listener/%s` unless the bootstrap says otherwise. */
  readonly clientListenerResourceNameTemplate: string;
  /** gRFC A95: fall back whenever the server cannot be reached, even if all that is wanted is cached. */
  readonly fallbackOnReachabilityOnly: boolean;
}

/** A server that is named by its address alone. */
export function plainServer(target: Target): ServerConfig {
  return { target, credentials: insecure, callCredentials: [], features: new Set() };
}
