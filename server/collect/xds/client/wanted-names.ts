import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { normaliseResourceName } from '@/lib/xds/resource-name';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { type InterestChanges, InterestGraph } from './interest-graph';

/** The resources to which a probe subscribes: everything that the server offers, or listeners and resources by name. */
export interface ProbeInterest {
  /** Wildcard LDS and CDS, unless `resources` names some. */
  readonly wildcard: boolean;
  /** Names of listeners, which are followed to all that they reference. */
  readonly listeners: readonly string[];
  /** Further names by type URL, also of types that no listener references (SRDS, VHDS, RTDS). */
  readonly resources: ReadonlyMap<string, readonly string[]>;
}

const wildcardName = '*';

/** The names to subscribe to: those of the settings, and everything that held resources reference. */
export class WantedNames {
  readonly #isTopLevel: (typeUrl: string, name: string) => boolean;
  readonly wildcardTypes: ReadonlySet<string>;
  readonly #graph = new InterestGraph((key) => this.#isOfWildcard(key));
  /** The names of the settings, as resourceKey(). */
  readonly #roots = new Set<string>();

  constructor(
    { wildcard, listeners, resources }: ProbeInterest,
    isTopLevel: (typeUrl: string, name: string) => boolean,
  ) {
    this.#isTopLevel = isTopLevel;
    this.wildcardTypes = new Set([
      ...(wildcard ? [LDS.typeUrl, CDS.typeUrl].filter((typeUrl) => !resources.has(typeUrl)) : []),
      ...[...resources].flatMap(([typeUrl, names]) => (names.includes(wildcardName) ? [typeUrl] : [])),
    ]);
    for (const [typeUrl, names] of [[LDS.typeUrl, listeners] as const, ...resources]) {
      for (const each of names) {
        if (each === wildcardName) continue;
        const key = { typeUrl, name: normaliseResourceName(each) };
        this.#roots.add(resourceKey(key));
        this.#graph.addRoot(key);
      }
    }
  }

  /** Sets the references of a held resource, or null if its row is removed. */
  onLinks(key: ResourceKey, follows: readonly ResourceKey[] | null): void {
    // A resource of a wildcard subscription is a root as long as it exists.
    const isWildcard = this.#isOfWildcard(key);
    // Resources without references, perhaps 100,000, need no node in the graph.
    if (isWildcard && follows?.length === 0 && !this.#graph.has(key)) return;
    if (isWildcard && follows !== null) {
      this.#graph.addRootThatFollows(key, follows);
      return;
    }
    this.#graph.follow(key, follows ?? []);
    if (isWildcard) this.#graph.removeRoot(key);
  }

  /** Returns the changes since the last call, without the resources of wildcard subscriptions. */
  take(): InterestChanges {
    return this.#graph.take();
  }

  #isOfWildcard(key: ResourceKey): boolean {
    const { typeUrl, name } = key;
    if (!this.wildcardTypes.has(typeUrl) || !this.#isTopLevel(typeUrl, name)) return false;
    return this.#roots.size === 0 || !this.#roots.has(resourceKey(key));
  }
}
