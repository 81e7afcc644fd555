import { addCounts, type Count } from './count';
import type { LoadGroup, LoadGroupKey, LoadMeasure, LoadTotals } from './load-question';
import type { LoadSeries } from './load-series';
import { counterOf, counterPlace, gaugeOf, type LoadValues } from './load-values';

/** A group in one step of time. */
interface Cell {
  successful: number;
  errors: number;
  /** null: of no report that says which time it covers. */
  successfulPerSecond: number | null;
  errorsPerSecond: number | null;
  droppedPerSecond: number | null;
  /** null: nothing reported. */
  inProgress: number | null;
  metricCount: number;
  metricSum: number;
}

/** [from, to), counted from the span's beginning. */
export interface StepRange {
  readonly from: number;
  readonly to: number;
}

/** Steps of time in which all clients together are reported; `stepMs` 0: of totals, which have no rates. */
export interface FleetSteps {
  readonly stepMs: number;
  readonly span: { readonly from: number; readonly to: number };
}

/** By step; those that tell nothing are left out. */
type Steps = readonly LoadValues[];

/** A group while series are added to it. */
export class LoadDraft {
  /** By step; those that tell nothing are left out. */
  readonly #cells: (Cell | undefined)[] = [];
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
  #metricSum = 0;
  #lastAt = Number.NEGATIVE_INFINITY;

  /** `name`: different ones for different keys. */
  constructor(
    private readonly key: LoadGroupKey,
    readonly name: string,
  ) {}

  /** What it is ranked by. */
  get size(): number {
    return (
      Number(this.#successful) + Number(this.#errors) + Number(this.#dropped) + Number(this.#metricCount)
    );
  }

  /** `cluster`: the same scope's reports and the time that they cover, which rates are taken over. */
  add(
    { scope, part: { kind }, steps }: LoadSeries & { readonly steps: Steps },
    cluster?: Steps,
    fleet?: FleetSteps,
  ): void {
    steps.forEach((values, step) => {
      this.#noteTime(values);
      const covered = scope.isTimed ? cluster?.[step] : undefined;
      const intervalUs = covered === undefined ? 0 : intervalOf(covered, step, fleet);
      const cell = this.#cell(step);
      switch (kind) {
        case 'cluster':
          this.#addCluster(values, scope.isTimed);
          this.#addDropped(counterOf(kind, values, 'dropped'), cell, intervalUs);
          break;
        case 'drop':
          this.#addDropped(counterOf(kind, values, 'dropped'), cell, intervalUs);
          break;
        case 'locality':
        case 'endpoint':
          this.#addRequests(requestPlaces[kind], values, cell, intervalUs);
          this.#addInProgress(
            gaugeOf(kind, values, 'inProgress') ?? 0,
            cell,
            gaugeShareOf(covered, step, fleet),
          );
          break;
        case 'metric':
          this.#addMetric(values, cell);
          break;
      }
    });
  }

  #noteTime({ at }: LoadValues): void {
    if (at > this.#lastAt) this.#lastAt = at;
  }

