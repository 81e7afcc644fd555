import { LRUCache } from 'lru-cache';
import { explain } from '@/lib/explain/explain';
import { findListenerOfRequest } from '@/lib/explain/listener-of-request';
import { decideReach } from '@/lib/explain/reach/reach-of-host';
import { bodyInEffect, heldBody } from '@/lib/facts/effect';
import { describeUnmeasured, noFailing } from '@/lib/facts/failing-endpoints';
import type { ResourceModel } from '@/lib/model/parse-resource';
import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceRow } from '@/lib/observation/resource-row';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { defaultStart, findStarts, type PossibleStart, startsOfEnvoy } from '@/lib/resolve/find-starts';
import type { ChainConfig, HostConfig, ResolveStart } from '@/lib/resolve/resolve-listener';
import { Resolver } from '@/lib/resolve/resolver';
import type { ResolveResource, ResolveRow } from '@/lib/resolve/resource-store';
import { findStartOfTarget } from '@/lib/resolve/start-of-target';
import { candidatesOf, validateRow } from '@/lib/resolve/validate-row';
import { buildExplanation } from '@/lib/views/explain/build-explanation';
import { markTopology } from '@/lib/views/graph/mark-topology';
import type { NodeMark } from '@/lib/views/graph/node-mark';
import type { Topology } from '@/lib/views/graph/topology';
import { buildResolved, hostsOfPage } from '@/lib/views/resolved/build-resolved';
import { buildWitnesses } from '@/lib/views/resolved/build-witnesses';
import { clientOf, type Profile } from '@/lib/xds/profile';
import { CDS, LDS, RDS } from '@/lib/xds/resource-type';
import {
  buildRowContexts,
  type ContextOf,
  isKnownCluster,
  knownClustersOf,
} from '../../compute/validate/row-contexts';
import { type BodyKey, type BodyReadings, ValidatedBodies } from '../rows/body-readings';
import { type ChangedRows, findChangedRows } from '../rows/changed-rows';
import { type Reading, readUntilWhole } from '../rows/reading';
import type { RowList } from '../rows/row-list';
import { chooseStart, pageOfStarts, questionOf } from './choose-start';
import type {
  ExplainAnswer,
  ExplainQuestion,
  OpenedConfig,
  OpenedResolver,
  ResolvedAnswer,
  ResolverQuestion,
  WitnessesAnswer,
} from './resolved-questions';

interface Due {
  readonly row: ResourceRow | null;
  readonly key: ResourceKey;
  /** The config depends on the row, which is applied only with its body. */
  readonly isNeeded: boolean;
}

interface KeptResolver {
  readonly resolver: Resolver;
  /** The rows that are applied, except those in `due`. */
  rows: readonly ResourceRow[];
  /** The names of the client's clusters; empty if no rule of the profile needs them. */
  clusters: ReadonlySet<string>;
  /** Returns what the rules need besides the body of a row. */
  contextOf: ContextOf;
  /** The key is resourceKey(). */
  readonly due: Map<string, Due>;
}

interface KeptStarts {
  readonly listeners: readonly ResourceRow[];
  readonly starts: readonly PossibleStart[];
}

/** Limits the configs of which each listener is resolved to find the one to begin with, and its listeners. */
const mostRowsTried = 5_000;
const mostTried = 8;
/** Limits the sum over all kept resolvers; one of 60,000 rows takes some 60 MB. */
const rowsKept = 400_000;
const resolversKept = 100;
/** A cluster that a request names in a header is read in steps: the cluster, its members, their endpoints. */
const explainRounds = 4;

