import { clustersThatDiffer, type Failing } from '../facts/failing-endpoints';
import { bootstrapTypeUrl } from '../model/bootstrap';
import { hostHealthTypeUrl } from '../model/host-health';
import { resourceKey } from '../observation/client-state';
import type { ResourceKey } from '../observation/resource-state';
import { clientOf, type Profile } from '../xds/profile';
import { normaliseResourceName } from '../xds/resource-name';
import { CDS, EDS, SDS } from '../xds/resource-type';
import { indexSubsetRequests } from './find-subset-requests';
import { maxAggregateDepth } from './flatten-aggregate';
import { type ResolvedCluster, resolveCluster } from './resolve-cluster';
import { type ListenerConfig, type ResolveStart, resolveListener } from './resolve-listener';
import { type ResolveResource, ResourceStore } from './resource-store';
import { choosesSubset, withSubsets } from './subset-uses';
import {
  type ClusterChildren,
  type ClusterEntry,
  type ClusterKind,
  type ClusterUse,
  clusterKindOf,
  isWaiting,
  type MissingResource,
  type ResolvedClusterStatus,
  statusOfCluster,
} from './xds-config';
import { findLocalCluster } from './zone-routing';

export interface ResolverOptions {
  readonly start: ResolveStart;
  readonly profile: Profile;
  /** The client may use resources for which it has withdrawn its requests. */
  readonly mayHoldWithdrawn?: boolean;
}

export interface ResourceUpdates {
  readonly changed: readonly ResolveResource[];
  readonly removed: readonly ResourceKey[];
}

interface ResolverEffect {
  /** True if the listener, routes and virtual host were resolved again. */
  readonly listener: boolean;
  /** Clusters whose entries were added, changed or removed. */
  readonly clusters: ReadonlySet<string>;
}

type AggregateChildren = Extract<ClusterChildren, { kind: 'aggregate' }>;

type ResolutionStatus = 'resolved' | 'waiting' | 'unknown' | 'error';

/**
 * gRFC A74's dependency manager for one target: watches every resource of the config, and publishes the config only
 * when each has reported data or an error. MUTABLE: apply() changes it. One changed EDS resource costs the resolution
 * of one cluster, whatever the size of the rest.
 */
export class Resolver {
  readonly #options: ResolverOptions;

  readonly #store: ResourceStore;
  readonly #resolved = new Map<string, ResolvedCluster>();
  /** Clusters in the order in which they are reached, with the aggregates that name them. */
  #reached = new Map<string, readonly ClusterUse[]>();
  /** Keys are EDS names; values are the clusters with these endpoints. */
  readonly #edsUsers = new Map<string, Set<string>>();
  /** Keys are clusters; values are the aggregates that visited them. */
  readonly #aggregateUsers = new Map<string, Set<string>>();
  readonly #incomplete = new Set<string>();
  readonly #aggregates = new Set<string>();
  /** Clusters of an Envoy that chooses a subset of their hosts for each request. */
  readonly #subsets = new Set<string>();
  #findRequests: ReturnType<typeof indexSubsetRequests> | undefined;
  /** The kinds by which the clusters were resolved. */
  readonly #kinds = new Map<string, ClusterKind>();
  readonly #counts = { ok: 0, error: 0, waiting: 0, unknown: 0, ignored: 0, rejected: 0 };
  #config: ListenerConfig;

  constructor(options: ResolverOptions) {
    this.#options = options;

    this.#store = new ResourceStore(options.profile, options.mayHoldWithdrawn);
    this.#config = resolveListener(this.#store, options.start, options.profile);
  }

  get start(): ResolveStart {
    return this.#options.start;
  }

  /** The config can be withheld: see status. */
  get listener(): ListenerConfig {
    return this.#config;
  }

