import type { Connection, ConnectionChanges } from '@/lib/observation/connection';
import { type PackedFigures, packFigures } from '@/lib/observation/packed-figures';
import type { EpochMs } from '@/lib/xds/units';
import type { HostReport } from '../../codec/dump-parser/read-hosts';
import type { ListenerReport } from '../../codec/dump-parser/read-listeners';
import { CallRates } from '../poll-diff/call-rates';
import { compareConnections } from '../poll-diff/compare-connections';
import type { ServerConnection } from './server-tracker';

/** The connection to the management server, and the clusters that have its addresses. */
interface ServerReport {
  readonly connection: ServerConnection;
  readonly clusters: readonly string[];
}

export interface ConnectionReports {
  readonly hosts?: readonly HostReport[];
  readonly listeners?: readonly ListenerReport[];
  readonly server?: ServerReport;
}

export interface HostNews {
  /** Absent: nothing but figures has changed. */
  readonly changes?: ConnectionChanges;
  readonly figures: PackedFigures;
  /** Requests were sent to a host: the next poll computes another rate, even if all counts are equal. */
  readonly hasTraffic: boolean;
}

/** Turns the hosts and listeners of one Envoy into connections. It remembers since when states last. */
export class HostTracker {
  readonly #rates = new CallRates();
  #hosts: ReadonlyMap<string, Connection> = new Map();
  #listeners: ReadonlyMap<string, Connection> = new Map();
  #server: ReadonlyMap<string, Connection> = new Map();
  #emitted: ReadonlyMap<string, Connection> | undefined;
  #hasHosts = false;

  /**
   * Takes what was requested; other parts are absent. Returns undefined if hosts were never reported. `at` is the
   * time of the answers.
   */
  update({ hosts, listeners, server }: ConnectionReports, at: EpochMs): HostNews | undefined {
    if (hosts !== undefined) this.#hosts = this.#observe(hosts, at);
    if (listeners !== undefined) this.#listeners = observeListeners(listeners, this.#listeners, at);
    this.#hasHosts ||= hosts !== undefined;
    if (!this.#hasHosts) return undefined;
    if (server !== undefined) this.#server = observeServer(server, this.#hosts);
    const now = new Map([...this.#hosts, ...this.#listeners, ...this.#server]);
    const changes = compareConnections(this.#emitted, [...now.values()]);
    this.#emitted = now;
    const hasTraffic = [...now.values()].some(({ figures }) => (figures?.callsPerSecond ?? 0) > 0);
    return { ...(changes && { changes }), figures: packFigures(now.values()), hasTraffic };
  }

  #observe(hosts: readonly HostReport[], at: EpochMs): Map<string, Connection> {
    const isFirstPoll = !this.#hasHosts;
    const now = new Map<string, Connection>();
    for (const host of hosts) {
      const { id, cluster, address, locality, figures } = host;
      const before = this.#hosts.get(id);
      const { state, reason, failingSince } = stateOf(host, before, at);
      const isSame = before?.state === state;
      const isOlder = isSame ? before.isSinceFirstPoll === true : isFirstPoll;
      now.set(id, {
        ...{
          id,
          kind: 'host',
          target: address,
          channels: [],
          cluster,
          state,
          since: isSame ? before.since : at,
        },
        ...(isOlder && { isSinceFirstPoll: true as const }),
        ...(failingSince !== undefined && { failingSince }),
        ...(reason !== '' && { lastError: reason }),
        ...(locality !== null && { locality }),
        ...(figures !== null && {
          figures: { ...figures, callsPerSecond: this.#rates.count(id, figures.callsStarted, at) },
        }),
      });
    }
    this.#rates.keep(now);
    return now;
  }
}

function stateOf(
  host: HostReport,
  before: Connection | undefined,
  at: EpochMs,
): Pick<HostReport, 'reason'> & Pick<Connection, 'state' | 'failingSince'> {
  const { state, isMeasured, reason } = host;
  const isExcluded = isMeasured && (state === 'EJECTED' || state === 'UNHEALTHY');
  const isUsed = state === 'HEALTHY' || state === 'DEGRADED';
  if (isExcluded || (isUsed && failsToConnect(host, before))) {
    const failingSince = before?.failingSince ?? at;
    return { state: isExcluded ? state : 'CONNECT_FAILURE', reason, failingSince };
  }
  return { state, reason };
}

/**
 * Attempts to connect have failed, and since then Envoy has sent no request to the host. Redis counts a request before there is a
 * connection: without one that succeeded there is no request.
 */
function failsToConnect({ figures }: HostReport, before: Connection | undefined): boolean {
  if (figures === null) return false;
  const { connections, failedConnections } = figures.ofHost ?? {};
  if (connections && failedConnections === connections) return true;
  const requests = figures.callsStarted - (before?.figures?.callsStarted ?? 0);
  if (requests !== 0) return false;
  if (before?.state === 'CONNECT_FAILURE') return true;
  const failed = (figures.ofHost?.failedConnections ?? 0) - (before?.figures?.ofHost?.failedConnections ?? 0);
  return failed > 0 && figures.openStreams === 0;
}

function observeListeners(
  listeners: readonly ListenerReport[],
  known: ReadonlyMap<string, Connection>,
  at: EpochMs,
): Map<string, Connection> {
  const isFirstPoll = known.size === 0;
  return new Map(
    listeners.map(({ id, name, address }): [string, Connection] => {
      const before = known.get(id);
      const listening = {
        id,
        kind: 'listener',
        name,
        target: address,
        channels: [],
        state: 'READY',
      } as const;
      if (before !== undefined && before.target === address) return [id, before];
      return [id, { ...listening, since: at, ...(isFirstPoll && { isSinceFirstPoll: true as const }) }];
    }),
  );
}

const addressesShown = 3;

/** The stream of Envoy to its management server, with the addresses of the hosts of its cluster. */
function observeServer(
  { connection: { state, since, error }, clusters }: ServerReport,
  hosts: ReadonlyMap<string, Connection>,
): Map<string, Connection> {
  const id = 'management server';
  const own = [...hosts.values()].filter(({ cluster = '' }) => clusters.includes(cluster));
  const addresses = (some: readonly Connection[]): string =>
    [...new Set(some.map(({ target }) => target))].slice(0, addressesShown).join(', ');
  const failing = addresses(own.filter((host) => host.state === 'CONNECT_FAILURE'));
  const lastError = failing === '' ? error : `${error}; attempts to connect to ${failing} fail`;
  const channel = {
    id,
    kind: 'channel',
    target: addresses(own),
    channels: [],
    isManagementServer: true,
  } as const;
  const failure = state === 'READY' ? {} : { failingSince: since, lastError };
  return new Map([[id, { ...channel, state, since, ...failure }]]);
}
