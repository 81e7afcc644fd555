import type { EpochMs } from '../../xds/units';

export interface SeenResponse {
  readonly typeUrl: string;
  readonly server: string;
  readonly version: string;
  readonly clientId: string;
  readonly at: EpochMs;
}

/** What one server sent of one type. */
export interface ServerChurn {
  readonly typeUrl: string;
  readonly server: string;
  responses: number;
  /** New version, equal content. */
  unchangedResponses: number;
  unchangedBytes: number;
  readonly unchangedClients: Set<string>;
  /** Newest one of these; empty: none. */
  lastUnchangedVersion: string;
  lastUnchangedAt: EpochMs;
  /** Did any client get something new with it? */
  readonly versions: Map<string, boolean>;
}

const mostServers = 1_000;
const mostVersions = 10_000;
const mostClients = 10_000;

/** Which versions brought something, by type and server. MUTABLE. */
export class VersionsSeen {
  readonly servers = new Map<string, ServerChurn>();

  take(
    { typeUrl, server, version, clientId, at }: SeenResponse,
    told: { readonly isUnchanged: boolean; readonly bytes: number; readonly responses: number },
  ): void {
    const key = `${typeUrl}\u0000${server}`;
    const known = this.servers.get(key);
    if (known === undefined && this.servers.size >= mostServers) return;
    const churn = known ?? newServer(typeUrl, server);
    this.servers.set(key, churn);
    churn.responses += told.responses;
    const isKnown = churn.versions.has(version);
    if (isKnown || churn.versions.size < mostVersions) {
      churn.versions.set(version, (churn.versions.get(version) ?? false) || !told.isUnchanged);
    }
    if (!told.isUnchanged) return;
    churn.unchangedResponses += told.responses;
    churn.unchangedBytes += told.bytes;
    churn.lastUnchangedVersion = version;
    churn.lastUnchangedAt = at;
    if (churn.unchangedClients.size < mostClients) churn.unchangedClients.add(clientId);
  }
}

/** Versions that brought nobody anything new. */
export function emptyVersions({ versions }: ServerChurn): number {
  let count = 0;
  for (const broughtNews of versions.values()) if (!broughtNews) count += 1;
  return count;
}

function newServer(typeUrl: string, server: string): ServerChurn {
  return {
    ...{ typeUrl, server, responses: 0, unchangedResponses: 0, unchangedBytes: 0 },
    ...{ unchangedClients: new Set(), lastUnchangedVersion: '', lastUnchangedAt: 0, versions: new Map() },
  };
}
