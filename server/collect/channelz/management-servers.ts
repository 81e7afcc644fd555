import type { Connection } from '@/lib/observation/connection';
import { addressOfServer } from '@/lib/observation/failing-server';
import { isLoopback } from '../../transport/targets/is-loopback';
import { isXdsTarget } from './connection-tracker';

const mostLearned = 1_000;

/**
 * The addresses of management servers: those of the probes and taps of xdscope, and those to which the channels of processes lead
 * that have one. Shared by the pollers of a thread.
 */
export class KnownServers {
  #named: ReadonlySet<string> = new Set();
  readonly #learned = new Set<string>();

  /** Replaces those of probes and taps. */
  setNamed(addresses: readonly string[]): void {
    this.#named = new Set(addresses.map(normalize));
  }

  /** `isLocal`: the process runs on this machine, whose loopback addresses are those of xdscope. */
  has(target: string, isLocal: boolean): boolean {
    const address = normalize(target);
    return isComparable(address, isLocal) && (this.#named.has(address) || this.#learned.has(address));
  }

  learn(target: string, isLocal: boolean): void {
    const address = normalize(target);
    if (isComparable(address, isLocal) && this.#learned.size < mostLearned) this.#learned.add(address);
  }
}

/** Returns true if the address means one server, whatever machine the process runs on. */
function isComparable(address: string, isLocal: boolean): boolean {
  return isLocal || !isLocalAddress(address);
}

/** Returns true for an address of the loopback interface. */
export function isLocalAddress(address: string): boolean {
  return isLoopback(
    normalize(address)
      .replace(/:\d+$/, '')
      .replace(/^\[(.*)\]$/, '$1'),
  );
}

function normalize(target: string): string {
  const address = addressOfServer({ target }).replace(/^ipv[46]:\/*/i, '');
  return address.replace(/^(?:localhost|\[::1\])(?=:\d+$)/i, '127.0.0.1');
}

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
