import type { Target } from '../grpc/target';

/** How a channel to a management server is secured: the first of a bootstrap's `channel_creds` that we support. */
export type ChannelCredentialsConfig =
  | { readonly kind: 'insecure' }
  /** gRFC A65. Files are read anew every `refreshIntervalMs`; null: the system's roots, no identity of our own. */
  | {
      readonly kind: 'tls';
      readonly caCertificateFile: string | null;
      readonly certificateFile: string | null;
      readonly privateKeyFile: string | null;
      readonly refreshIntervalMs: number;
    };

/** gRFC A97: a token out of a file, sent with every call. Only over TLS. */
export interface CallCredentialsConfig {
  readonly kind: 'jwt_token_file';
  readonly file: string;
}

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

export const insecure: ChannelCredentialsConfig = { kind: 'insecure' };

/** A server that is named by its address alone. */
export function plainServer(target: Target): ServerConfig {
  return { target, credentials: insecure, callCredentials: [], features: new Set() };
}
