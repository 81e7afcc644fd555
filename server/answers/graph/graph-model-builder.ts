import { LRUCache } from 'lru-cache';
import type { NodeMark } from '@/lib/api/node-mark';
import type { References } from '@/lib/api/resolved';
import type { Graph, ResourceLinks } from '@/lib/api/schema';
import { clientKindOf } from '@/lib/lb/client-kind';
import { buildResourceLinks } from '@/lib/model/resource-links';
import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceKey } from '@/lib/observation/observation';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { buildReferenceReport } from '@/lib/resolve/reference-report';
import type { Resolver } from '@/lib/resolve/resolver';
import { aggregateTopology } from '@/lib/view-model/topology/aggregate-topology';
import { buildTopology } from '@/lib/view-model/topology/build-topology';
import type { Body } from '../../observe';
import type { LogReader } from '../../recorder/reader/log-reader';
import {
  answerLbTree,
  answerPlay,
  buildEmptyLbTree,
  type LbTreeAnswer,
  type LbTreeQuestion,
  nothingToPlay,
  type PlayAnswer,
  type PlayQuestion,
} from '../failover/failover-builder';
import { ResolvedBuilder } from '../resolved/resolved-builder';
import { ResolvedHistory } from '../resolved/resolved-history';
import type {
  ChildNumbersOutcome,
  ChildNumbersQuestion,
  DrawQuery,
  FailoversOutcome,
  FailoversQuestion,
  ResolvedOutcome,
  ResolverQuestion,
  TearsOutcome,
  TearsQuestion,
} from '../resolved/resolved-questions';
import { pageOfReferences, type ReferencesPage } from '../resources/references-page';
import { BodyReadings } from '../rows/body-readings';
import { type HistoryExtent, type Past, readPast } from '../rows/read-past';
import type { Reading } from '../rows/reading';
import { RowList } from '../rows/row-list';

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

/** unknown: the list is not there: the worker was started again, or had to make room. */
export type Taken = 'taken' | 'unknown';

export type Asked<T> = { readonly kind: 'unknown' } | { readonly kind: 'answer'; readonly answer: T };

export interface GraphJobs {
  rows: { input: RowsChange; output: Taken };
  /** Reads a past out of the log; its list has version 0. */
  history: { input: Past; output: HistoryExtent };
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

/** A bad target is an error of the request; other errors are ours. */
export type MadeOfConfig<T> =
  | { readonly kind: 'made'; readonly made: T }
  | { readonly kind: 'bad'; readonly message: string };

interface ListVersion {
  readonly list: string;
  readonly version: number;
  /** Bodies of the rows that are not written yet: a worker does not find them in the log. */
  readonly pending?: readonly Body[];
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
  /** Absent: it reads no past. */
  readonly log?: LogReader;
}

type Readings = {
  readonly [K in keyof GraphJobs]: (input: GraphJobs[K]['input']) => Reading<GraphJobs[K]['output']>;
};

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
  readonly readings = new BodyReadings();
  private readonly resolved: ResolvedBuilder;
  private readonly past: ResolvedHistory;
  /** Questions that are being answered. */
  private open = 0;

  constructor(private readonly options: GraphModelBuilderOptions) {
    this.lists = new LRUCache({ max: options.listsKept });
    this.resolved = new ResolvedBuilder(this.readings);
    this.past = new ResolvedHistory(this.readings);
  }

