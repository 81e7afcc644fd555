import { LRUCache } from 'lru-cache';
import type { NodeMark } from '@/lib/api/node-mark';
import type { References } from '@/lib/api/resolved';
import type { Graph, ResourceLinks, ResourceRow } from '@/lib/api/schema';
import { clientKindOf } from '@/lib/lb/client-kind';
import { buildResourceLinks } from '@/lib/model/resource-links';
import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceKey } from '@/lib/observation/observation';
import { buildReferenceReport } from '@/lib/resolve/reference-report';
import type { Resolver } from '@/lib/resolve/resolver';
import { aggregateTopology } from '@/lib/view-model/topology/aggregate-topology';
import { buildTopology } from '@/lib/view-model/topology/build-topology';
import type { JobRunners } from '../../workers/serve-jobs';
import {
  answerLbTree,
  answerPlay,
  type LbTreeAnswer,
  type LbTreeQuestion,
  nothingToPlay,
  nothingToTell,
  type PlayAnswer,
  type PlayQuestion,
} from '../failover/failover-builder';
import { type BodyKey, BodyReadings } from '../findings/body-readings';
import { HistoryDraft, type HistoryPart } from '../history/history-builder';
import { ResolvedBuilder } from '../resolved/resolved-builder';
import { ResolvedHistory } from '../resolved/resolved-history';
import type {
  ChildNumbersOutcome,
  ChildNumbersQuestion,
  DrawQuery,
  FailoversOutcome,
  FailoversQuestion,
  Lacking,
  ResolvedOutcome,
  ResolverQuestion,
  TearsOutcome,
  TearsQuestion,
} from '../resolved/resolved-questions';
import { pageOfReferences, type ReferencesPage } from '../resources/references-page';
import { RowList } from './row-list';

export interface RowsChange {
  /** Name of the list of rows. */
  readonly list: string;
  /** The version that this changes; null begins with nothing. */
  readonly base: number | null;
  /** What the list is called when all parts are there. Never used twice. */
  readonly version: number;
  /** A long change comes in several parts: 0, 1, 2... */
  readonly part: number;
  readonly isLast: boolean;
  readonly changed: readonly ResourceRow[];
  readonly removed: readonly ResourceKey[];
}

/** unknown: the builder does not have what this is about: it was started again, or had to make room. */
export type Taken = 'taken' | 'unknown';

export type Asked<T> =
  | { readonly kind: 'unknown' }
  /** Bodies to be given first, two turns of them: each turn names the next, and after the last it is asked again. */
  | { readonly kind: 'missing'; readonly missing: readonly BodyKey[] }
  | { readonly kind: 'answer'; readonly answer: T };

export interface GraphJobs {
  rows: { input: RowsChange; output: Taken };
  history: { input: HistoryPart; output: Taken };
  bodies: {
    input: ListVersion & {
      readonly bodies: readonly (BodyKey & { readonly bytes: Uint8Array })[];
      /** Nobody has them. */
      readonly absent: readonly BodyKey[];
    };
    /** The next turn of those that are missing; none: all that are missing have been named. */
    output: readonly BodyKey[] | 'unknown';
  };
  /** Who brought the list, or asked about it, gave up: what waits for the rest goes. */
  forget: { input: ListVersion; output: null };
  graph: { input: ListVersion & { readonly query: DrawQuery }; output: Asked<DrawnGraph> };
  links: { input: ListVersion & { readonly key: ResourceKey }; output: Asked<ResourceLinks> };
  references: { input: ListVersion & { readonly page: ReferencesPage }; output: Asked<References> };
  resolved: { input: ListVersion & { readonly query: ResolverQuestion }; output: Asked<ResolvedOutcome> };
  tears: { input: ListVersion & { readonly query: TearsQuestion }; output: Asked<TearsOutcome> };
  failovers: { input: ListVersion & { readonly query: FailoversQuestion }; output: Asked<FailoversOutcome> };
  childNumbers: {
    input: ListVersion & { readonly query: ChildNumbersQuestion };
    output: Asked<ChildNumbersOutcome>;
  };
  lbTree: {
    input: ListVersion & { readonly query: ResolverQuestion; readonly about: LbTreeQuestion };
    output: Asked<MadeOfConfig<LbTreeAnswer>>;
  };
  failover: {
    input: ListVersion & { readonly query: ResolverQuestion; readonly about: PlayQuestion };
    output: Asked<MadeOfConfig<PlayAnswer>>;
  };
}

