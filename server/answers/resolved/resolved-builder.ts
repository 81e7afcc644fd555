import { LRUCache } from 'lru-cache';
import { explain } from '@/lib/explain/explain';
import { findListenerOfRequest } from '@/lib/explain/listener-of-request';
import { decideReach } from '@/lib/explain/reach/reach-of-host';
import { bodyInEffect, heldBody } from '@/lib/facts/effect';
import { describeUnmeasured, noFailing } from '@/lib/facts/failing-endpoints';
import type { ResourceModel } from '@/lib/model/parse-resource';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { defaultStart, findStarts, type PossibleStart, startsOfEnvoy } from '@/lib/resolve/find-starts';
import type { ChainConfig, HostConfig, ResolveStart } from '@/lib/resolve/resolve-listener';
import { Resolver, type ResolverOptions } from '@/lib/resolve/resolver';
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
import { LDS } from '@/lib/xds/resource-type';
import {
  buildRowContexts,
  type ContextOf,
  isKnownCluster,
  knownClustersOf,
} from '../../compute/validate/row-contexts';
import { type BodyKey, type BodyReadings, ValidatedBodies } from '../rows/body-readings';
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

interface KeptResolver {
  readonly resolver: Resolver;
  readonly rows: readonly ResourceRow[];
  /** Returns what the rules need besides the body of a row. */
  readonly contextOf: ContextOf;
}

interface KeptStarts {
  readonly rows: readonly ResourceRow[];
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

/** Builds the effective config. Resolvers are kept until a row changes. */
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
    const profile = opened?.profile ?? query.profile;
    const { target } = query;
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
    if (opened === undefined) return { profile: query.profile, address: '', total: 0, items: [] };
    const { resolver, profile } = opened;
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
    const resolver = yield* this.#resolve(list, rows, start, used);
    return { opened: { resolver, start, profile: used.profile }, starts };
  }

  /** Yields the mark of each node by the effective config of the query, which must have a listener or a target. */
  *marks(
    list: string,
    rows: RowList,
    topology: Topology,
    query: ResolverQuestion,
  ): Reading<Map<string, NodeMark>> {
    const { opened } = yield* this.open(list, rows, query);
    if (opened === undefined) throw new Error('expected a listener or a target');
    const { resolver, start, profile } = opened;
    yield* decideHosts({ resolver }, profile, ({ hosts }) => hosts);
    return markTopology(topology, resolver, profile, findChannelFailure(start.listener, query));
  }

  *#findStarts(list: string, { rows }: RowList): Reading<readonly PossibleStart[]> {
    const kept = this.#starts.get(list);
    if (kept?.rows === rows) return kept.starts;
    const listeners = rows.filter(({ typeUrl }) => typeUrl === LDS.typeUrl);
    const models = yield* readUntilWhole((missing) => {
      return new Map<ResolveRow, ResourceModel | undefined>(
        listeners.map((row) => [row, this.#bodies.modelOf(heldBody(row), row, missing)]),
      );
    });
    const starts = findStarts(listeners, (row) => models.get(row));
    this.#starts.set(list, { rows, starts });
    return starts;
  }

  *#resolve(
    list: string,
    { rows }: RowList,
    start: ResolveStart,
    query: ResolverQuestion,
  ): Reading<Resolver> {
    const { profile, trust, possible, certificateProviders: providers = null, unused = [] } = query;
    const { mayHoldWithdrawn = false } = query;
    const { listener, authority } = start;
    const decided = [profile, trust, possible, providers, unused, mayHoldWithdrawn];
    const name = JSON.stringify([list, listener, authority, ...decided]);
    const known = this.#resolvers.get(name);
    const kept =
      known?.rows === rows ? known : this.#begin(rows, { start, profile, mayHoldWithdrawn }, providers);
    this.#resolvers.set(name, kept);
    const { resolver, contextOf } = kept;
    for (;;) {
      const wanted = new Set<ResolveRow>(resolver.takeUnread().map(({ row }) => row));
      if (wanted.size === 0) {
        resolver.setFailing(query.failing ?? noFailing);
        return resolver;
      }
      const needed = rows.filter((row) => wanted.has(row));
      const changed = yield* readUntilWhole((missing) =>
        needed.map((row) => this.#read(row, query, contextOf, missing)),
      );
      resolver.apply({ changed, removed: [] });
    }
  }

  /** The rules of Envoy for listeners and routes refer to the clusters of the client. */
  #begin(
    rows: readonly ResourceRow[],
    options: ResolverOptions,
    providers: readonly string[] | null,
  ): KeptResolver {
    const resolver = new Resolver(options);
    resolver.apply({ changed: rows.map((row) => ({ row, model: undefined, isUnread: true })), removed: [] });
    const names =
      clientOf(options.profile) === 'envoy' ? rows.filter(isKnownCluster).map(({ name }) => name) : [];
    return { resolver, rows, contextOf: buildRowContexts(knownClustersOf(new Set(names)), providers) };
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