  get status(): ResolutionStatus {
    if (this.#config.error !== '') return 'error';
    let isMissing = this.#config.doubts.length > 0;
    for (const missing of this.missing()) {
      if (isWaiting(missing)) return 'waiting';
      isMissing = true;
    }
    return isMissing ? 'unknown' : 'resolved';
  }

  get clusterCount(): number {
    return this.#reached.size;
  }

  /**
   * Numbers of clusters by status, and of ignored and rejected parts. Maintained incrementally, so that reading is
   * cheap.
   */
  get tally(): Readonly<Record<ResolvedClusterStatus | 'ignored' | 'rejected', number>> {
    return this.#counts;
  }

  get incompleteCount(): number {
    return this.#incomplete.size;
  }

  /** Yields the clusters in the order in which the routes reach them. */
  *clusters(): Generator<{ readonly entry: ClusterEntry; readonly uses: readonly ClusterUse[] }> {
    for (const [name, uses] of this.#reached) {
      const entry = this.#resolved.get(name)?.entry;
      if (entry !== undefined) yield { entry, uses };
    }
  }

  findCluster(name: string): ClusterEntry | undefined {
    return this.#resolved.get(normaliseResourceName(name))?.entry;
  }

  /** Returns the entry of any cluster: a request can name one in a header that no route names. */
  entryOf(name: string): ClusterEntry {
    const { profile } = this.#options;
    return this.findCluster(name) ?? resolveCluster(this.#store, normaliseResourceName(name), profile).entry;
  }

  /** The body of a resource that the client uses; undefined if none is known. */
  hashInUse(key: ResourceKey): string | undefined {
    return this.#store.hashInUse(key);
  }

  usesOf(name: string): readonly ClusterUse[] {
    return this.#reached.get(normaliseResourceName(name)) ?? [];
  }

  *missing(): Generator<MissingResource> {
    yield* this.#config.missing;
    if (this.#incomplete.size === 0) return;
    for (const name of this.#reached.keys()) {
      if (this.#incomplete.has(name) && this.isAwaited(name)) yield* this.findCluster(name)?.missing ?? [];
    }
  }

  /**
   * Clusters that only filters and logs call are not awaited: they can be in the bootstrap, which no source reports.
   */
  isAwaited(name: string): boolean {
    return this.usesOf(name).some(({ how }) => how !== 'service');
  }

  /** Resources that the config needs and that are not read. The caller reads and applies them until there are none. */
  takeUnread(): ResolveResource[] {
    return this.#store.takeUnread();
  }

  apply({ changed, removed }: ResourceUpdates): ResolverEffect {
    const { absenceKey } = this.#store;
    for (const resource of changed) this.#store.set(resource);
    for (const key of removed) this.#store.delete(key);
    // If it changes, every missing resource is missing for another reason than before.
    const isAllStale = this.#store.absenceKey !== absenceKey;
    const keys = [...changed.map(({ row }) => row), ...removed].map(({ typeUrl, name }) => ({
      typeUrl,
      name: normaliseResourceName(name),
    }));
    const touched = new Set<string>();
    const listener = isAllStale || keys.some((key) => this.#concernsListener(key));
    if (listener) this.#resolveListener();
    const stale = new Set(isAllStale || this.#concernsZones(keys) ? this.#resolved.keys() : []);
    const isReachStale = this.#applyToClusters(keys, stale, touched) || listener;
    if (isReachStale) this.#reachAgain(touched);
    this.#renewSubsets(isReachStale ? this.#subsets : touched, touched);
    this.#renewAggregates(touched);
    return { listener, clusters: touched };
  }

  #resolveListener(): void {
    const { start, profile } = this.#options;
    this.#config = resolveListener(this.#store, start, profile);
    this.#findRequests = undefined;
  }

  /** Takes over which endpoints fail, as the client measured it. Resolves the clusters that this concerns. */
  setFailing(failing: Failing): void {
    const before = this.#store.failing;
    this.#store.failing = failing;
    if (before.standstill !== failing.standstill) this.#resolveListener();
    const differing = clustersThatDiffer(before, failing);
    if (differing?.size === 0) return;
    const concerned = [...this.#resolved.keys()].filter((name) => differing?.has(name) ?? true);
    const touched = new Set<string>();
    this.#applyToClusters([], new Set(concerned), touched);
    this.#renewSubsets(touched, touched);
    this.#renewAggregates(touched);
  }

  /** The routes decide which subset the requests to a cluster find. */
  #renewSubsets(names: Iterable<string>, touched: Set<string>): void {
    for (const name of [...names]) {
      const resolved = this.#subsets.has(name) ? this.#resolved.get(name) : undefined;
      if (resolved === undefined) continue;
      this.#findRequests ??= indexSubsetRequests(this.#config);
      const requests = this.#findRequests(name, this.usesOf(name));
      const entry = withSubsets(resolved.entry, requests, this.#options.profile);
      this.#count(resolved.entry, -1);
      this.#resolved.set(name, { ...resolved, entry });
      this.#count(entry, 1);
      touched.add(name);
    }
  }

  /** An aggregate fails if all of its leaves do. The first one that does not gets the requests. */
  #renewAggregates(touched: Set<string>): void {
    for (const name of this.#aggregates) {
      const resolved = this.#resolved.get(name);
      const config = resolved?.entry.config;
      if (config?.ok !== true || config.value.children.kind !== 'aggregate' || !resolved) continue;
      const { leaves: before, ...children } = config.value.children;
      const leaves = this.#stateOfLeaves(children);
      if (leaves === before) continue;
      const value = { ...config.value, children: { ...children, ...(leaves && { leaves }) } };
      const entry = { ...resolved.entry, config: { ok: true as const, value } };
      this.#count(resolved.entry, -1);
      this.#resolved.set(name, { ...resolved, entry });
      this.#count(entry, 1);
      touched.add(name);
    }
  }

  #stateOfLeaves({
    leafClusters,
    waiting,
  }: Pick<AggregateChildren, 'leafClusters' | 'waiting'>): AggregateChildren['leaves'] {
    if (waiting.length > 0 || leafClusters.length === 0) return undefined;
    const statuses = leafClusters.map((leaf) => {
      const entry = this.findCluster(leaf);
      return entry === undefined ? 'waiting' : statusOfCluster(entry);
    });
    const first = statuses.find((status) => status !== 'error');
    if (first === undefined) return 'error';
    return first === 'unknown' ? 'unknown' : undefined;
  }

  /** local_cluster_name of the bootstrap, and the hosts of that cluster, concern each cluster. */
  #concernsZones(keys: readonly ResourceKey[]): boolean {
    if (keys.some(({ typeUrl }) => typeUrl === bootstrapTypeUrl)) return true;
    const { localCluster = '' } = this.#store.ofKind(bootstrapTypeUrl, 'bootstrap')[0]?.model ?? {};
    if (localCluster === '') return false;
    const { edsName } = findLocalCluster(this.#store, localCluster, this.#options.profile);
    return keys.some(({ name }) => name === normaliseResourceName(localCluster) || name === edsName);
  }

  #concernsListener(key: ResourceKey): boolean {
    // The listener's config does not depend on these types, to which most resources belong.
    if ([CDS.typeUrl, EDS.typeUrl, hostHealthTypeUrl].includes(key.typeUrl)) return false;
    return this.#config.dependsOn.has(resourceKey(key)) || this.#config.dependsOn.has(key.typeUrl);
  }

  /**
   * Resolves the clusters that the keys concern, and the stale ones. Returns whether an aggregate names other clusters than
   * before, which can change the set of reached clusters.
   */
  #applyToClusters(keys: readonly ResourceKey[], stale: Set<string>, touched: Set<string>): boolean {
    let isReachStale = false;
    for (const { typeUrl, name } of keys) {
      if (typeUrl === EDS.typeUrl) for (const user of this.#edsUsers.get(name) ?? []) stale.add(user);
      if (typeUrl === SDS.typeUrl)
        for (const [user, { secrets }] of this.#resolved) if (secrets.includes(name)) stale.add(user);
      if (typeUrl === hostHealthTypeUrl && this.#resolved.has(name)) stale.add(name);
      if (typeUrl !== CDS.typeUrl) continue;
      if (this.#resolved.has(name)) stale.add(name);
      for (const user of this.#aggregateUsers.get(name) ?? []) stale.add(user);
    }
    for (const name of stale) {
      const before = this.#resolved.get(name)?.members ?? [];
      const after = this.#resolveAgain(name, touched).members;
      isReachStale ||= before.length !== after.length || before.some((member, at) => member !== after[at]);
    }
    return isReachStale;
  }

  /**
   * Breadth first, limited to the nesting depth of aggregates, so that clusters that no client requests are not
   * awaited.
   */
  #reachAgain(touched: Set<string>): void {
    const reached = new Map<string, ClusterUse[]>();
    const waiting: { readonly name: string; readonly depth: number }[] = [];
    for (const [name, uses] of this.#config.clusters) {
      reached.set(name, [...uses]);
      waiting.push({ name, depth: 0 });
    }
    for (let at = 0; at < waiting.length; at++) {
      const { name, depth } = waiting[at] ?? { name: '', depth: maxAggregateDepth };
      const known = this.#kinds.get(name) === this.#kindOf(name) ? this.#resolved.get(name) : undefined;
      const { members } = known ?? this.#resolveAgain(name, touched);
      if (depth + 1 >= maxAggregateDepth) continue;
      for (const member of members) {
        const use: ClusterUse = { how: 'aggregate', by: `aggregate cluster "${name}"` };
        const uses = reached.get(member);
        if (uses !== undefined) uses.push(use);
        else {
          reached.set(member, [use]);
          waiting.push({ name: member, depth: depth + 1 });
        }
      }
    }
    for (const name of this.#resolved.keys()) {
      if (reached.has(name)) continue;
      this.#forget(name);
      touched.add(name);
    }
    this.#reached = reached;
  }

  #resolveAgain(name: string, touched: Set<string>): ResolvedCluster {
    this.#forget(name);
    const next = resolveCluster(this.#store, name, this.#options.profile, this.#kindOf(name));
    this.#resolved.set(name, next);
    this.#kinds.set(name, this.#kindOf(name));
    if (next.visited !== null) this.#aggregates.add(name);
    if (next.edsName !== null) addTo(this.#edsUsers, next.edsName, name);
    if (clientOf(this.#options.profile) === 'envoy' && choosesSubset(next.entry)) this.#subsets.add(name);
    for (const member of next.visited ?? []) addTo(this.#aggregateUsers, member, name);
    if (next.entry.missing.length > 0) this.#incomplete.add(name);
    this.#count(next.entry, 1);
    touched.add(name);
    return next;
  }

  #kindOf(name: string): ClusterKind {
    return clusterKindOf(this.#config.clusters.get(name) ?? []);
  }

  #count(entry: ClusterEntry, by: 1 | -1): void {
    this.#counts[statusOfCluster(entry)] += by;
    this.#counts.ignored += by * entry.ignored.length;
    this.#counts.rejected += by * entry.rejected.length;
  }

  #forget(name: string): void {
    const known = this.#resolved.get(name);
    if (known === undefined) return;
    this.#resolved.delete(name);
    this.#kinds.delete(name);
    this.#incomplete.delete(name);
    this.#aggregates.delete(name);
    this.#subsets.delete(name);
    this.#count(known.entry, -1);
    if (known.edsName !== null) removeFrom(this.#edsUsers, known.edsName, name);
    for (const member of known.visited ?? []) removeFrom(this.#aggregateUsers, member, name);
  }
}

function addTo(index: Map<string, Set<string>>, key: string, value: string): void {
  const values = index.get(key);
  if (values === undefined) index.set(key, new Set([value]));
  else values.add(value);
}

function removeFrom(index: Map<string, Set<string>>, key: string, value: string): void {
  const values = index.get(key);
  values?.delete(value);
  if (values?.size === 0) index.delete(key);
}
