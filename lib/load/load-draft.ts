import { addCounts, type Count } from './count';
import { addExactSums, type ExactSum, numberOfExactSum, zeroSum } from './exact-sum';
import type { LoadGroup, LoadGroupKey, LoadMeasure, LoadTotals } from './load-question';
import type { LoadSeries } from './load-series';
import { counterOf, gaugeOf, type LoadValues } from './load-values';

/** A group in one step of time. */
interface Cell {
  successful: number;
  errors: number;
  /** null: of no report that says which time it covers. */
  successfulPerSecond: number | null;
  errorsPerSecond: number | null;
  droppedPerSecond: number | null;
  /** null: nothing told. */
  inProgress: number | null;
  metricCount: number;
  metricSum: number;
}

type Steps = ReadonlyMap<number, LoadValues>;

/** A group while series are added to it. */
export class LoadDraft {
  readonly #cells = new Map<number, Cell>();
  #reports: Count = 0;
  #timedReports: Count = 0;
  #coveredUs: Count = 0;
  #successful: Count = 0;
  #errors: Count = 0;
  #issued: Count = 0;
  #issuedUnknown: Count = 0;
  #dropped: Count = 0;
  #metricCount: Count = 0;
  #metricNotFinite: Count = 0;
  #metricSum: ExactSum = zeroSum;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly key: LoadGroupKey) {}

  get name(): string {
    return JSON.stringify(this.key);
  }

