import type { ServerConfig } from '../../bootstrap/server-config';
import { FileChannel } from '../file/file-channel';
import { RestChannel } from '../rest/rest-channel';
import { grpcTransport } from '../stream/grpc-transport';
import { GrpcXdsChannel } from '../stream/grpc-xds-channel';
import type { CreateChannel } from '../stream/server-link';
import type { StreamLaneOptions } from '../stream/stream-lane';
import type { ProbeSettings } from './probe-settings';

export interface ChannelCreatorOptions extends Omit<StreamLaneOptions, 'connectTimeoutMs'> {
  readonly settings: ProbeSettings;
  /** Called with the problems of the credential files of a server whenever they change. */
  readonly onCredentialProblems: (server: ServerConfig, problems: readonly string[]) => void;
}

/** A connection that is not ready after this time is explained and retried. */
const connectTimeoutMs = 10_000;

/** Creates the channels of a probe, one for each server, with the configured transport. Files count as one server. */
export function channelCreator({
  settings,
  onCredentialProblems,
  ...parts
}: ChannelCreatorOptions): CreateChannel {
  const { transport, apiVersion, maxMessageBytes, keepaliveMs, refreshDelayMs, files } = settings;
  const common = { ...parts, apiVersion, connectTimeoutMs };
  return (server, handler) => {
    const onProblems = (problems: readonly string[]): void => onCredentialProblems(server, problems);
    if (transport === 'file') return new FileChannel({ ...common, files, maxMessageBytes }, handler);
    if (transport === 'rest') {
      const rest = { ...common, server, refreshDelayMs, maxMessageBytes, onCredentialProblems: onProblems };
      return new RestChannel(rest, handler);
    }
    const dial = () =>
      grpcTransport({
        server,
        clock: parts.clock,
        onCredentialProblems: onProblems,
        maxMessageBytes,
        connectTimeoutMs,
        keepaliveMs,
      });
    return new GrpcXdsChannel({ ...common, transport, dial }, handler);
  };
}