  #addCluster(values: LoadValues, isTimed: boolean): void {
    const reports = counterOf('cluster', values, 'reports');
    this.#reports = addCounts(this.#reports, reports);
    if (isTimed) this.#timedReports = addCounts(this.#timedReports, reports);
    this.#coveredUs = addCounts(this.#coveredUs, counterOf('cluster', values, 'intervalUs'));
  }

  #addDropped(dropped: Count, cell: Cell, intervalUs: number): void {
    this.#dropped = addCounts(this.#dropped, dropped);
    if (intervalUs > 0) cell.droppedPerSecond = (cell.droppedPerSecond ?? 0) + perSecond(dropped, intervalUs);
  }

  #addInProgress(inProgress: Count, cell: Cell, share: number): void {
    cell.inProgress = (cell.inProgress ?? 0) + Number(inProgress) * share;
  }

  #addRequests(places: RequestPlaces, { counters }: LoadValues, cell: Cell, intervalUs: number): void {
    const successful = counters[places.successful] ?? 0;
    const errors = counters[places.errors] ?? 0;
    this.#successful = addCounts(this.#successful, successful);
    this.#errors = addCounts(this.#errors, errors);
    this.#issued = addCounts(this.#issued, counters[places.issued] ?? 0);
    this.#issuedUnknown = addCounts(this.#issuedUnknown, counters[places.issuedUnknown] ?? 0);
    cell.successful += Number(successful);
    cell.errors += Number(errors);
    if (intervalUs === 0) return;
    cell.successfulPerSecond = (cell.successfulPerSecond ?? 0) + perSecond(successful, intervalUs);
    cell.errorsPerSecond = (cell.errorsPerSecond ?? 0) + perSecond(errors, intervalUs);
  }

  #addMetric(values: LoadValues, cell: Cell): void {
    const count = counterOf('metric', values, 'count');
    this.#metricCount = addCounts(this.#metricCount, count);
    this.#metricNotFinite = addCounts(this.#metricNotFinite, counterOf('metric', values, 'notFinite'));
    this.#metricSum += values.sum;
    cell.metricCount += Number(count);
    cell.metricSum += values.sum;
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
    this.#metricSum += other.#metricSum;
    this.#lastAt = Math.max(this.#lastAt, other.#lastAt);
    for (const [step, theirs] of other.#cells.entries()) {
      if (theirs === undefined) continue;
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

  finish(measures: readonly LoadMeasure[], { from, to }: StepRange): LoadGroup {
    const values: { [measure in LoadMeasure]?: (number | null)[] } = {};
    for (const measure of measures) {
      const reported: (number | null)[] = [];
      for (let step = from; step < to; step++) {
        const cell = this.#cells[step];
        reported.push(cell === undefined ? null : measureOf(cell, measure));
      }
      values[measure] = reported;
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
      metricSum: this.#metricSum,
      metricNotFinite: this.#metricNotFinite,
      lastAt: this.#lastAt,
    };
  }

  #cell(step: number): Cell {
    const known = this.#cells[step];
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
    this.#cells[step] = cell;
    return cell;
  }
}

interface RequestPlaces {
  readonly successful: number;
  readonly errors: number;
  readonly issued: number;
  readonly issuedUnknown: number;
}

const requestPlacesOf = (kind: 'locality' | 'endpoint'): RequestPlaces => ({
  successful: counterPlace(kind, 'successful'),
  errors: counterPlace(kind, 'errors'),
  issued: counterPlace(kind, 'issued'),
  issuedUnknown: counterPlace(kind, 'issuedUnknown'),
});

const requestPlaces = { locality: requestPlacesOf('locality'), endpoint: requestPlacesOf('endpoint') };
const coveredPlace = counterPlace('cluster', 'intervalUs');
const reportsPlace = counterPlace('cluster', 'reports');

/**
 * The time over which values came together, in microseconds; 0: no report says. Of clients' own series: what their reports
 * cover. Of all clients together: each of them reports as often as its interval fits into the step, or once, so that all of
 * them came together over the longer one of the two.
 */
function intervalOf({ counters }: LoadValues, step: number, fleet: FleetSteps | undefined): number {
  const coveredUs = Number(counters[coveredPlace] ?? 0);
  if (fleet === undefined || coveredUs === 0) return coveredUs;
  return Math.max(meanOf(counters), stepUsOf(step, fleet));
}

/**
 * What a gauge counts. Of all clients together gauges are added up report by report, and count for a report's part of the
 * step: of each client its mean.
 */
function gaugeShareOf(covered: LoadValues | undefined, step: number, fleet: FleetSteps | undefined): number {
  if (covered === undefined || fleet === undefined) return 1;
  const stepUs = stepUsOf(step, fleet);
  return stepUs === 0 ? 1 : Math.min(1, meanOf(covered.counters) / stepUs);
}

/** Of a report's interval. */
function meanOf(counters: readonly Count[]): number {
  const reports = Number(counters[reportsPlace] ?? 0);
  return reports === 0 ? 0 : Number(counters[coveredPlace] ?? 0) / reports;
}

/** The newest step may not be over. */
function stepUsOf(step: number, { stepMs, span }: FleetSteps): number {
  return 1_000 * Math.max(0, Math.min(stepMs, span.to - span.from - step * stepMs));
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

function perSecond(count: Count, intervalUs: number): number {
  return (Number(count) * 1e6) / intervalUs;
}

function sumOrNull(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : a + b;
}
