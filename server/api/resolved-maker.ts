import { LRUCache } from 'lru-cache';
import type { NodeMark } from '@/lib/api/node-mark';
import type { Resolved } from '@/lib/api/resolved';
import type { ResourceRow } from '@/lib/api/schema';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { ClientKind } from '@/lib/lb/client-kind';
import { findChildNumbers } from '@/lib/lb/find-child-numbers';
import { type Failovers, findFailovers } from '@/lib/lb/find-failovers';
import type { ChildNumbers } from '@/lib/lb/grpc/child-names';
import type { ResourceModel } from '@/lib/model/parse-resource';
import { type ModelOf, type RowWithBody, shownBodyHash } from '@/lib/model/shown-body';
import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceKey, ResourceState } from '@/lib/observation/observation';
import { findStarts, type PossibleStart } from '@/lib/resolve/find-starts';
import { findTears, type Tear, type TearStep } from '@/lib/resolve/find-tears';
import { type Candidate, candidatesOf, judgeRow, type Trust } from '@/lib/resolve/judge-row';
import { type HistoryRow, JudgedHistory } from '@/lib/resolve/judged-history';
import type { BrokenRule } from '@/lib/resolve/refusal';
import type { ResolveStart } from '@/lib/resolve/resolve-listener';
import type { ResolveProfile } from '@/lib/resolve/resolve-profile';
import { Resolver } from '@/lib/resolve/resolver';
import type { ResolveResource, ResolveRow } from '@/lib/resolve/resource-store';
import { findStartOfTarget } from '@/lib/resolve/start-of-target';
import { buildResolved } from '@/lib/view-model/resolved/build-resolved';
import { markTopology } from '@/lib/view-model/topology/mark-topology';
import type { Topology } from '@/lib/view-model/topology/topology';
import type { ListenerNameTemplates } from '@/lib/xds/listener-name';
import { CDS, LDS, RDS } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import {
  buildRowContexts,
  type ContextKey,
  type ContextOf,
  isKnownCluster,
  knownClustersOf,
} from '../validate/build-row-contexts';
import { badRequest } from './api-error';
import { type BodyKey, type BodyReadings, judgeByOf, judgedName, readingName } from './body-readings';
import { type ChangedRows, findChangedRows } from './changed-rows';
import type { ResolvedQuery } from './resolved-query';
import type { RowList } from './row-list';

export type ResolvedAnswer = Omit<Resolved, 'clientId' | 'at' | 'revision'>;

/** A bad target is told to who asked; other errors are ours. */
export type ResolvedOutcome =
  | { readonly kind: 'answer'; readonly answer: ResolvedAnswer }
  | { readonly kind: 'bad'; readonly message: string };

export type OpenedResolver =
  | { readonly kind: 'bad'; readonly message: string }
  /** There is no listener to begin with. */
  | { readonly kind: 'nothing'; readonly starts: readonly PossibleStart[] }
  | {
      readonly kind: 'resolver';
      readonly resolver: Resolver;
      readonly start: ResolveStart;
      readonly starts: readonly PossibleStart[];
    };

export type ResolverQuestion = Omit<ResolvedQuery, 'profile' | 'at'> & {
  readonly profile: ResolveProfile;
  /** How the client makes a listener's name of a target; null and not there: as gRFC A47 has it by default. */
  readonly templates?: ListenerNameTemplates | null;
  /** Of its bootstrap, sorted; null and not there: not known. */
  readonly certificateProviders?: readonly string[] | null;
  readonly trust: Trust;
};

/** What a client's whole history is asked by. */
export type HistoryQuery = Pick<
  ResolverQuestion,
  'target' | 'listener' | 'profile' | 'errors' | 'templates' | 'certificateProviders' | 'trust'
>;

export interface FailoversQuestion extends HistoryQuery {
  readonly kind: ClientKind;
  /** undefined: the first that the routes reach at the end. */
  readonly cluster: string | undefined;
}

export type ChildNumbersQuestion = Omit<FailoversQuestion, 'cluster'>;

export type ChildNumbersOutcome =
  | { readonly kind: 'answer'; readonly numbers: ReadonlyMap<string, ChildNumbers> }
  | { readonly kind: 'bad'; readonly message: string };

