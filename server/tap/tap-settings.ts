import type { Target } from '../dial/target';
import type { ChannelCredentialsConfig } from '../grpc/credentials-config';

/** The settings of a tap, which are sent to its threads. */
export interface TapSettings {
  /** Port 0 means any free port. */
  readonly listen: { readonly host: string; readonly port: number; readonly text: string };
  /** The management server. */
  readonly upstream: Target;
  /** The tap's certificate and key. With authorities, clients need a certificate of one of them. */
  readonly listenTls: ChannelCredentialsConfig;
  readonly upstreamTls: ChannelCredentialsConfig;
}
