import type { Connection } from '@/lib/observation/connection';
import { isXdsTarget } from './connection-tracker';

/**
 * An xDS client has a channel to its management server: if a process has one channel to another target than xds:, it is this one.
 * Of several, channelz does not report which they are: it is those that lead to an address of a known management server; if
 * none does, each that fails may be it. gRPC's channels report the error of a failed attempt in their subchannels.
 */
export function markManagementServer(
  all: ReadonlyMap<string, Connection>,
  isKnownServer: (address: string) => boolean,
): ReadonlyMap<string, Connection> {
  const others = [...all.values()].filter(({ kind, target }) => kind === 'channel' && !isXdsTarget(target));
  const known = others.filter(({ id, target }) =>
    [target, ...addressesOf(all, id)].some((address) => isKnownServer(address)),
  );
  const servers = others.length === 1 ? others : known;
  const marked = servers.map(
    (channel) => ({ ...withError(channel, all), isManagementServer: true }) as const,
  );
  const possible = others
    .filter(
      ({ failingSince, state }) => servers.length === 0 && failingSince !== undefined && state !== 'READY',
    )
    .map((channel) => ({ ...withError(channel, all), mayBeManagementServer: true }) as const);
  return new Map([...all, ...[...marked, ...possible].map((channel) => [channel.id, channel] as const)]);
}

function withError(channel: Connection, all: ReadonlyMap<string, Connection>): Connection {
  const { id, failingSince, lastError = errorOfSubchannels(all, id) } = channel;
  return failingSince === undefined || lastError === undefined ? channel : { ...channel, lastError };
}

function errorOfSubchannels(all: ReadonlyMap<string, Connection>, channelId: string): string | undefined {
  for (const { kind, channels, lastError } of all.values())
    if (kind === 'subchannel' && lastError !== undefined && channels.includes(channelId)) return lastError;
  return undefined;
}

function addressesOf(all: ReadonlyMap<string, Connection>, channelId: string): string[] {
  return [...all.values()].flatMap(({ kind, channels, target }) =>
    kind === 'subchannel' && channels.includes(channelId) ? [target] : [],
  );
}