export type FailoversOutcome =
  | ({ readonly kind: 'answer' } & Failovers)
  | { readonly kind: 'bad'; readonly message: string };

type OpenedHistory =
  | { readonly kind: 'bad'; readonly message: string }
  | {
      readonly kind: 'history';
      /** null: no listener was ever there. */
      readonly start: ResolveStart | null;
      readonly steps: () => Iterable<TearStep>;
    };

export interface TearsQuestion extends HistoryQuery {
  /** Tears that ended before are left out. */
  readonly from: EpochMs;
  readonly until: EpochMs;
}

export type TearsOutcome =
  | {
      readonly kind: 'answer';
      readonly start: ResolveStart | null;
      readonly tears: readonly Tear[];
    }
  | { readonly kind: 'bad'; readonly message: string };

/** What cannot be answered before these bodies are read. */
export type Lacking<T> = { readonly missing: readonly BodyKey[] } | { readonly answer: T };

interface Due {
  readonly row: ResourceRow | null;
  readonly key: ResourceKey;
  /** The config is made of it: no use to apply it before it is read. */
  readonly isNeeded: boolean;
}

interface KeptResolver {
  readonly resolver: Resolver;
  /** As they are applied, but for what is due. */
  rows: readonly ResourceRow[];
  /** The client's clusters; none are told where no rule of the profile asks for them. */
  clusters: ReadonlySet<string>;
  /** What the rules are told of a row besides its body. */
  contextOf: ContextOf;
  /** By resourceKey(). */
  readonly due: Map<string, Due>;
}

/** By what bodies are judged, and those that must be read for it. */
interface Judging {
  readonly profile: ResolveProfile;
  readonly contextOf: ContextOf;
  readonly missing: Map<string, BodyKey>;
}

interface KeptStarts {
  readonly listeners: readonly ResourceRow[];
  readonly starts: readonly PossibleStart[];
}

/** Rows of all resolvers that are kept: one of 60,000 rows takes some 60 MB. */
const rowsKept = 400_000;
const resolversKept = 100;

/** Rows and models -> resolved config. Keeps resolvers, so that one changed resource costs what depends on it. */
export class ResolvedMaker {
  private readonly resolvers = new LRUCache<string, KeptResolver>({
    max: resolversKept,
    maxSize: rowsKept,
    sizeCalculation: ({ rows }) => 1 + Math.min(rows.length, rowsKept / 2),
  });
  private readonly starts = new LRUCache<string, KeptStarts>({ max: resolversKept });

  constructor(private readonly readings: BodyReadings) {}

  answer(list: string, rows: RowList, query: ResolverQuestion): Lacking<ResolvedOutcome> {
    const opened = this.open(list, rows, query);
    if ('missing' in opened) return opened;
    const { answer } = opened;
    if (answer.kind === 'bad') return { answer };
    const { profile, errors, target = null } = query;
    const base = { profile, errors, ...pageOfStarts(answer.starts, query.starts) };
    if (answer.kind === 'nothing') return { answer: { kind: 'answer', answer: { ...base, ...nothing } } };
    const { resolver, start } = answer;
    const { kind, address, authority } = resolver.listener;
    const told = { listener: start.listener, target, authority, kind, address };
    const content = buildResolved(resolver, profile, query);
    const { reason } = query.trust;
    const notes = reason === '' ? content.notes : [reason, ...content.notes];
    return { answer: { kind: 'answer', answer: { ...base, start: told, ...content, notes } } };
  }

  /** The resolver that the question is about, up to date. */
  open(list: string, rows: RowList, query: ResolverQuestion): Lacking<OpenedResolver> {
    const found = this.findStarts(list, rows);
    if ('missing' in found) return found;
    const starts = found.answer;
    const start = chooseStart(query, starts[0]?.listener);
    if (typeof start === 'string') return { answer: { kind: 'bad', message: start } };
    if (start === undefined) return { answer: { kind: 'nothing', starts } };
    const brought = this.bring(list, rows, start, query);
    return 'missing' in brought
      ? brought
      : { answer: { kind: 'resolver', resolver: brought.answer, start, starts } };
  }

