import { type ChannelCredentials, type ChannelOptions, Client, credentials } from '@grpc/grpc-js';
import type { Target } from '@/server/dial/target';
import { maxAnswerBytes } from '@/server/grpc/grpc-call';

const options: ChannelOptions = {
  // Proxy variables of the environment would send us, and what we ask for, somewhere else.
  'grpc.enable_http_proxy': 0,
  // A half-open connection is noticed within 7 s. Idle ones too: that is how a vanished server is seen.
  'grpc.keepalive_time_ms': 5_000,
  'grpc.keepalive_timeout_ms': 2_000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.max_receive_message_length': maxAnswerBytes,
  // Each source has a connection of its own: one that is slow or broken holds up no other.
  'grpc.use_local_subchannel_pool': 1,
  // A server that comes back is reached soon; who polls or streams adds a back-off of its own.
  'grpc.initial_reconnect_backoff_ms': 200,
  'grpc.max_reconnect_backoff_ms': 2_000,
  'grpc.dns_min_time_between_resolutions_ms': 2_000,
  // No TXT look-ups for service configs, no silent retries: what happens is shown as it happens.
  'grpc.service_config_disable_resolution': 1,
  'grpc.enable_retries': 0,
  'grpc.enable_channelz': 0,
};

export interface DialOptions {
  /** Plain text when absent. */
  readonly credentials?: ChannelCredentials | undefined;
  /** A message above it ends its call with RESOURCE_EXHAUSTED. */
  readonly maxMessageBytes?: number | undefined;
}

/**
 * A client of grpc-js, for tests: xdscope itself connects with grpc-call.ts, by its dial policy. `dns:///` is written out, so that no host name can be taken for a
 * scheme of gRPC's. The connection is made at the first call; `close()` on the client ends it.
 */
export function dial(target: Target, { credentials: given, maxMessageBytes }: DialOptions = {}): Client {
  return new Client(`dns:///${target.text}`, given ?? credentials.createInsecure(), {
    ...options,
    ...(maxMessageBytes === undefined ? {} : { 'grpc.max_receive_message_length': maxMessageBytes }),
  });
}
