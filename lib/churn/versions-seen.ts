import type { EpochMs } from '../xds/units';

interface SeenResponse {
  readonly typeUrl: string;
  readonly server: string;
  readonly version: string;
  readonly clientId: string;
  readonly at: EpochMs;
}

interface ServerChurn {
  readonly typeUrl: string;
  readonly server: string;
  responses: number;
  /** Responses with a new version and equal content. */
  unchangedResponses: number;
  unchangedBytes: number;
  readonly unchangedClients: Set<string>;
  /** The newest version of such responses; empty if there are none. */
  lastUnchangedVersion: string;
  lastUnchangedAt: EpochMs;
  /** The value is true if any client received new content with the version. */
  readonly versions: Map<string, boolean>;
}

const mostServers = 1_000;
const mostVersions = 10_000;
const mostClients = 10_000;

/** Counts versions with and without new content, by type and server. MUTABLE. */
export class VersionsSeen {
  readonly servers: ServerChurn[] = [];
  /** Type URL -> server -> churn. */
  readonly #places = new Map<string, Map<string, ServerChurn>>();

  add(
    { typeUrl, server, version, clientId, at }: SeenResponse,
    reported: { readonly isUnchanged: boolean; readonly bytes: number; readonly responses: number },
  ): void {
    const churn = this.#places.get(typeUrl)?.get(server) ?? this.#addServer(typeUrl, server);
    if (churn === undefined) return;
    churn.responses += reported.responses;
    const hasNews = churn.versions.get(version);
    if (hasNews === undefined) {
      if (churn.versions.size < mostVersions) churn.versions.set(version, !reported.isUnchanged);
    } else if (!hasNews && !reported.isUnchanged) {
      churn.versions.set(version, true);
    }
    if (!reported.isUnchanged) return;
    churn.unchangedResponses += reported.responses;
    churn.unchangedBytes += reported.bytes;
    churn.lastUnchangedVersion = version;
    churn.lastUnchangedAt = at;
    if (churn.unchangedClients.size < mostClients) churn.unchangedClients.add(clientId);
  }

  /** Returns undefined beyond the limit. */
  #addServer(typeUrl: string, server: string): ServerChurn | undefined {
    if (this.servers.length >= mostServers) return undefined;
    const churn = newServer(typeUrl, server);
    this.servers.push(churn);
    const ofType = this.#places.get(typeUrl);
    if (ofType === undefined) this.#places.set(typeUrl, new Map([[server, churn]]));
    else ofType.set(server, churn);
    return churn;
  }
}

export function emptyVersions({ versions }: ServerChurn): number {
  return [...versions.values()].filter((hasNews) => !hasNews).length;
}

function newServer(typeUrl: string, server: string): ServerChurn {
  return {
    ...{ typeUrl, server, responses: 0, unchangedResponses: 0, unchangedBytes: 0 },
    ...{ unchangedClients: new Set(), lastUnchangedVersion: '', lastUnchangedAt: 0, versions: new Map() },
  };
}