/** Builds the effective config. Resolvers are kept, so that a changed resource costs only what depends on it. */
export class ResolvedBuilder {
  readonly #resolvers = new LRUCache<string, KeptResolver>({
    max: resolversKept,
    maxSize: rowsKept,
    sizeCalculation: ({ rows }) => 1 + Math.min(rows.length, rowsKept / 2),
  });
  readonly #starts = new LRUCache<string, KeptStarts>({ max: resolversKept });

  readonly #readings: BodyReadings;
  readonly #bodies: ValidatedBodies;

  constructor(readings: BodyReadings) {
    this.#readings = readings;
    this.#bodies = new ValidatedBodies(readings);
  }

  *answer(list: string, rows: RowList, query: ResolverQuestion): Reading<ResolvedAnswer> {
    const { opened, starts } = yield* this.openWorst(list, rows, query);
    const { profile, target } = query;
    const base = { profile, ...pageOfStarts(starts, query.starts) };
    if (opened === undefined) return { ...base, ...nothing };
    const { resolver, start } = opened;
    const { kind, address, authority } = resolver.listener;
    const reported = { listener: start.listener, target, authority, kind, address };
    yield* decideHosts(opened, profile, (chain, place) => hostsOfPage(chain, place, query));
    const content = buildResolved(resolver, profile, query);
    const channelFailure = findChannelFailure(start.listener, query);
    const { reason } = query.trust;
    const notes = [
      ...(reason === '' ? [] : [reason]),
      ...content.notes,
      ...(query.lacksConnections && resolver.clusterCount > 0
        ? [describeUnmeasured(query.lacksConnections)]
        : []),
    ];
    return { ...base, start: reported, ...content, notes, ...(channelFailure && { channelFailure }) };
  }

  *witnesses(list: string, rows: RowList, query: ResolverQuestion): Reading<WitnessesAnswer> {
    const { opened } = yield* this.openWorst(list, rows, query);
    const { profile } = query;
    if (opened === undefined) return { profile, address: '', total: 0, items: [] };
    const { resolver } = opened;
    yield* decideHosts(opened, profile, ({ hosts }) => hosts);
    return { profile, address: resolver.listener.address, ...buildWitnesses(resolver, profile) };
  }

  /** Explains a request at the listener of the query; without one, at the listener that the request names. */
  *explain(
    list: string,
    rows: RowList,
    { about, stepsKept, ...query }: ExplainQuestion,
  ): Reading<ExplainAnswer> {
    const isChosen = query.listener !== undefined || query.target !== undefined;
    this.#readings.keepJson();
    const first = yield* this.open(list, rows, query);
    const named = isChosen ? undefined : findListenerOfRequest(first.starts, about);
    const asked = named === undefined ? query : { ...query, listener: named };
    let answer = buildExplanation(undefined, pageOfStarts(first.starts, ''), about, query.profile);
    for (let round = 0; round < explainRounds; round++) {
      const { opened, starts } = yield* this.open(list, rows, asked);
      if (opened === undefined) return answer;
      const { resolver, profile } = opened;
      const trace = yield* readUntilWhole((missing) =>
        explain(
          {
            listener: resolver.listener,
            jsonOf: (key) => {
              const hash = resolver.hashInUse(key);
              return hash && this.#readings.jsonOf(hash, key.typeUrl, missing);
            },
            findCluster: (name) => resolver.entryOf(name),
          },
          about,
          profile,
        ),
      );
      answer = buildExplanation({ trace, opened }, pageOfStarts(starts, ''), about, profile, stepsKept);
      // A cluster that a header names is read before the next round.
      if (trace.branches.every(({ cluster = '' }) => cluster === '' || resolver.findCluster(cluster)))
        return answer;
    }
    return answer;
  }

  /** Opens the listener of the query; without one, that of a small config which fails, fails in part or waits. */
  *openWorst(list: string, rows: RowList, query: ResolverQuestion): Reading<OpenedResolver> {
    const first = yield* this.open(list, rows, query);
    const isChosen = query.listener !== undefined || query.target !== undefined;
    if (isChosen || rows.rows.length > mostRowsTried) return first;
    let worst = first;
    for (const { listener } of first.starts.slice(0, mostTried)) {
      if (listener === '') continue;
      const each = yield* this.open(list, rows, { ...query, listener });
      if (troubleOf(each) > troubleOf(worst)) worst = each;
    }
    return worst;
  }

  *open(list: string, rows: RowList, query: ResolverQuestion): Reading<OpenedResolver> {
    const possible = yield* this.#findStarts(list, rows);
    const starts = query.isEnvoy === true ? startsOfEnvoy(possible) : possible;
    const start = chooseStart(query, defaultStart(starts));
    if (start === undefined) return { opened: undefined, starts };
    const used = questionOf(query, start, starts);
    const resolver = yield* this.#update(list, rows, start, used);
    return { opened: { resolver, start, profile: used.profile }, starts };
  }

  /** Yields the mark of each node by the effective config of the query, which must have a listener or a target. */
  *marks(
    list: string,
    rows: RowList,
    topology: Topology,
    query: ResolverQuestion,
  ): Reading<Map<string, NodeMark>> {
    const start = chooseStart(query, undefined);
    if (start === undefined) throw new Error('expected a listener or a target');
    const resolver = yield* this.#update(list, rows, start, query);
    yield* decideHosts({ resolver }, query.profile, ({ hosts }) => hosts);
    return markTopology(topology, resolver, query.profile, findChannelFailure(start.listener, query));
  }

  /** The result is kept until a listener changes. */
  *#findStarts(list: string, { rows }: RowList): Reading<readonly PossibleStart[]> {
    const listeners = rows.filter(({ typeUrl }) => typeUrl === LDS.typeUrl);
    const kept = this.#starts.get(list);
    const isSame = kept?.listeners.length === listeners.length;
    if (isSame && listeners.every((row, at) => row === kept.listeners[at])) return kept.starts;
    const models = yield* readUntilWhole((missing) => {
      return new Map<ResolveRow, ResourceModel | undefined>(
        listeners.map((row) => [row, this.#bodies.modelOf(heldBody(row), row, missing)]),
      );
    });
    const starts = findStarts(listeners, (row) => models.get(row));
    this.#starts.set(list, { listeners, starts });
    return starts;
  }

  *#update(list: string, { rows }: RowList, start: ResolveStart, query: ResolverQuestion): Reading<Resolver> {
    const { profile, trust, possible, certificateProviders: providers = null, unused = [] } = query;
    const { mayHoldWithdrawn = false } = query;
    const { listener, authority } = start;
    const decided = [profile, trust, possible, providers, unused, mayHoldWithdrawn];
    const name = JSON.stringify([list, listener, authority, ...decided]);
    const kept = this.#resolvers.get(name) ?? {
      resolver: new Resolver({ start, profile, mayHoldWithdrawn }),
      rows: [],
      clusters: new Set<string>(),
      contextOf: buildRowContexts(undefined, providers),
      due: new Map<string, Due>(),
    };
    if (kept.rows !== rows) {
      const { changed, removed } = findChangedRows(kept.rows, rows);
      if (clientOf(profile) === 'envoy') this.#renewClusters(kept, rows, { changed, removed }, providers);
      for (const row of changed) {
        const key = resourceKey(row);
        const isNeeded = kept.due.get(key)?.isNeeded === true || kept.resolver.hasRead(row);
        kept.due.set(key, { row, key: row, isNeeded });
      }
      for (const key of removed) kept.due.set(resourceKey(key), { row: null, key, isNeeded: false });
      kept.rows = rows;
      this.#resolvers.set(name, kept);
    }
    for (;;) {
      const { changed, removed } = yield* readUntilWhole((missing) => this.#readDue(kept, query, missing));
      kept.due.clear();
      if (changed.length + removed.length > 0) kept.resolver.apply({ changed, removed });
      const unread = kept.resolver.takeUnread();
      if (unread.length === 0) {
        kept.resolver.setFailing(query.failing ?? noFailing);
        return kept.resolver;
      }
      const wanted = new Set<ResolveRow>(unread.map(({ row }) => row));
      for (const row of rows) {
        if (wanted.has(row)) kept.due.set(resourceKey(row), { row, key: row, isNeeded: true });
      }
    }
  }

  #readDue(
    { due, contextOf }: KeptResolver,
    query: ResolverQuestion,
    missing: Map<string, BodyKey>,
  ): { readonly changed: ResolveResource[]; readonly removed: ResourceKey[] } {
    const changed: ResolveResource[] = [];
    const removed: ResourceKey[] = [];
    for (const { row, key, isNeeded } of due.values()) {
      if (row === null) removed.push(key);
      else if (isNeeded) changed.push(this.#read(row, query, contextOf, missing));
      else changed.push({ row, model: undefined, isUnread: true });
    }
    return { changed, removed };
  }

  /** Validates listeners and routes again when a cluster appears or disappears, because rules refer to it. */
  #renewClusters(
    kept: KeptResolver,
    rows: readonly ResourceRow[],
    { changed, removed }: ChangedRows,
    providers: readonly string[] | null,
  ): void {
    const { clusters } = kept;
    const isOther =
      changed.some((row) => row.typeUrl === CDS.typeUrl && isKnownCluster(row) !== clusters.has(row.name)) ||
      removed.some(({ typeUrl, name }) => typeUrl === CDS.typeUrl && clusters.has(name));
    if (!isOther) return;
    kept.clusters = new Set(rows.filter(isKnownCluster).map(({ name }) => name));
    kept.contextOf = buildRowContexts(knownClustersOf(kept.clusters), providers);
    for (const row of rows) {
      const isConcerned = row.typeUrl === RDS.typeUrl || row.typeUrl === LDS.typeUrl;
      if (!isConcerned || !kept.resolver.hasRead(row)) continue;
      kept.due.set(resourceKey(row), { row, key: row, isNeeded: true });
    }
  }

  /** Reads a row as a client of the profile accepts it, and adds the bodies that it lacks to `missing`. */
  #read(
    row: ResourceRow,
    query: ResolverQuestion,
    contextOf: ContextOf,
    missing: Map<string, BodyKey>,
  ): ResolveResource {
    const unused = query.unused?.find(({ typeUrl, name }) => typeUrl === row.typeUrl && name === row.name);
    if (unused === undefined) return this.#readUsed(row, query, contextOf, missing);
    const { reason, mayUseEarlier } = unused;
    return mayUseEarlier
      ? { ...this.#readUsed(row, query, contextOf, missing), whyEarlier: reason }
      : { row, model: undefined, whyUnused: reason };
  }

  #readUsed(
    row: ResourceRow,
    { profile, trust, possible }: ResolverQuestion,
    contextOf: ContextOf,
    missing: Map<string, BodyKey>,
  ): ResolveResource {
    const candidates = candidatesOf(row, trust);
    if (candidates === null || candidates.length === 0)
      return { row, model: this.#bodies.modelOf(bodyInEffect(row), row, missing) };
    const brokenRuleOf = this.#bodies.readValidated(row, candidates, {
      profile,
      possible,
      contextOf,
      missing,
    });
    const validated = validateRow(row, candidates, brokenRuleOf, profile);
    if (validated === undefined || validated.hash === undefined) return { row, model: undefined, validated };
    return { row, model: this.#bodies.readModel(validated.hash, row.typeUrl), validated };
  }
}

