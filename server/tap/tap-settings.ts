import type { Target } from '../dial/target';
import type { ChannelCredentialsConfig } from '../grpc/credentials-config';

/** What a tap is started with. Plain data: it crosses to the threads of the taps. */
export interface TapSettings {
  /** Port 0: any free one. */
  readonly listen: { readonly host: string; readonly port: number; readonly text: string };
  /** The management server that clients would talk to without the tap. */
  readonly upstream: Target;
  /** Our certificate and key; the authorities are those whose clients are let in, and without them all are. */
  readonly listenTls: ChannelCredentialsConfig;
  readonly upstreamTls: ChannelCredentialsConfig;
}
