import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceKey } from '@/lib/observation/observation';
import { normaliseResourceName } from '@/lib/xds/resource-name';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { type InterestChanges, InterestGraph } from './interest-graph';

/** The resources that a probe subscribes to: everything that the server offers, or listeners and resources by name. */
export interface ProbeInterest {
  /** Wildcard LDS and CDS. */
  readonly wildcard: boolean;
  /** Names of listeners, which are followed to all that they reference. */
  readonly listeners: readonly string[];
  /** Further names by type URL, of types that no listener references (SRDS, VHDS, SDS, RTDS, ECDS). */
  readonly resources: ReadonlyMap<string, readonly string[]>;
}

/** In a list of names: everything that the server has of the type. */
const wildcardName = '*';

/** Which names are to be asked for: those that the settings name, and all that what is held leads to. */
export class WantedNames {
  /** Of the top-level authority. */
  readonly wildcardTypes: ReadonlySet<string>;
  readonly #graph = new InterestGraph((key) => this.#isBroughtByWildcard(key));
  /** Wanted for their own sake, by resourceKey(). */
  readonly #roots = new Set<string>();

  constructor(
    { wildcard, listeners, resources }: ProbeInterest,
    private readonly isTopLevel: (typeUrl: string, name: string) => boolean,
  ) {
    this.wildcardTypes = new Set([
      ...(wildcard ? [LDS.typeUrl, CDS.typeUrl] : []),
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

  /** What a resource that is held refers to; null when its row is gone. */
  onLinks(key: ResourceKey, follows: readonly ResourceKey[] | null): void {
    // What a wildcard brings is wanted as long as it is there.
    const isBrought = this.#isBroughtByWildcard(key);
    // 100,000 endpoints that lead nowhere need no place in the graph.
    if (isBrought && follows?.length === 0 && !this.#graph.has(key)) return;
    if (isBrought && follows !== null) {
      this.#graph.addRootThatFollows(key, follows);
      return;
    }
    this.#graph.follow(key, follows ?? []);
    if (isBrought) this.#graph.removeRoot(key);
  }

  /** Since the last time. Without what a wildcard brings: it needs no asking. */
  take(): InterestChanges {
    return this.#graph.take();
  }

  #isBroughtByWildcard(key: ResourceKey): boolean {
    const { typeUrl, name } = key;
    if (!this.wildcardTypes.has(typeUrl) || !this.isTopLevel(typeUrl, name)) return false;
    return this.#roots.size === 0 || !this.#roots.has(resourceKey(key));
  }
}
