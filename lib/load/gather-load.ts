import { addCounts, subtractCounts } from './count';
import { type FleetSteps, LoadDraft, type StepRange } from './load-draft';
import {
  isPartOfGrouping,
  type LoadGroup,
  type LoadGrouping,
  type LoadMeasure,
  loadGroupKey,
} from './load-question';
import type { LoadKind, LoadScope, LoadSeries } from './load-series';
import { counterOf, type LoadValues, noLoadValues, valuesOf } from './load-values';

/** One series, step by step. */
interface Line extends LoadSeries {
  /** By step; those that tell nothing are left out. */
  readonly steps: LoadValues[];
}

interface ScopeLines {
  readonly scope: LoadScope;
  cluster: Line | undefined;
  readonly lines: Line[];
}

/** Puts the values of series together: by steps of time, and by what they are asked for. */
export class LoadGatherer {
  readonly #lines = new Map<number, Line>();
  readonly #scopes = new Map<string, ScopeLines>();

  constructor(
    series: readonly (LoadSeries & { readonly id: number })[],
    private readonly by: LoadGrouping,
    /** The series are of all clients together: how their rates are made. */
    private readonly fleet?: FleetSteps,
  ) {
    for (const { id, scope, part } of series) {
      if (!isPartOfGrouping(by, part) && part.kind !== 'cluster') continue;
      const line: Line = { scope, part, steps: [] };
      this.#lines.set(id, line);
      const key = scopeKey(scope);
      const lines = this.#scopes.get(key) ?? { scope, cluster: undefined, lines: [] };
      this.#scopes.set(key, lines);
      if (part.kind === 'cluster') lines.cluster = line;
      lines.lines.push(line);
    }
  }

  /** What has to be read. */
  isWanted(series: number): boolean {
    return this.#lines.has(series);
  }

  /** Where the values of a series in a step are added to. Precondition: the series is wanted. */
  sumOf(series: number, kind: LoadKind, step: number): LoadValues {
    const steps = this.#lines.get(series)?.steps ?? [];
    const known = steps[step];
    if (known !== undefined) return known;
    const values = noLoadValues(kind);
    steps[step] = values;
    return values;
  }

  /** Values are of these steps. The largest first; what is beyond `limit` is one group at the end, with no key. */
  finish(
    measures: readonly LoadMeasure[],
    steps: StepRange,
    limit: number,
  ): { readonly groups: LoadGroup[]; readonly others: LoadGroup | null; readonly othersCount: number } {
    const drafts = new Map<string, LoadDraft>();
    const heard = [...this.#scopes.values()].filter(isHeard);
    const chosen = this.fleet === undefined ? chooseScopes(heard) : heard;
    for (const scope of chosen) {
      if (this.by === 'drop-category') addUncategorised(scope);
      for (const line of scope.lines) {
        if (line.steps.length === 0 || !isPartOfGrouping(this.by, line.part)) continue;
        const key = loadGroupKey(this.by, line);
        const text = JSON.stringify(key);
        const draft = drafts.get(text) ?? new LoadDraft(key, text);
        drafts.set(text, draft);
        draft.add(line, scope.cluster?.steps, this.fleet);
      }
    }
    const ranked = [...drafts.values()].sort((a, b) => b.size - a.size || compare(a.name, b.name));
    const others = ranked.slice(limit);
    const rest = others.length === 0 ? null : new LoadDraft({}, '');
    for (const draft of others) rest?.merge(draft);
    return {
      groups: ranked.slice(0, limit).map((draft) => draft.finish(measures, steps)),
      others: rest?.finish(measures, steps) ?? null,
      othersCount: others.length,
    };
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function scopeKey(scope: LoadScope): string {
  const { sourceId, clientId, clusterName, clusterServiceName, stream, isTimed } = scope;
  // Ids have no NUL in them; names of clusters may.
  return `${sourceId}\u0000${clientId}\u0000${stream}\u0000${isTimed}\u0000${clusterName.length}\u0000${clusterName}\u0000${clusterServiceName}`;
}

function isHeard({ cluster }: ScopeLines): boolean {
  return cluster !== undefined && cluster.steps.length > 0;
}

/**
 * A report on its way through a tap to our own receiver is seen twice, and counts once: by the receiver, who misses
 * none. Of taps alone, the one that heard more. Receivers are reported different reports, and all of them count.
 */
function chooseScopes(heard: readonly ScopeLines[]): readonly ScopeLines[] {
  const first = heard[0]?.scope.sourceId;
  if (heard.every(({ scope }) => scope.sourceId === first)) return heard;
  const reports = new Map<string, Map<string, number>>();
  const aboutOf = ({ clientId, clusterName, clusterServiceName }: LoadScope): string =>
    JSON.stringify([clientId, clusterName, clusterServiceName]);
  for (const { scope, cluster } of heard) {
    const bySource = reports.get(aboutOf(scope)) ?? new Map<string, number>();
    reports.set(aboutOf(scope), bySource);
    let count = bySource.get(scope.sourceId) ?? 0;
    cluster?.steps.forEach((values) => {
      count += Number(counterOf('cluster', values, 'reports'));
    });
    bySource.set(scope.sourceId, count);
  }
  const received = new Set(heard.flatMap(({ scope }) => (scope.vantage === 'lrs' ? [aboutOf(scope)] : [])));
  return heard.filter(({ scope }) => {
    if (scope.vantage === 'lrs') return true;
    if (received.has(aboutOf(scope))) return false;
    const bySource = [...(reports.get(aboutOf(scope)) ?? [])];
    const best = bySource.sort(([a, x], [b, y]) => y - x || compare(a, b))[0];
    return best?.[0] === scope.sourceId;
  });
}

/** LRS: the total includes what has no category. MUTATES the cluster's line to be that rest. */
function addUncategorised({ cluster, lines }: ScopeLines): void {
  cluster?.steps.forEach((values, step) => {
    let named: LoadValues['counters'][number] = 0;
    for (const { part, steps } of lines) {
      const drops = part.kind === 'drop' ? steps[step] : undefined;
      if (drops) named = addCounts(named, counterOf('drop', drops, 'dropped'));
    }
    const [reports = 0, intervalUs = 0, dropped = 0] = values.counters;
    const rest = subtractCounts(dropped, named);
    cluster.steps[step] = valuesOf(values.at, [reports, intervalUs, rest]);
  });
}
