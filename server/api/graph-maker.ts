import { LRUCache } from 'lru-cache';
import type { NodeMark } from '@/lib/api/node-mark';
import type { References } from '@/lib/api/resolved';
import type { Graph, ResourceLinks, ResourceRow } from '@/lib/api/schema';
import { parseResource, type ResourceModel } from '@/lib/model/parse-resource';
import { buildResourceLinks } from '@/lib/model/resource-links';
import { type ModelOf, shownBodyHash } from '@/lib/model/shown-body';
import { resourceKey } from '@/lib/observation/client-state';
import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import type { ResourceKey } from '@/lib/observation/observation';
import { buildReferenceReport, type ReferenceReport } from '@/lib/resolve/reference-report';
import { aggregateTopology } from '@/lib/view-model/topology/aggregate-topology';
import { buildTopology } from '@/lib/view-model/topology/build-topology';
import type { Topology } from '@/lib/view-model/topology/topology';
import { decodeBody } from '../codec/decode-body';
import type { JobRunners } from '../threads/serve-jobs';
import type { GraphQuery } from './api';
import { HistoryDraft, type HistoryPart, type HistoryStep } from './history-maker';
import { pageOfReferences, type ReferencesPage } from './references-page';
import {
  ResolvedMaker,
  type ResolvedOutcome,
  type ResolverQuestion,
  type TearsOutcome,
  type TearsQuestion,
} from './resolved-maker';

/** A body and the type that it is read as: equal bytes can be a cluster and its endpoints. */
export interface BodyKey {
  readonly hash: string;
  readonly typeUrl: string;
}

export interface RowsChange {
  /** Name of the list of rows. */
  readonly list: string;
  /** The version that this changes; null begins with nothing. */
  readonly base: number | null;
  /** What the list is called when all parts and all bodies are there. Never used twice. */
  readonly version: number;
  /** A long change comes in several parts: 0, 1, 2... */
  readonly part: number;
  readonly isLast: boolean;
  readonly changed: readonly ResourceRow[];
  readonly removed: readonly ResourceKey[];
}

export type RowsTaken =
  /** The maker does not have what this changes: it was started again, or had to make room. */
  | { readonly kind: 'unknown' }
  /** Some of the bodies that are not known yet; none: the list is complete. */
  | { readonly kind: 'taken'; readonly missing: readonly BodyKey[] };

export interface GraphJobs {
  rows: { input: RowsChange; output: RowsTaken };
  history: { input: HistoryPart; output: RowsTaken };
  tears: {
    input: ListVersion & { readonly query: TearsQuestion };
    output: TearsOutcome | null;
  };
  bodies: {
    input: {
      readonly list: string;
      readonly version: number;
      readonly bodies: readonly (BodyKey & { readonly bytes: Uint8Array })[];
      /** Nobody has them. */
      readonly absent: readonly BodyKey[];
    };
    output: RowsTaken;
  };
  graph: {
    input: ListVersion & { readonly query: DrawQuery };
    /** null: as `unknown` above. */
    output: DrawnGraph | null;
  };
  links: {
    input: ListVersion & { readonly key: ResourceKey };
    output: ResourceLinks | null;
  };
  references: {
    input: ListVersion & { readonly page: ReferencesPage };
    output: References | null;
  };
  resolved: {
    input: ListVersion & { readonly query: ResolverQuestion };
    output: ResolvedOutcome | null;
  };
}

interface ListVersion {
  readonly list: string;
  readonly version: number;
}

export type DrawnGraph = Pick<Graph, 'nodes' | 'edges' | 'totals' | 'aggregated' | 'marks'>;

export interface DrawQuery extends Omit<GraphQuery, 'resolve'> {
  readonly resolve?: ResolverQuestion;
}

interface RowList {
  readonly version: number;
  readonly rows: readonly ResourceRow[];
  readonly modelOf: ModelOf;
  readonly models: ReadonlyMap<string, ResourceModel>;
  /** Made when it is first asked for. */
  topology?: Topology;
  references?: ReferenceReport;
  /** Of a history: how it came to the rows. */
  readonly steps?: readonly HistoryStep[];
}

/** A list that is not complete yet; until it is, its older version answers. */
interface Draft {
  readonly version: number;
  readonly rows: Map<string, ResourceRow>;
  readonly models: Map<string, ResourceModel>;
  missing: BodyKey[];
  readonly steps?: readonly HistoryStep[];
}

/** About 300 elements are drawn by default; the rest is aggregated and opened on demand. */
const defaultLimit = 300;
/** So many bodies are asked for at a time: neither side stops for long over them. */
const bodiesPerTurn = 500;

/**
 * Rows and bodies -> models -> graph. Keeps lists of rows with their models and topology, so that one changed EDS
 * resource costs one decode and a second question about an unchanged list costs nothing. The same in the worker, for
 * large clients, and on the main thread, for small ones.
 */
export class GraphMaker {
  private readonly lists: LRUCache<string, RowList>;
  private readonly drafts = new Map<string, Draft>();
  private readonly histories = new Map<string, { readonly version: number; readonly draft: HistoryDraft }>();
  private readonly resolved: ResolvedMaker;
  /** Of all lists: what two clients hold alike is decoded once. A list keeps its own models besides. */
  private readonly models = new LRUCache<string, ResourceModel>({ max: 60_000 });

  constructor({ listsKept }: { readonly listsKept: number }) {
    this.lists = new LRUCache({ max: listsKept });
    this.resolved = new ResolvedMaker({ resolversKept: listsKept * 2 });
  }

