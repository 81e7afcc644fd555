import { by } from '../collections/compare';
import type { ResourceKey } from '../observation/resource-state';
import { CDS, EDS, LDS, RDS } from '../xds/resource-type';
import type { EpochMs } from '../xds/units';
import { Resolver, type ResolverOptions, type ResourceUpdates } from './resolver';
import { describeImpact, type Impact } from './tear-impact';
import type { TearKind } from './tear-kind';
import type { ClusterEntry } from './xds-config';

/** The changes of one moment: a push, or everything that one poll found. */
export interface TearStep extends ResourceUpdates {
  readonly at: EpochMs;
}

export interface Tear {
  readonly kind: TearKind;
  readonly fromAt: EpochMs;
  /** Absent if it has not ended. */
  readonly toAt?: EpochMs | undefined;
  /** Duration until the end of the history if the tear has not ended. */
  readonly durationMs: number;
  /** The missing resource, then the resources that reference it. */
  readonly resources: readonly ResourceKey[];
  /** The reason why the new resource would be rejected; empty if there is none. */
  readonly rejection: string;
  /** Effect on a client in which each resource takes effect when it is received. */
  readonly preA74: Impact;
  /** gRFC A74: effect on a client that publishes only complete configs. */
  readonly a74: Impact;
}

interface TearsInput extends ResolverOptions {
  /** History of the client, oldest step first. */
  readonly steps: Iterable<TearStep>;
  /** End of the history. */
  readonly until: EpochMs;
}

interface OpenTear {
  readonly kind: TearKind;
  readonly fromAt: EpochMs;
  readonly resources: readonly ResourceKey[];
  /** As in Tear. */
  rejection: string;
  /** True if a resource is known not to exist or would be rejected, as opposed to not yet reported. */
  hasFailed: boolean;
  /** True if a client that publishes complete configs had none to publish when the tear began. */
  readonly isWithheld: boolean;
  /** The time at which such a client could publish again. */
  publishedAt: EpochMs | null;
}

/**
 * Replays the history of a client and finds violations of make-before-break. Only a config that was complete can
 * tear: a client that starts waits, and nothing uses it yet. Times are those of the observations; the order of
 * changes within one poll is unknown.
 */
export function findTears({ steps, until, ...options }: TearsInput): Tear[] {
  const replay = new Replay(options);
  for (const step of steps) replay.step(step);
  return replay.finish(until);
}

class Replay {
  readonly #options: ResolverOptions;

  readonly #resolver: Resolver;
  readonly #open = new Map<string, OpenTear>();
  readonly #withheld = new Set<OpenTear>();
  readonly #done: (OpenTear & { toAt: EpochMs })[] = [];
  /** Clusters that were present while they were in use. */
  readonly #known = new Set<string>();
  #inUse = false;

  constructor(options: ResolverOptions) {
    this.#options = options;

    this.#resolver = new Resolver(options);
  }

