import type { EpochMs } from '../xds/units';

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
  readonly servers: ServerChurn[] = [];
  /** The same: type URL -> server -> what it sent. */
  private readonly places = new Map<string, Map<string, ServerChurn>>();

  take(
    { typeUrl, server, version, clientId, at }: SeenResponse,
    reported: { readonly isUnchanged: boolean; readonly bytes: number; readonly responses: number },
  ): void {
    const churn = this.places.get(typeUrl)?.get(server) ?? this.add(typeUrl, server);
    if (churn === undefined) return;
    churn.responses += reported.responses;
    const broughtNews = churn.versions.get(version);
    if (broughtNews === undefined) {
      if (churn.versions.size < mostVersions) churn.versions.set(version, !reported.isUnchanged);
    } else if (!broughtNews && !reported.isUnchanged) {
      churn.versions.set(version, true);
    }
    if (!reported.isUnchanged) return;
    churn.unchangedResponses += reported.responses;
    churn.unchangedBytes += reported.bytes;
    churn.lastUnchangedVersion = version;
    churn.lastUnchangedAt = at;
    if (churn.unchangedClients.size < mostClients) churn.unchangedClients.add(clientId);
  }

  /** undefined: there are too many. */
  private add(typeUrl: string, server: string): ServerChurn | undefined {
    if (this.servers.length >= mostServers) return undefined;
    const churn = newServer(typeUrl, server);
    this.servers.push(churn);
    const ofType = this.places.get(typeUrl);
    if (ofType === undefined) this.places.set(typeUrl, new Map([[server, churn]]));
    else ofType.set(server, churn);
    return churn;
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
