import { LRUCache } from 'lru-cache';
import type { NodeMark } from '@/lib/api/node-mark';
import type { Resolved } from '@/lib/api/resolved';
import type { ResourceRow } from '@/lib/api/schema';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { ResourceModel } from '@/lib/model/parse-resource';
import { type ModelOf, type RowWithBody, shownBodyHash } from '@/lib/model/shown-body';
import { findStarts } from '@/lib/resolve/find-starts';
import { findTears, type Tear } from '@/lib/resolve/find-tears';
import type { ResolveStart } from '@/lib/resolve/resolve-listener';
import type { ResolveProfile } from '@/lib/resolve/resolve-profile';
import { Resolver } from '@/lib/resolve/resolver';
import type { ResolveResource } from '@/lib/resolve/resource-store';
import { findStartOfTarget } from '@/lib/resolve/start-of-target';
import { buildResolved } from '@/lib/view-model/resolved/build-resolved';
import { markTopology } from '@/lib/view-model/topology/mark-topology';
import type { Topology } from '@/lib/view-model/topology/topology';
import type { ListenerNameTemplates } from '@/lib/xds/listener-name';
import type { EpochMs } from '@/lib/xds/units';
import { badRequest } from './api-error';
import { findChangedRows } from './changed-rows';
import type { HistoryStep } from './history-maker';
import type { ResolvedQuery } from './resolved-query';

/** Rows with their models, as the graph maker keeps them. */
export interface ModelledRows {
  readonly rows: readonly ResourceRow[];
  readonly modelOf: ModelOf;
}

export type ResolvedAnswer = Omit<Resolved, 'clientId' | 'at' | 'revision'>;

/** A bad target is told to who asked; other errors are ours. */
export type ResolvedOutcome =
  | { readonly kind: 'answer'; readonly answer: ResolvedAnswer }
  | { readonly kind: 'bad'; readonly message: string };

export type ResolverQuestion = Omit<ResolvedQuery, 'profile' | 'at'> & {
  readonly profile: ResolveProfile;
  /** How the client makes a listener's name of a target; null and not there: as gRFC A47 has it by default. */
  readonly templates?: ListenerNameTemplates | null;
};

export interface TearsQuestion
  extends Pick<ResolverQuestion, 'target' | 'listener' | 'profile' | 'errors' | 'templates'> {
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

interface KeptResolver {
  readonly resolver: Resolver;
  rows: readonly ResourceRow[];
}

/** Rows and models -> resolved config. Keeps resolvers, so that one changed resource costs what depends on it. */
export class ResolvedMaker {
  private readonly resolvers: LRUCache<string, KeptResolver>;

  constructor({ resolversKept }: { readonly resolversKept: number }) {
    this.resolvers = new LRUCache({ max: resolversKept });
  }

  answer(list: string, rows: ModelledRows, query: ResolverQuestion): ResolvedOutcome {
    const starts = findStarts(rows.rows, (row) => modelOfRow(rows, row));
    const start = chooseStart(query, starts[0]?.listener);
    if (typeof start === 'string') return { kind: 'bad', message: start };
    const { profile, errors, target = null } = query;
    const base = { profile, errors, starts };
    if (start === undefined) return { kind: 'answer', answer: { ...base, ...nothing } };
    const resolver = this.resolver(list, rows, start, query);
    const { kind, address, authority } = resolver.listener;
    const told = { listener: start.listener, target, authority, kind, address };
    const content = buildResolved(resolver, profile, query);
    return { kind: 'answer', answer: { ...base, start: told, ...content } };
  }

  /** Where the history that led to the rows did not fit together. */
  tears(rows: ModelledRows, steps: readonly HistoryStep[], query: TearsQuestion): TearsOutcome {
    const starts = findStarts(rows.rows, (row) => modelOfRow(rows, row));
    const start = chooseStart(query, starts[0]?.listener);
    if (typeof start === 'string') return { kind: 'bad', message: start };
    if (start === undefined) return { kind: 'answer', start: null, tears: [] };
    const { profile, errors: errorModel, from, until } = query;
    const replayed = steps.map(({ at, changed, removed }) => ({
      at,
      removed,
      changed: changed.map((state): ResolveResource => {
        const row = { ...state, changedAt: formatIsoTime(state.changedAt) };
        return { row, model: modelOfRow(rows, row) };
      }),
    }));
    const tears = findTears({ start, profile, errorModel, steps: replayed, until });
    const within = tears.filter(({ toAt }) => (toAt ?? until) >= from);
    return { kind: 'answer', start, tears: within };
  }

  /** What the question's resolved config makes of each node; a string says what is wrong with the question. */
  marks(
    list: string,
    rows: ModelledRows,
    topology: Topology,
    query: ResolverQuestion,
  ): Map<string, NodeMark> | string {
    const start = chooseStart(query, undefined);
    if (start === undefined || typeof start === 'string') return start ?? 'expected a listener or a target';
    return markTopology(topology, this.resolver(list, rows, start, query), query.profile);
  }

  /** Up to date with the rows. */
  resolver(
    list: string,
    rows: ModelledRows,
    start: ResolveStart,
    { profile, errors }: Pick<ResolverQuestion, 'profile' | 'errors'>,
  ): Resolver {
    const name = JSON.stringify([list, start.listener, start.authority, profile, errors]);
    const kept = this.resolvers.get(name);
    const resolver = kept?.resolver ?? new Resolver({ start, profile, errorModel: errors });
    if (kept?.rows !== rows.rows) {
      const { changed, removed } = findChangedRows(kept?.rows ?? [], rows.rows);
      const resources = changed.map((row): ResolveResource => ({ row, model: modelOfRow(rows, row) }));
      resolver.apply({ changed: resources, removed });
      this.resolvers.set(name, { resolver, rows: rows.rows });
    }
    return resolver;
  }
}

function modelOfRow(
  { modelOf }: ModelledRows,
  row: RowWithBody & Pick<ResourceRow, 'typeUrl'>,
): ResourceModel | undefined {
  const hash = shownBodyHash(row);
  return hash === null ? undefined : modelOf(hash, row.typeUrl);
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