  readonly runners: JobRunners<GraphJobs> = {
    rows: (change) => this.takeRows(change),
    bodies: ({ list, version, bodies, absent }) => {
      const draft = this.drafts.get(list);
      if (draft?.version !== version) return { kind: 'unknown' };
      for (const { hash, typeUrl, bytes } of bodies) {
        const model = parseResource(typeUrl, decodeBody(typeUrl, bytes, { asV3: true }).json);
        draft.models.set(modelKey(hash, typeUrl), model);
        this.models.set(modelKey(hash, typeUrl), model);
      }
      const settled = new Set([...bodies, ...absent].map(({ hash, typeUrl }) => modelKey(hash, typeUrl)));
      draft.missing = draft.missing.filter(({ hash, typeUrl }) => !settled.has(modelKey(hash, typeUrl)));
      return this.finish(list, draft);
    },
    graph: ({ query, ...asked }) => {
      const list = this.findList(asked);
      if (list === undefined) return null;
      list.topology ??= buildTopology(list);
      const { topology } = list;
      const drawn = aggregateTopology(topology, { ...query, limit: query.limit ?? defaultLimit });
      const totals = { nodes: topology.nodes.length, edges: topology.edges.length };
      if (query.resolve === undefined) return { ...drawn, totals };
      const all = this.resolved.marks(asked.list, list, topology, query.resolve);
      if (typeof all === 'string') throw new Error(all);
      const marks: Record<string, NodeMark> = {};
      for (const { id } of drawn.nodes) {
        const mark = all.get(id);
        if (mark !== undefined) marks[id] = mark;
      }
      return { ...drawn, totals, marks };
    },
    links: ({ key, ...asked }) => {
      const list = this.findList(asked);
      if (list === undefined) return null;
      return buildResourceLinks({ ...list, of: key });
    },
    history: (part) => this.takeHistory(part),
    tears: ({ query, ...asked }) => {
      const list = this.findList(asked);
      return list === undefined ? null : this.resolved.tears(list, list.steps ?? [], query);
    },
    references: ({ page, ...asked }) => {
      const list = this.findList(asked);
      if (list === undefined) return null;
      list.references ??= buildReferenceReport(list);
      return pageOfReferences(list.references, page);
    },
    resolved: ({ query, ...asked }) => {
      const list = this.findList(asked);
      return list === undefined ? null : this.resolved.answer(asked.list, list, query);
    },
  };

  private findList({ list: name, version }: ListVersion): RowList | undefined {
    const list = this.lists.get(name);
    return list?.version === version ? list : undefined;
  }

  private takeRows({ list, base, version, part, isLast, changed, removed }: RowsChange): RowsTaken {
    const draft = part === 0 ? this.beginDraft(list, base, version) : this.drafts.get(list);
    if (draft?.version !== version) return { kind: 'unknown' };
    for (const row of changed) draft.rows.set(resourceKey(row), row);
    for (const key of removed) draft.rows.delete(resourceKey(key));
    if (!isLast) return { kind: 'taken', missing: [] };
    this.findModels(draft, this.lists.peek(list)?.models);
    return this.finish(list, draft);
  }

  private takeHistory(part: HistoryPart): RowsTaken {
    const { list, version } = part;
    if (part.part === 0) this.histories.set(list, { version, draft: new HistoryDraft(part) });
    const told = this.histories.get(list);
    if (told?.version !== version) return { kind: 'unknown' };
    told.draft.take(part);
    if (!part.isLast) return { kind: 'taken', missing: [] };
    this.histories.delete(list);
    const steps = told.draft.ownSteps();
    const draft: Draft = { version, rows: told.draft.rows(), models: new Map(), missing: [], steps };
    this.drafts.set(list, draft);
    this.findModels(draft, undefined);
    return this.finish(list, draft);
  }

  private beginDraft(list: string, base: number | null, version: number): Draft | undefined {
    const before = base === null ? undefined : this.lists.peek(list);
    if (base !== null && before?.version !== base) return undefined;
    const rows = new Map(before?.rows.map((row) => [resourceKey(row), row]));
    const draft: Draft = { version, rows, models: new Map(), missing: [] };
    this.drafts.set(list, draft);
    return draft;
  }

  private findModels(draft: Draft, before: ReadonlyMap<string, ResourceModel> | undefined): void {
    const missing = new Map<string, BodyKey>();
    const states = draft.steps?.flatMap(({ changed }) => changed) ?? [];
    for (const row of [...draft.rows.values(), ...states]) {
      const hash = shownBodyHash(row);
      if (hash === null) continue;
      const key = modelKey(hash, row.typeUrl);
      const model = before?.get(key) ?? this.models.get(key);
      if (model === undefined) missing.set(key, { hash, typeUrl: row.typeUrl });
      else draft.models.set(key, model);
    }
    draft.missing = [...missing.values()];
  }

  private finish(list: string, { version, rows, models, missing, steps }: Draft): RowsTaken {
    if (missing.length > 0) return { kind: 'taken', missing: missing.slice(0, bodiesPerTurn) };
    this.drafts.delete(list);
    this.lists.set(list, {
      version,
      rows: [...rows.values()].sort(compareResourceKeys),
      models,
      modelOf: (hash, typeUrl) => models.get(modelKey(hash, typeUrl)),
      steps,
    });
    return { kind: 'taken', missing: [] };
  }
}

function modelKey(hash: string, typeUrl: string): string {
  return `${hash} ${typeUrl}`;
}