/** A bad target is instructed to who asked; other errors are ours. */
export type MadeOfConfig<T> =
  | { readonly kind: 'made'; readonly made: T }
  | { readonly kind: 'bad'; readonly message: string };

interface ListVersion {
  readonly list: string;
  readonly version: number;
}

export type DrawnGraph = Pick<Graph, 'nodes' | 'edges' | 'totals' | 'aggregated' | 'marks'>;

/** A change that has not wholly come. */
interface Draft {
  readonly version: number;
  readonly list: RowList;
  readonly changed: Map<string, ResourceRow>;
  readonly removed: ResourceKey[];
}

export interface GraphModelBuilderOptions {
  readonly listsKept: number;
  /** So many bodies are asked for at a time: neither side stops for long over them. */
  readonly bodiesPerTurn: number;
}

/** About 300 elements are drawn by default; the rest is aggregated and opened on demand. */
const defaultLimit = 300;

/**
 * Rows and bodies -> models -> graph, references, resolved config. Reads a body when a question needs it, and keeps what
 * was made, so that one changed EDS resource costs one decode and a second question about an unchanged list next to
 * nothing. The same in the worker, for large clients, and on the main thread, for small ones.
 */
export class GraphModelBuilder {
  private readonly lists: LRUCache<string, RowList>;
  private readonly drafts = new Map<string, Draft>();
  private readonly histories = new Map<string, { readonly version: number; readonly draft: HistoryDraft }>();
  private readonly readings = new BodyReadings();
  private readonly resolved: ResolvedBuilder;
  private readonly past: ResolvedHistory;
  /** By list: what its question lacks, and was not asked for yet. */
  private readonly missing = new Map<string, BodyKey[]>();

  constructor(private readonly options: GraphModelBuilderOptions) {
    this.lists = new LRUCache({ max: options.listsKept });
    this.resolved = new ResolvedBuilder(this.readings);
    this.past = new ResolvedHistory(this.readings);
  }

  readonly runners: JobRunners<GraphJobs> = {
    rows: (change) => this.takeRows(change),
    history: (part) => this.takeHistory(part),
    bodies: ({ bodies, absent, ...asked }) => {
      if (this.findList(asked) === undefined) return 'unknown';
      for (const { bytes, ...key } of bodies) this.readings.take(key, bytes);
      for (const key of absent) this.readings.takeAbsent(key);
      return this.nextMissing(asked.list);
    },
    forget: ({ list, version }) => {
      if (this.histories.get(list)?.version === version) this.histories.delete(list);
      this.endQuestion(list);
      return null;
    },
    graph: ({ query, ...asked }) =>
      this.ask<DrawnGraph>(asked, (list) => {
        const missing = list.readAll(this.readings);
        if (missing.length > 0) return { missing };
        list.topology ??= buildTopology(list);
        const { topology } = list;
        const drawn = aggregateTopology(topology, { ...query, limit: query.limit ?? defaultLimit });
        const totals = { nodes: topology.nodes.length, edges: topology.edges.length };
        if (query.resolve === undefined) return { answer: { ...drawn, totals } };
        const all = this.resolved.marks(asked.list, list, topology, query.resolve);
        if ('missing' in all) return all;
        const marks: Record<string, NodeMark> = {};
        for (const { id } of drawn.nodes) {
          const mark = all.answer.get(id);
          if (mark !== undefined) marks[id] = mark;
        }
        return { answer: { ...drawn, totals, marks } };
      }),
    links: ({ key, ...asked }) =>
      this.ask<ResourceLinks>(asked, (list) => {
        const missing = list.readAll(this.readings);
        if (missing.length > 0) return { missing };
        return { answer: buildResourceLinks({ rows: list.rows, modelOf: list.modelOf, of: key }) };
      }),
    references: ({ page, ...asked }) =>
      this.ask<References>(asked, (list) => {
        const missing = list.readAll(this.readings);
        if (missing.length > 0) return { missing };
        list.references ??= buildReferenceReport(list);
        return { answer: pageOfReferences(list.references, page) };
      }),
    resolved: ({ query, ...asked }) =>
      this.ask(asked, (list) => this.resolved.answer(asked.list, list, query)),
    tears: ({ query, ...asked }) => this.ask<TearsOutcome>(asked, (list) => this.past.tears(list, query)),
    failovers: ({ query, ...asked }) =>
      this.ask<FailoversOutcome>(asked, (list) => this.past.failovers(list, query)),
    childNumbers: ({ query, ...asked }) =>
      this.ask<ChildNumbersOutcome>(asked, (list) => this.past.childNumbers(list, query)),
    lbTree: ({ query, about, ...asked }) => {
      const kind = about.kind ?? clientKindOf(query.profile);
      const make = (resolver: Resolver, listener: string) =>
        answerLbTree(resolver, query.profile, listener, about, query.trust.reason);
      return this.askConfig(asked, query, make, () => nothingToTell(kind));
    },
    failover: ({ query, about, ...asked }) => {
      const kind = about.kind ?? clientKindOf(query.profile);
      const make = (resolver: Resolver) => answerPlay(resolver, kind, about);
      return this.askConfig(asked, query, make, () =>
        nothingToPlay(kind, 'there is no listener to begin with'),
      );
    },
  };

