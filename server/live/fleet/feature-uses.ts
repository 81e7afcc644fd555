import { by } from '@/lib/collections/compare';
import { type FeatureUse, findFeatures, typesWithFeatures } from '@/lib/interop/feature-use';
import { type ClientState, resourceKey } from '@/lib/observation/client-state';
import { reportsResources } from '@/lib/observation/vantage';
import { findClient } from '@/lib/resolve/client-profile';
import type { FleetMember } from '@/lib/views/fleet/fleet-member';
import type { FleetRelease, InteropFleet } from '@/lib/views/interop-matrix/fleet-schema';
import { findClientRelease } from '@/lib/xds/client-release';
import type { Client } from '@/lib/xds/profile';
import { formatResourceType } from '@/lib/xds/resource-type';
import { decodeBody } from '../../codec/decode-body';
import type { Recorder } from '../../store/recorder/recorder';
import type { LiveState } from '../live-state';
import type { FleetIndex } from './fleet-index';

export interface FeatureUsesParts {
  readonly live: Pick<LiveState, 'world'>;
  readonly fleet: Pick<FleetIndex, 'find'>;
  readonly recorder: Pick<Recorder, 'readBodies'>;
}

interface Used {
  readonly use: FeatureUse;
  readonly clients: Set<string>;
  readonly names: Set<string>;
  readonly typeUrl: string;
}

interface Release {
  readonly client: Client;
  readonly release: string;
  readonly userAgent: string;
  readonly clientIds: string[];
  /** By the type of the resources. */
  readonly uses: Map<FeatureUse, Map<string, Used>>;
}

interface Held {
  readonly typeUrl: string;
  readonly name: string;
  readonly hash: string;
}

/** Payloads that one answer reads; the next answers read the others. */
const readAtOnce = 500;
const namesShown = 5;

/** Finds which releases of gRPC clients run in the fleet, and which features of the interop tests their config uses. */
export class FeatureUses {
  readonly #parts: FeatureUsesParts;
  /** The features of each payload that was read, by its hash. */
  #features = new Map<string, readonly FeatureUse[]>();

  constructor(parts: FeatureUsesParts) {
    this.#parts = parts;
  }

  async find(signal?: AbortSignal): Promise<InteropFleet> {
    const { members } = await this.#parts.fleet.find();
    const found = members.flatMap((member) => this.#grpcClient(member));
    const notRead = await this.#read(
      found.flatMap(({ held }) => held),
      signal,
    );
    const releases = new Map<string, Release>();
    for (const { clientId, client, release, userAgent, held } of found) {
      const key = `${client} ${release}`;
      const known: Release = releases.get(key) ?? {
        ...{ client, release, userAgent },
        ...{ clientIds: [], uses: new Map() },
      };
      releases.set(key, known);
      known.clientIds.push(clientId);
      for (const { hash, name, typeUrl } of held)
        for (const use of this.#features.get(hash) ?? []) {
          const byType = known.uses.get(use) ?? new Map<string, Used>();
          known.uses.set(use, byType);
          const used = byType.get(typeUrl) ?? { use, typeUrl, clients: new Set(), names: new Set() };
          byType.set(typeUrl, used);
          used.clients.add(clientId);
          used.names.add(name);
        }
    }
    return {
      clients: found.length,
      releases: [...releases.values()]
        .map(toAnswer)
        .sort(by(({ client, release }) => `${client} ${release}`)),
      notRead,
    };
  }

  #grpcClient({ summary, link }: FleetMember) {
    const { id: clientId, userAgent, isProbe, freshness } = summary;
    const state = this.#parts.live.world.get(clientId);
    const client = findClient(userAgent);
    const version = findClientRelease(userAgent);
    // The scopes of a process stand for it.
    if (link?.kind === 'whole' || isProbe || freshness !== 'live' || state === undefined) return [];
    if (client === undefined || client === 'envoy' || version === undefined) return [];
    const release = `${version.major}.${version.minor}`;
    return [{ clientId, client, release, userAgent, held: heldOf(state) }];
  }

  /** Returns the number of payloads that were not read. */
  async #read(held: readonly Held[], signal: AbortSignal | undefined): Promise<number> {
    const types = new Map(held.map(({ hash, typeUrl }) => [hash, typeUrl]));
    this.#features = new Map([...this.#features].filter(([hash]) => types.has(hash)));
    const missing = [...types.keys()].filter((hash) => !this.#features.has(hash));
    const bodies = await this.#parts.recorder.readBodies(missing.slice(0, readAtOnce), signal);
    for (const [hash, { bytes }] of bodies) {
      const typeUrl = types.get(hash) ?? '';
      this.#features.set(hash, findFeatures(typeUrl, JSON.stringify(decodeBody(typeUrl, bytes).json)));
    }
    return missing.length - bodies.size;
  }
}

/** The payloads that sources on the client's side report, once each. */
function heldOf({ reports }: ClientState): Held[] {
  const held = new Map<string, Held>();
  for (const report of reports.values()) {
    if (report.side !== 'client' || !reportsResources(report)) continue;
    for (const { typeUrl, name, hash } of report.resources.values())
      if (hash !== null && typesWithFeatures.has(typeUrl))
        held.set(resourceKey({ typeUrl, name }), { typeUrl, name, hash });
  }
  return [...held.values()];
}

function toAnswer({ client, release, userAgent, clientIds, uses }: Release): FleetRelease {
  return {
    ...{ client, release, userAgent, clients: clientIds.length },
    uses: [...uses.values()].flatMap((byType) => [...byType.values()]).map(toUse),
  };
}

function toUse({
  use: { feature, cases, lack },
  clients,
  names,
  typeUrl,
}: Used): FleetRelease['uses'][number] {
  return {
    ...{ feature, cases: [...cases], lack, clients: clients.size, resources: names.size },
    service: formatResourceType(typeUrl),
    names: [...names].sort().slice(0, namesShown),
  };
}