  /** What it is ranked by. */
  get size(): number {
    return (
      Number(this.#successful) + Number(this.#errors) + Number(this.#dropped) + Number(this.#metricCount)
    );
  }

  /** `cluster`: the same scope's reports and the time that they cover, which rates are taken over. */
  add({ scope, part, steps }: LoadSeries & { readonly steps: Steps }, cluster: Steps | undefined): void {
    const { kind } = part;
    for (const [step, values] of steps) {
      const count = (name: string): Count => counterOf(kind, values, name);
      const dropped = count('dropped');
      const successful = count('successful');
      const errors = count('errors');
      if (kind === 'cluster') {
        this.#reports = addCounts(this.#reports, count('reports'));
        if (scope.isTimed) this.#timedReports = addCounts(this.#timedReports, count('reports'));
        this.#coveredUs = addCounts(this.#coveredUs, count('intervalUs'));
      }
      this.#successful = addCounts(this.#successful, successful);
      this.#errors = addCounts(this.#errors, errors);
      this.#issued = addCounts(this.#issued, count('issued'));
      this.#issuedUnknown = addCounts(this.#issuedUnknown, count('issuedUnknown'));
      this.#dropped = addCounts(this.#dropped, dropped);
      this.#metricCount = addCounts(this.#metricCount, count('count'));
      this.#metricNotFinite = addCounts(this.#metricNotFinite, count('notFinite'));
      this.#metricSum = addExactSums(this.#metricSum, values.sum);
      this.#lastAt = Math.max(this.#lastAt, values.at);

      const cell = this.#cell(step);
      const clusterValues = cluster?.get(step);
      const intervalUs = clusterValues ? Number(counterOf('cluster', clusterValues, 'intervalUs')) : 0;
      if (scope.isTimed && intervalUs > 0) {
        const perSecond = (value: Count): number => (Number(value) * 1e6) / intervalUs;
        if (kind === 'locality' || kind === 'endpoint') {
          cell.successfulPerSecond = (cell.successfulPerSecond ?? 0) + perSecond(successful);
          cell.errorsPerSecond = (cell.errorsPerSecond ?? 0) + perSecond(errors);
        }
        if (kind === 'cluster' || kind === 'drop') {
          cell.droppedPerSecond = (cell.droppedPerSecond ?? 0) + perSecond(dropped);
        }
      }
      cell.successful += Number(successful);
      cell.errors += Number(errors);
      const inProgress = gaugeOf(kind, values, 'inProgress');
      if (inProgress !== undefined) cell.inProgress = (cell.inProgress ?? 0) + Number(inProgress);
      cell.metricCount += Number(count('count'));
      cell.metricSum += numberOfExactSum(values.sum);
    }
  }

  merge(other: LoadDraft): void {
    this.#reports = addCounts(this.#reports, other.#reports);
    this.#timedReports = addCounts(this.#timedReports, other.#timedReports);
    this.#coveredUs = addCounts(this.#coveredUs, other.#coveredUs);
    this.#successful = addCounts(this.#successful, other.#successful);
    this.#errors = addCounts(this.#errors, other.#errors);
    this.#issued = addCounts(this.#issued, other.#issued);
    this.#issuedUnknown = addCounts(this.#issuedUnknown, other.#issuedUnknown);
    this.#dropped = addCounts(this.#dropped, other.#dropped);
    this.#metricCount = addCounts(this.#metricCount, other.#metricCount);
    this.#metricNotFinite = addCounts(this.#metricNotFinite, other.#metricNotFinite);
    this.#metricSum = addExactSums(this.#metricSum, other.#metricSum);
    this.#lastAt = Math.max(this.#lastAt, other.#lastAt);
    for (const [step, theirs] of other.#cells) {
      const cell = this.#cell(step);
      cell.successful += theirs.successful;
      cell.errors += theirs.errors;
      cell.successfulPerSecond = sumOrNull(cell.successfulPerSecond, theirs.successfulPerSecond);
      cell.errorsPerSecond = sumOrNull(cell.errorsPerSecond, theirs.errorsPerSecond);
      cell.droppedPerSecond = sumOrNull(cell.droppedPerSecond, theirs.droppedPerSecond);
      cell.inProgress = sumOrNull(cell.inProgress, theirs.inProgress);
      cell.metricCount += theirs.metricCount;
      cell.metricSum += theirs.metricSum;
    }
  }

  finish(measures: readonly LoadMeasure[], steps: number): LoadGroup {
    const values: { [measure in LoadMeasure]?: (number | null)[] } = {};
    for (const measure of measures) {
      values[measure] = Array.from({ length: steps }, (_, step) => {
        const cell = this.#cells.get(step);
        return cell === undefined ? null : measureOf(cell, measure);
      });
    }
    return { key: this.key, totals: this.#totals(), values };
  }

  #totals(): LoadTotals {
    return {
      reports: this.#reports,
      timedReports: this.#timedReports,
      coveredUs: this.#coveredUs,
      successful: this.#successful,
      errors: this.#errors,
      issued: this.#issued,
      issuedUnknown: this.#issuedUnknown,
      dropped: this.#dropped,
      metricCount: this.#metricCount,
      metricSum: numberOfExactSum(this.#metricSum),
      metricNotFinite: this.#metricNotFinite,
      lastAt: this.#lastAt,
    };
  }

  #cell(step: number): Cell {
    const known = this.#cells.get(step);
    if (known !== undefined) return known;
    const cell: Cell = {
      successful: 0,
      errors: 0,
      successfulPerSecond: null,
      errorsPerSecond: null,
      droppedPerSecond: null,
      inProgress: null,
      metricCount: 0,
      metricSum: 0,
    };
    this.#cells.set(step, cell);
    return cell;
  }
}

function measureOf(cell: Cell, measure: LoadMeasure): number | null {
  switch (measure) {
    case 'requests':
      return sumOrNull(cell.successfulPerSecond, cell.errorsPerSecond);
    case 'errors':
      return cell.errorsPerSecond;
    case 'error-ratio': {
      const all = cell.successful + cell.errors;
      return all === 0 ? null : cell.errors / all;
    }
    case 'in-flight':
      return cell.inProgress;
    case 'drops':
      return cell.droppedPerSecond;
    case 'metric':
      return cell.metricCount === 0 ? null : cell.metricSum / cell.metricCount;
  }
}

function sumOrNull(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : a + b;
}
