import type { Connection } from '@/lib/observation/connection';
import { isXdsTarget } from './connection-tracker';

/**
 * An xDS client has a channel to its management server: if a process has one channel to another target than xds:, it is this one.
 * Of several, channelz does not report which they are. gRPC's channels report the error of a failed attempt in their subchannels.
 */
export function markManagementServer(all: ReadonlyMap<string, Connection>): ReadonlyMap<string, Connection> {
  const others = [...all.values()].filter(({ kind, target }) => kind === 'channel' && !isXdsTarget(target));
  const [channel] = others;
  if (channel === undefined || others.length > 1) return all;
  const { id, failingSince, lastError = errorOfSubchannels(all, id) } = channel;
  const error = failingSince === undefined || lastError === undefined ? {} : { lastError };
  return new Map([...all, [id, { ...channel, ...error, isManagementServer: true }]]);
}

function errorOfSubchannels(all: ReadonlyMap<string, Connection>, channelId: string): string | undefined {
  for (const { kind, channels, lastError } of all.values())
    if (kind === 'subchannel' && lastError !== undefined && channels.includes(channelId)) return lastError;
  return undefined;
}
