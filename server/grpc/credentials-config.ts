/** How a channel is secured: the first of a bootstrap's `channel_creds` that we support, or the same by other words. */
export type ChannelCredentialsConfig =
  | { readonly kind: 'insecure' }
  /** gRFC A65. Files are read anew every `refreshIntervalMs`; null: the system's roots, no identity of our own. */
  | {
      readonly kind: 'tls';
      readonly caCertificateFile: string | null;
      /** Both or neither. */
      readonly certificateFile: string | null;
      readonly privateKeyFile: string | null;
      readonly refreshIntervalMs: number;
      /** Whom the server's certificate has to name, where that is not the target's host. */
      readonly serverName?: string;
    };

/** gRFC A97: a token out of a file, sent with every call. Only over TLS. */
export interface CallCredentialsConfig {
  readonly kind: 'jwt_token_file';
  readonly file: string;
}

export const insecure: ChannelCredentialsConfig = { kind: 'insecure' };

/** By the system's authorities. */
export const defaultTls = {
  kind: 'tls',
  caCertificateFile: null,
  certificateFile: null,
  privateKeyFile: null,
  refreshIntervalMs: 600_000,
} as const satisfies ChannelCredentialsConfig;
