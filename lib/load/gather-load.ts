import { by, byDescending, inTurn } from '../collections/compare';
import { addCounts, subtractCounts } from './count';
import { type FleetSteps, LoadDraft } from './load-draft';
import {
  isPartOfGrouping,
  type LoadGroup,
  type LoadGrouping,
  type LoadMeasure,
  type LoadSort,
  loadGroupKey,
} from './load-question';
import type { LoadKind, LoadScope, LoadSeries } from './load-series';
import { counterOf, type LoadValues, noLoadValues, valuesOf } from './load-values';

interface Line extends LoadSeries {
  /** The values by step; steps without reports are absent. */
  readonly steps: LoadValues[];
}

interface ScopeLines {
  readonly scope: LoadScope;
  cluster: Line | undefined;
  readonly lines: Line[];
}

/** Gathers the values of series by time step and by group. MUTABLE. */
export class LoadGatherer {
  readonly #by: LoadGrouping;
  readonly #fleet?: FleetSteps;

  readonly #lines = new Map<number, Line>();
  readonly #scopes = new Map<string, ScopeLines>();

  constructor(
    series: readonly (LoadSeries & { readonly id: number })[],
    by: LoadGrouping,
    /** Set if the series are sums over all clients. */
    fleet?: FleetSteps,
  ) {
    this.#by = by;
    this.#fleet = fleet;

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

  /** Returns true if the values of a series have to be read. */
  isWanted(series: number): boolean {
    return this.#lines.has(series);
  }

  /** Returns the values of a series in a step, to add to. Precondition: the series is wanted. */
  sumOf(series: number, kind: LoadKind, step: number): LoadValues {
    const steps = this.#lines.get(series)?.steps ?? [];
    const known = steps[step];
    if (known !== undefined) return known;
    const values = noLoadValues(kind);
    steps[step] = values;
    return values;
  }

  /**
   * Returns the groups in the order of `sort`, the largest first, with values for so many steps. Groups beyond `limit` are one
   * group without a key.
   */
  finish(
    measures: readonly LoadMeasure[],
    steps: number,
    limit: number,
    sort: LoadSort = 'size',
  ): { readonly groups: LoadGroup[]; readonly others?: LoadGroup | undefined; readonly othersCount: number } {
    const drafts = new Map<string, LoadDraft>();
    const scopes = [...this.#scopes.values()].filter(hasReports);
    const chosen = this.#fleet === undefined ? chooseScopes(scopes) : scopes;
    for (const scope of chosen) {
      if (this.#by === 'drop-category') addUncategorised(scope);
      for (const line of scope.lines) {
        if (line.steps.length === 0 || !isPartOfGrouping(this.#by, line.part)) continue;
        const key = loadGroupKey(this.#by, line);
        const text = JSON.stringify(key);
        const draft = drafts.get(text) ?? new LoadDraft(key, text);
        drafts.set(text, draft);
        draft.add(line, scope.cluster?.steps, this.#fleet);
      }
    }
    const ranked = [...drafts.values()].sort(
      inTurn(
        byDescending((each) => each.rankOf(sort)),
        byDescending((each) => each.rankOf('size')),
        by(({ name }) => name, compare),
      ),
    );
    const others = ranked.slice(limit);
    const rest = others.length === 0 ? undefined : new LoadDraft({}, '');
    for (const draft of others) rest?.merge(draft);
    return {
      groups: ranked.slice(0, limit).map((draft) => draft.finish(measures, steps)),
      others: rest?.finish(measures, steps),
      othersCount: others.length,
    };
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function scopeKey(scope: LoadScope): string {
  const { sourceId, clientId, clusterName, clusterServiceName, stream, isTimed } = scope;
  // Ids do not contain a NUL; names of clusters may.
  return `${sourceId}\u0000${clientId}\u0000${stream}\u0000${isTimed}\u0000${clusterName.length}\u0000${clusterName}\u0000${clusterServiceName}`;
}

function hasReports({ cluster }: ScopeLines): boolean {
  return cluster !== undefined && cluster.steps.length > 0;
}

/**
 * A report that passes a tap on its way to our receiver is observed twice, and counts once. The receiver is preferred, as it
 * misses no reports; of several taps the one with the most reports. Receivers get different reports, which all count.
 */
function chooseScopes(scopes: readonly ScopeLines[]): readonly ScopeLines[] {
  const first = scopes[0]?.scope.sourceId;
  if (scopes.every(({ scope }) => scope.sourceId === first)) return scopes;
  const reports = new Map<string, Map<string, number>>();
  const aboutOf = ({ clientId, clusterName, clusterServiceName }: LoadScope): string =>
    JSON.stringify([clientId, clusterName, clusterServiceName]);
  for (const { scope, cluster } of scopes) {
    const bySource = reports.get(aboutOf(scope)) ?? new Map<string, number>();
    reports.set(aboutOf(scope), bySource);
    let count = bySource.get(scope.sourceId) ?? 0;
    cluster?.steps.forEach((values) => {
      count += Number(counterOf('cluster', values, 'reports'));
    });
    bySource.set(scope.sourceId, count);
  }
  const received = new Set(scopes.flatMap(({ scope }) => (scope.vantage === 'lrs' ? [aboutOf(scope)] : [])));
  return scopes.filter(({ scope }) => {
    if (scope.vantage === 'lrs') return true;
    if (received.has(aboutOf(scope))) return false;
    const bySource = [...(reports.get(aboutOf(scope)) ?? [])];
    const best = bySource.sort(
      inTurn(
        byDescending(([, count]) => count),
        by(([id]) => id, compare),
      ),
    )[0];
    return best?.[0] === scope.sourceId;
  });
}

/** LRS: the total includes drops without a category. MUTATES the cluster's line, which keeps these only. */
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