  readonly runners: Readings = {
    rows: (change) => this.takeRows(change),
    history: (past) => this.readHistory(past),
    graph: ({ query, ...asked }) => this.ask(asked, (list) => this.draw(asked.list, list, query)),
    links: ({ key, ...asked }) => this.ask(asked, (list) => this.link(list, key)),
    references: ({ page, ...asked }) => this.ask(asked, (list) => this.refer(list, page)),
    resolved: ({ query, ...asked }) =>
      this.ask(asked, (list) => this.resolved.answer(asked.list, list, query)),
    tears: ({ query, ...asked }) => this.ask(asked, (list) => this.past.tears(list, query)),
    failovers: ({ query, ...asked }) => this.ask(asked, (list) => this.past.failovers(list, query)),
    childNumbers: ({ query, ...asked }) => this.ask(asked, (list) => this.past.childNumbers(list, query)),
    lbTree: ({ query, about, ...asked }) => {
      const kind = about.kind ?? clientKindOf(query.profile);
      const make = (resolver: Resolver, listener: string) =>
        answerLbTree(resolver, query.profile, listener, about, query.trust.reason);
      return this.askConfig(asked, query, make, () => buildEmptyLbTree(kind));
    },
    failover: ({ query, about, ...asked }) => {
      const kind = about.kind ?? clientKindOf(query.profile);
      const make = (resolver: Resolver) => answerPlay(resolver, kind, about);
      return this.askConfig(asked, query, make, () =>
        nothingToPlay(kind, 'there is no listener to begin with'),
      );
    },
  };

  private *draw(name: string, list: RowList, query: DrawQuery): Reading<DrawnGraph> {
    yield* list.readAll(this.readings);
    list.topology ??= buildTopology(list);
    const { topology } = list;
    const drawn = aggregateTopology(topology, { ...query, limit: query.limit ?? defaultLimit });
    const totals = { nodes: topology.nodes.length, edges: topology.edges.length };
    if (query.resolve === undefined) return { ...drawn, totals };
    const all = yield* this.resolved.marks(name, list, topology, query.resolve);
    const marks: Record<string, NodeMark> = {};
    for (const { id } of drawn.nodes) {
      const mark = all.get(id);
      if (mark !== undefined) marks[id] = mark;
    }
    return { ...drawn, totals, marks };
  }

  private *link(list: RowList, key: ResourceKey): Reading<ResourceLinks> {
    yield* list.readAll(this.readings);
    return buildResourceLinks({ rows: list.rows, modelOf: list.modelOf, of: key });
  }

  private *refer(list: RowList, page: ReferencesPage): Reading<References> {
    yield* list.readAll(this.readings);
    list.references ??= buildReferenceReport(list);
    return pageOfReferences(list.references, page);
  }

  /** What is made of a resolved config. */
  private askConfig<T>(
    asked: ListVersion,
    query: ResolverQuestion,
    make: (resolver: Resolver, listener: string) => T,
    makeNothing: () => T,
  ): Reading<Asked<MadeOfConfig<T>>> {
    const { resolved } = this;
    return this.ask<MadeOfConfig<T>>(asked, function* (list) {
      const opened = yield* resolved.open(asked.list, list, query);
      if (opened.kind === 'bad') return opened;
      const made = opened.kind === 'nothing' ? makeNothing() : make(opened.resolver, opened.start.listener);
      return { kind: 'made', made };
    });
  }

  private *ask<T>(asked: ListVersion, question: (list: RowList) => Reading<T>): Reading<Asked<T>> {
    const list = this.findList(asked);
    if (list === undefined) return { kind: 'unknown' };
    this.open += 1;
    try {
      return { kind: 'answer', answer: yield* question(list) };
    } finally {
      this.open -= 1;
      if (this.open === 0) this.readings.letGo();
    }
  }

  private findList({ list: name, version }: ListVersion): RowList | undefined {
    const list = this.lists.get(name);
    return list?.version === version ? list : undefined;
  }

  // biome-ignore lint/correctness/useYield: the others read bodies, and this one does not.
  private *takeRows({ list, base, version, part, isLast, changed, removed }: RowsChange): Reading<Taken> {
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
    const draft: Draft = { version, list, changed: new Map(), removed: [] };
    this.drafts.set(name, draft);
    return draft;
  }

  private *readHistory(past: Past): Reading<HistoryExtent> {
    const { log } = this.options;
    if (log === undefined) throw new Error('expected a log to read a past from, got none');
    const { draft, extent } = yield* readPast(log, past);
    const list = new RowList(Number.NaN, draft.ownSteps());
    list.change(draft.rows(), []);
    this.finish(past.list, list, 0);
    return extent;
  }

  private finish(name: string, list: RowList, version: number): Taken {
    this.drafts.delete(name);
    list.version = version;
    this.lists.set(name, list);
    return 'taken';
  }
}