  step({ at, ...updates }: TearStep): void {
    const effect = this.#resolver.apply(updates);
    const { status, listener } = this.#resolver;
    if (status !== 'waiting') {
      for (const tear of this.#withheld) tear.publishedAt = at;
      this.#withheld.clear();
    }
    if (status === 'resolved') this.#inUse = true;
    // The client restarted or dials another target, so no config is in use.
    if (listener.listener === undefined) this.#inUse = false;
    if (!this.#inUse) {
      for (const key of [...this.#open.keys()]) this.#close(key, at);
      this.#known.clear();
      return;
    }
    if (effect.listener) this.#lookAtRoutes(at);
    const names = effect.listener ? this.#allNames() : effect.clusters;
    for (const name of names) this.#lookAtCluster(name, at);
  }

  finish(until: EpochMs): Tear[] {
    const lasting = [...this.#open.values()].map((tear) => ({ ...tear, toAt: undefined }));
    return [...this.#done, ...lasting]
      .sort(by(({ fromAt }) => fromAt))
      .map(({ kind, fromAt, toAt, resources, rejection, hasFailed, isWithheld, publishedAt }) => {
        const durationMs = (toAt ?? until) - fromAt;
        const withheldMs = isWithheld ? (publishedAt ?? until) - fromAt : 0;
        const { profile } = this.#options;
        const impact = describeImpact({ kind, profile, hasFailed, durationMs, withheldMs });
        return { kind, fromAt, toAt, durationMs, resources, rejection, ...impact };
      });
  }

  /** Clusters that are in use, and clusters whose tears end because nothing references them any longer. */
  #allNames(): Set<string> {
    const names = new Set([...this.#resolver.clusters()].map(({ entry }) => entry.name));
    for (const key of this.#open.keys()) {
      const [typeUrl, name = ''] = key.split('\u0000');
      if (typeUrl === CDS.typeUrl) names.add(name);
    }
    return names;
  }

  #lookAtRoutes(at: EpochMs): void {
    const { missing } = this.#resolver.listener;
    const awaited = new Set(missing.filter(({ typeUrl }) => typeUrl === RDS.typeUrl).map(({ name }) => name));
    const key = (name: string): string => `${RDS.typeUrl}\u0000${name}`;
    for (const open of [...this.#open.keys()]) {
      const [typeUrl, name = ''] = open.split('\u0000');
      if (typeUrl === RDS.typeUrl && !awaited.has(name)) this.#close(open, at);
    }
    const listener = { typeUrl: LDS.typeUrl, name: this.#options.start.listener };
    for (const name of awaited) {
      this.#begin(key(name), 'routes-not-come', [{ typeUrl: RDS.typeUrl, name }, listener], at);
    }
  }

  #lookAtCluster(name: string, at: EpochMs): void {
    const key = `${CDS.typeUrl}\u0000${name}`;
    const entry = this.#resolver.findCluster(name);
    // While new routes are awaited, the clusters of the old routes are unknown, so their tears continue.
    const found = entry && this.#resolver.isAwaited(name) ? this.#validate(entry) : undefined;
    if (found === undefined) {
      this.#close(key, at);
      if (entry?.config?.ok === true) this.#known.add(name);
      return;
    }
    const tear = this.#begin(key, found.kind, [found.resource, ...this.#routesOf()], at);
    tear.hasFailed ||= found.hasFailed;
    tear.rejection ||= found.rejection;
    if (found.kind === 'endpoints-not-come') this.#known.add(name);
  }

  #validate(
    entry: ClusterEntry,
  ): (Pick<OpenTear, 'kind' | 'hasFailed' | 'rejection'> & { resource: ResourceKey }) | undefined {
    const { name, config, rejected } = entry;
    const isAbsent = config === null || (!config.ok && config.why !== 'members');
    if (isAbsent) {
      const kind = this.#known.has(name) ? 'cluster-removed-in-use' : 'route-to-unknown-cluster';
      const rejection = config?.ok === false && config.why === 'rejected' ? config.error : '';
      return { kind, resource: { typeUrl: CDS.typeUrl, name }, hasFailed: config !== null, rejection };
    }
    if (!config.ok || config.value.children.kind !== 'endpoints') return undefined;
    const { endpoints, serviceName } = config.value.children;
    if (endpoints !== null) return undefined;
    const resource = { typeUrl: EDS.typeUrl, name: serviceName };
    const isRejected = rejected.some(({ typeUrl }) => typeUrl === EDS.typeUrl);
    const rejection = isRejected ? config.value.children.resolutionNote : '';
    return { kind: 'endpoints-not-come', resource, hasFailed: entry.missing.length === 0, rejection };
  }

  #routesOf(): ResourceKey[] {
    const uses = this.#resolver.listener.chains.flatMap(({ routeConfigs }) => routeConfigs);
    const own = { typeUrl: LDS.typeUrl, name: this.#options.start.listener };
    return uses.map(({ resource }) =>
      resource === undefined ? own : { typeUrl: resource.typeUrl, name: resource.name },
    );
  }

  /** A tear with another cause is another tear. */
  #begin(key: string, kind: TearKind, resources: readonly ResourceKey[], at: EpochMs): OpenTear {
    const open = this.#open.get(key);
    if (open?.kind === kind) return open;
    if (open !== undefined) this.#close(key, at);
    const isWithheld = this.#resolver.status === 'waiting';
    const tear: OpenTear = {
      kind,
      fromAt: at,
      resources,
      rejection: '',
      hasFailed: false,
      isWithheld,
      publishedAt: null,
    };
    this.#open.set(key, tear);
    if (isWithheld) this.#withheld.add(tear);
    return tear;
  }

  #close(key: string, at: EpochMs): void {
    const tear = this.#open.get(key);
    if (tear === undefined) return;
    this.#open.delete(key);
    this.#done.push(Object.assign(tear, { toAt: at }));
  }
}