  /** Where the history that led to the rows did not fit together, for a client of the profile. */
  tears(list: RowList, query: TearsQuestion): Lacking<TearsOutcome> {
    const { profile, errors: errorModel, from, until } = query;
    const opened = this.openHistory(list, query);
    if ('missing' in opened) return opened;
    const { answer } = opened;
    if (answer.kind === 'bad') return { answer };
    const { start, steps } = answer;
    if (start === null) return { answer: { kind: 'answer', start: null, tears: [] } };
    const tears = findTears({ start, profile, errorModel, steps: steps(), until });
    const within = tears.filter(({ toAt }) => (toAt ?? until) >= from);
    return { answer: { kind: 'answer', start, tears: within } };
  }

  /** Which priority of a cluster carried traffic when, in the history that led to the rows. */
  failovers(list: RowList, query: FailoversQuestion): Lacking<FailoversOutcome> {
    const opened = this.openHistory(list, query);
    if ('missing' in opened) return opened;
    const { answer } = opened;
    if (answer.kind === 'bad') return { answer };
    if (answer.start === null) return { answer: { kind: 'answer', cluster: null, periods: [] } };
    const { start, steps } = answer;
    const { profile, errors: errorModel, cluster, kind } = query;
    return {
      answer: { kind: 'answer', ...findFailovers({ start, profile, errorModel, cluster, kind, steps }) },
    };
  }

  /** What a client's past has made of the numbers of its priorities' children. */
  childNumbers(list: RowList, query: ChildNumbersQuestion): Lacking<ChildNumbersOutcome> {
    const opened = this.openHistory(list, query);
    if ('missing' in opened) return opened;
    const { answer } = opened;
    if (answer.kind === 'bad') return { answer };
    if (answer.start === null) return { answer: { kind: 'answer', numbers: new Map() } };
    const { start, steps } = answer;
    const { profile, errors: errorModel, kind } = query;
    const numbers = findChildNumbers({ start, profile, errorModel, kind, steps: steps() });
    return { answer: { kind: 'answer', numbers } };
  }

  /** What a history begins with, and its steps as a client of the profile would have taken them: each time anew. */
  private openHistory(list: RowList, query: HistoryQuery): Lacking<OpenedHistory> {
    const { profile, trust, certificateProviders = null } = query;
    const missing = new Map<string, BodyKey>();
    // Which clusters there were at each moment is not told to the rules.
    const judging = { profile, contextOf: buildRowContexts(undefined, certificateProviders), missing };
    const history = new JudgedHistory(profile, trust);
    for (const { changed, sourceId } of list.steps) {
      for (const state of changed) {
        const row = historyRow(state, sourceId);
        this.readJudged(row, history.candidatesOf(row) ?? [], judging);
      }
    }
    if (missing.size > 0) return { missing: [...missing.values()] };
    const unread = list.readAll(this.readings);
    if (unread.length > 0) return { missing: unread };
    const { rows, modelOf } = list;
    const starts = findStarts(rows, (row) => modelOfRow(modelOf, row));
    const start = chooseStart(query, starts[0]?.listener);
    if (typeof start === 'string') return { answer: { kind: 'bad', message: start } };
    const steps = () => this.replay(list, new JudgedHistory(profile, trust), judging);
    return { answer: { kind: 'history', start: start ?? null, steps } };
  }

  /** All of it has been read. */
  private *replay(
    { steps, modelOf }: RowList,
    history: JudgedHistory,
    judging: Judging,
  ): Generator<TearStep> {
    for (const { at, sourceId, changed, removed } of steps) {
      for (const key of removed) history.remove(key);
      const resources = changed.map((state): ResolveResource => {
        const row = historyRow(state, sourceId);
        const shown = { ...state, changedAt: formatIsoTime(state.changedAt) };
        const brokenRuleOf = this.readJudged(row, history.candidatesOf(row) ?? [], judging);
        const judged = history.take(row, brokenRuleOf);
        if (judged === undefined) return { row: shown, model: modelOfRow(modelOf, state) };
        const model = judged.hash === null ? undefined : this.readModel(judged.hash, row.typeUrl);
        return { row: shown, model, judged };
      });
      yield { at, removed, changed: resources };
    }
  }