  /** What is made of a resolved config. */
  private askConfig<T>(
    asked: ListVersion,
    query: ResolverQuestion,
    make: (resolver: Resolver, listener: string) => T,
    makeNothing: () => T,
  ): Asked<MadeOfConfig<T>> {
    return this.ask<MadeOfConfig<T>>(asked, (list) => {
      const opened = this.resolved.open(asked.list, list, query);
      if ('missing' in opened) return opened;
      const { answer } = opened;
      if (answer.kind === 'bad') return { answer };
      const made = answer.kind === 'nothing' ? makeNothing() : make(answer.resolver, answer.start.listener);
      return { answer: { kind: 'made', made } };
    });
  }

  private ask<T>(asked: ListVersion, question: (list: RowList) => Lacking<T>): Asked<T> {
    const list = this.findList(asked);
    if (list === undefined) return { kind: 'unknown' };
    const outcome = question(list);
    if ('missing' in outcome) {
      this.missing.set(asked.list, [...outcome.missing]);
      return { kind: 'missing', missing: this.nextMissing(asked.list, 2) };
    }
    this.endQuestion(asked.list);
    return { kind: 'answer', answer: outcome.answer };
  }

  private endQuestion(list: string): void {
    this.missing.delete(list);
    if (this.missing.size === 0) this.readings.letGo();
  }

  private nextMissing(list: string, turns = 1): BodyKey[] {
    return this.missing.get(list)?.splice(0, turns * this.options.bodiesPerTurn) ?? [];
  }

  private findList({ list: name, version }: ListVersion): RowList | undefined {
    const list = this.lists.get(name);
    return list?.version === version ? list : undefined;
  }

  private takeRows({ list, base, version, part, isLast, changed, removed }: RowsChange): Taken {
    const draft = part === 0 ? this.beginDraft(list, base, version) : this.drafts.get(list);
    if (draft?.version !== version) return 'unknown';
    for (const row of changed) draft.changed.set(resourceKey(row), row);
    draft.removed.push(...removed);
    if (!isLast) return 'taken';
    draft.list.change(draft.changed, draft.removed);
    return this.finish(list, draft.list, version);
  }

  private beginDraft(name: string, base: number | null, version: number): Draft | undefined {
    const list = base === null ? new RowList(Number.NaN) : this.lists.peek(name);
    if (list === undefined || (base !== null && list.version !== base)) return undefined;
    list.version = Number.NaN;
    this.missing.delete(name);
    const draft: Draft = { version, list, changed: new Map(), removed: [] };
    this.drafts.set(name, draft);
    return draft;
  }

  private takeHistory(part: HistoryPart): Taken {
    const { list: name, version } = part;
    if (part.part === 0) this.histories.set(name, { version, draft: new HistoryDraft(part) });
    const reported = this.histories.get(name);
    if (reported?.version !== version) return 'unknown';
    reported.draft.take(part);
    if (!part.isLast) return 'taken';
    this.histories.delete(name);
    const list = new RowList(Number.NaN, reported.draft.ownSteps());
    list.change(reported.draft.rows(), []);
    return this.finish(name, list, version);
  }

  private finish(name: string, list: RowList, version: number): Taken {
    this.drafts.delete(name);
    list.version = version;
    this.lists.set(name, list);
    return 'taken';
  }
}
