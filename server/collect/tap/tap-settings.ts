import type { ChannelCredentialsConfig } from '../../transport/grpc/credentials-config';
import type { Target } from '../../transport/targets/target';

export interface TapSettings {
  /** Port 0 means any free port. */
  readonly listen: { readonly host: string; readonly port: number; readonly text: string };
  readonly upstream: Target;
  /** The tap's certificate and key. With authorities, clients need a certificate of one of them. */
  readonly listenTls: ChannelCredentialsConfig;
  readonly upstreamTls: ChannelCredentialsConfig;
}
