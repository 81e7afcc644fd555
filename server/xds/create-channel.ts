import { grpcTransport } from './grpc-transport';
import { GrpcXdsChannel } from './grpc-xds-channel';
import type { ProbeSettings } from './probe-settings';
import { RestChannel } from './rest-channel';
import type { ServerConfig } from './server-config';
import type { CreateChannel } from './server-link';
import type { StreamLaneOptions } from './stream-lane';

export interface ChannelCreatorOptions extends Omit<StreamLaneOptions, 'connectTimeoutMs'> {
  readonly settings: ProbeSettings;
  /** What is wrong with the files of a server's credentials, whenever that changes; empty: nothing. */
  readonly onCredentialProblems: (server: ServerConfig, problems: readonly string[]) => void;
}

/** A connection that is not there by then is explained and tried again. */
const connectTimeoutMs = 10_000;

/** The channels of a probe, one for each server, by the transport that it was told. */
export function channelCreator({
  settings,
  onCredentialProblems,
  ...parts
}: ChannelCreatorOptions): CreateChannel {
  const { transport, apiVersion, maxMessageBytes, refreshDelayMs } = settings;
  const common = { ...parts, apiVersion, connectTimeoutMs };
  return (server, handler) => {
    if (transport === 'file') throw new Error(`expected a transport with servers, got "${transport}"`);
    if (transport === 'rest') {
      return new RestChannel({ ...common, server, refreshDelayMs, maxMessageBytes }, handler);
    }
    const dial = () =>
      grpcTransport({
        server,
        clock: parts.clock,
        onCredentialProblems: (problems) => onCredentialProblems(server, problems),
        maxMessageBytes,
        connectTimeoutMs,
      });
    return new GrpcXdsChannel({ ...common, transport, dial }, handler);
  };
}