/** Decides in steps which routes are reached, so that the result is known where it is shown. */
function* decideHosts(
  { resolver: { listener } }: Pick<OpenedConfig, 'resolver'>,
  profile: Profile,
  hostsOf: (chain: ChainConfig, place: number) => readonly HostConfig[],
): Reading<void> {
  for (const [place, chain] of listener.chains.entries())
    for (const host of hostsOf(chain, place)) {
      const steps = decideReach({ host, chain, authority: listener.authority, profile });
      while (steps.next().done !== true) yield [];
    }
}

/** States that the channel to the listener fails, as the client reports it; empty if it does not. */
function findChannelFailure(
  listener: string,
  { failingTargets = new Map(), templates }: Pick<ResolverQuestion, 'failingTargets' | 'templates'>,
): string {
  for (const [target, error] of failingTargets) {
    const start = findStartOfTarget(target, templates ?? undefined);
    if (!start.ok || start.listener !== listener) continue;
    return `every RPC that does not wait for a connection fails: the channel to ${target} reports TRANSIENT_FAILURE${error === '' ? '' : `: ${error}`}`;
  }
  return '';
}

const nothing = {
  status: 'nothing',
  error: '',
  missing: [],
  missingTotal: 0,
  notes: [],
  doubts: [],
  rejected: [],
  rejectedTotal: 0,
  chains: [],
  dynamic: [],
  clusters: { total: 0, byStatus: { ok: 0, error: 0, waiting: 0, unknown: 0 }, offset: 0, items: [] },
  ignored: [],
  ignoredTotal: 0,
} satisfies Partial<ResolvedAnswer>;

function troubleOf({ opened }: OpenedResolver): number {
  if (opened === undefined) return 0;
  const { status, tally, listener } = opened.resolver;
  if (status === 'error') return 3;
  if (tally.error > 0 || listener.chains.some(({ failure }) => failure !== undefined)) return 2;
  return status === 'waiting' ? 1 : 0;
}