  /** What the question's resolved config makes of each node. Throws when the question is none: who asks has seen to it. */
  marks(
    list: string,
    rows: RowList,
    topology: Topology,
    query: ResolverQuestion,
  ): Lacking<Map<string, NodeMark>> {
    const start = chooseStart(query, undefined);
    if (start === undefined || typeof start === 'string') {
      throw new Error(start ?? 'expected a listener or a target');
    }
    const brought = this.bring(list, rows, start, query);
    if ('missing' in brought) return brought;
    return { answer: markTopology(topology, brought.answer, query.profile) };
  }

  /** Kept as long as the listeners stay the same. */
  private findStarts(list: string, { rows }: RowList): Lacking<readonly PossibleStart[]> {
    const listeners = rows.filter(({ typeUrl }) => typeUrl === LDS.typeUrl);
    const kept = this.starts.get(list);
    const isSame = kept?.listeners.length === listeners.length;
    if (isSame && listeners.every((row, at) => row === kept.listeners[at])) return { answer: kept.starts };
    const missing = new Map<string, BodyKey>();
    const models = new Map<ResolveRow, ResourceModel>();
    for (const row of listeners) {
      const model = this.modelOf(row, missing);
      if (model !== undefined) models.set(row, model);
    }
    if (missing.size > 0) return { missing: [...missing.values()] };
    const starts = findStarts(listeners, (row) => models.get(row));
    this.starts.set(list, { listeners, starts });
    return { answer: starts };
  }

  /** A resolver that is up to date with the rows. */
  private bring(
    list: string,
    { rows }: RowList,
    start: ResolveStart,
    query: ResolverQuestion,
  ): Lacking<Resolver> {
    const { profile, errors, trust, certificateProviders: providers = null } = query;
    const { listener, authority } = start;
    const name = JSON.stringify([list, listener, authority, profile, errors, trust, providers]);
    const kept = this.resolvers.get(name) ?? {
      resolver: new Resolver({ start, profile, errorModel: errors }),
      rows: [],
      clusters: new Set<string>(),
      contextOf: buildRowContexts(undefined, providers),
      due: new Map<string, Due>(),
    };
    if (kept.rows !== rows) {
      const { changed, removed } = findChangedRows(kept.rows, rows);
      if (profile === 'envoy') this.renewClusters(kept, rows, { changed, removed }, providers);
      for (const row of changed) {
        const key = resourceKey(row);
        const isNeeded = kept.due.get(key)?.isNeeded === true || kept.resolver.hasRead(row);
        kept.due.set(key, { row, key: row, isNeeded });
      }
      for (const key of removed) kept.due.set(resourceKey(key), { row: null, key, isNeeded: false });
      kept.rows = rows;
      this.resolvers.set(name, kept);
    }
    for (;;) {
      const missing = new Map<string, BodyKey>();
      const changed: ResolveResource[] = [];
      const removed: ResourceKey[] = [];
      for (const { row, key, isNeeded } of kept.due.values()) {
        if (row === null) removed.push(key);
        else
          changed.push(
            isNeeded
              ? this.read(row, query, kept.contextOf, missing)
              : { row, model: undefined, isUnread: true },
          );
      }
      if (missing.size > 0) return { missing: [...missing.values()] };
      kept.due.clear();
      if (changed.length + removed.length > 0) kept.resolver.apply({ changed, removed });
      const unread = kept.resolver.takeUnread();
      if (unread.length === 0) return { answer: kept.resolver };
      const wanted = new Set<ResolveRow>(unread.map(({ row }) => row));
      for (const row of rows) {
        if (wanted.has(row)) kept.due.set(resourceKey(row), { row, key: row, isNeeded: true });
      }
    }
  }

