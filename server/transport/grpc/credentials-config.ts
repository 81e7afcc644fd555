/** Channel credentials, as in `channel_creds` of a bootstrap. */
export type ChannelCredentialsConfig =
  | { readonly kind: 'insecure' }
  /** gRFC A65. A null CA file means the system's roots, a null certificate file means no client certificate. */
  | {
      readonly kind: 'tls';
      readonly caCertificateFile: string | null;
      /** Both or neither. */
      readonly certificateFile: string | null;
      readonly privateKeyFile: string | null;
      readonly refreshIntervalMs: number;
      /** The name that the server's certificate must contain, if it is not the target's host. */
      readonly serverName?: string;
      /** PEM that replaces the CA file. */
      readonly caCertificate?: string;
      /** PEM that replaces the files of certificate and key. */
      readonly identity?: { readonly certificate: string; readonly privateKey: string };
    };

export type CallCredentialsConfig =
  /** gRFC A97: the token of a file, which is sent with every call over TLS. */
  { readonly kind: 'jwt_token_file'; readonly file: string } | HeaderConfig;

/** Request metadata: a header of every call, with this value or with the content of a file. */
export type HeaderConfig = { readonly kind: 'header'; readonly name: string } & (
  | { readonly value: string }
  | { readonly file: string }
);

export const insecure: ChannelCredentialsConfig = { kind: 'insecure' };

/** TLS with the system's roots and without a client certificate. */
export const defaultTls = {
  kind: 'tls',
  caCertificateFile: null,
  certificateFile: null,
  privateKeyFile: null,
  refreshIntervalMs: 600_000,
} as const satisfies ChannelCredentialsConfig;