  /** What the clusters decide is judged again when one comes or goes. */
  private renewClusters(
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

  /** As the profile's client would have it; what is missing for that is told. */
  private read(
    row: ResourceRow,
    { profile, trust }: ResolverQuestion,
    contextOf: ContextOf,
    missing: Map<string, BodyKey>,
  ): ResolveResource {
    const candidates = candidatesOf(row, trust);
    if (candidates === null || candidates.length === 0) return { row, model: this.modelOf(row, missing) };
    const brokenRuleOf = this.readJudged(row, candidates, { profile, contextOf, missing });
    const judged = judgeRow(row, candidates, brokenRuleOf, profile);
    if (judged === undefined || judged.hash === null) return { row, model: undefined, judged };
    return { row, model: this.readModel(judged.hash, row.typeUrl), judged };
  }

  /** For which rule the profile's client would refuse each of the row's bodies; of a missing one nothing is known yet. */
  private readJudged(
    row: ContextKey,
    candidates: readonly Candidate[],
    { profile, contextOf, missing }: Judging,
  ): (hash: string) => BrokenRule | null {
    const context = candidates.length === 0 ? undefined : contextOf(row);
    const broken = new Map<string, BrokenRule>();
    for (const { hash } of candidates) {
      const key = { hash, typeUrl: row.typeUrl, judgeBy: judgeByOf(profile), contextId: context?.id };
      const reading = this.readings.find(key, context);
      if (reading === undefined) missing.set(judgedName(key), key);
      const rule = reading?.kind === 'read' ? reading.broken[profile] : undefined;
      if (rule !== undefined) broken.set(hash, rule);
    }
    return (hash) => broken.get(hash) ?? null;
  }

  /** undefined: nobody has it, or it is missing. */
  private readModel(hash: string, typeUrl: string): ResourceModel | undefined {
    const reading = this.readings.find({ hash, typeUrl });
    return reading?.kind === 'read' ? reading.model : undefined;
  }

  private modelOf(row: ResourceRow, missing: Map<string, BodyKey>): ResourceModel | undefined {
    const hash = shownBodyHash(row);
    if (hash === null) return undefined;
    const key = { hash, typeUrl: row.typeUrl };
    const reading = this.readings.find(key);
    if (reading === undefined) missing.set(readingName(key), key);
    return reading?.kind === 'read' ? reading.model : undefined;
  }
}

function modelOfRow(
  modelOf: ModelOf,
  row: RowWithBody & Pick<ResourceRow, 'typeUrl'>,
): ResourceModel | undefined {
  const hash = shownBodyHash(row);
  return hash === null ? undefined : modelOf(hash, row.typeUrl);
}

/** As the client told it then, with nobody beside it. */
function historyRow(state: ResourceState, sourceId: string): HistoryRow {
  return { ...state, sourceId, side: 'client', controlPlane: null };
}

/** A client may hold thousands of listeners. */
const startsListed = 200;

function pageOfStarts(all: readonly PossibleStart[], find: string): Pick<Resolved, 'starts' | 'startsTotal'> {
  const wanted = find.toLowerCase();
  const found = wanted === '' ? all : all.filter(({ listener }) => listener.toLowerCase().includes(wanted));
  return { starts: found.slice(0, startsListed), startsTotal: found.length };
}

/** A string says what is wrong with the target; undefined: there is nothing to begin with. */
function chooseStart(
  { target, listener, templates }: Pick<ResolverQuestion, 'target' | 'listener' | 'templates'>,
  first: string | undefined,
): ResolveStart | string | undefined {
  if (target !== undefined) {
    const parsed = findStartOfTarget(target, templates ?? undefined);
    return parsed.ok ? { listener: parsed.listener, authority: parsed.authority } : parsed.message;
  }
  const name = listener ?? first;
  return name === undefined ? undefined : { listener: name, authority: null };
}

const nothing = {
  start: null,
  status: 'nothing',
  error: '',
  missing: [],
  missingTotal: 0,
  notes: [],
  listener: null,
  refused: [],
  refusedTotal: 0,
  chains: [],
  dynamic: [],
  clusters: { total: 0, byStatus: { ok: 0, error: 0, waiting: 0 }, offset: 0, items: [] },
  ignored: [],
  ignoredTotal: 0,
} satisfies Partial<ResolvedAnswer>;

export function answerOf(outcome: ResolvedOutcome): ResolvedAnswer {
  if (outcome.kind === 'answer') return outcome.answer;
  throw badRequest(outcome.message);
}
