import { addCounts, type Count } from './count';
import {
  addLoadTotals,
  type LoadCounter,
  type LoadGroup,
  type LoadGroupKey,
  type LoadMeasure,
  type LoadSort,
  type LoadTotals,
} from './load-question';
import type { LoadSeries } from './load-series';
import { counterOf, counterPlace, gaugeOf, type LoadValues } from './load-values';

interface Cell {
  successful: number;
  errors: number;
  /** null if no report contains its interval. */
  successfulPerSecond: number | null;
  errorsPerSecond: number | null;
  droppedPerSecond: number | null;
  /** null if it is not reported. */
  inProgress: number | null;
  metricCount: number;
  metricSum: number;
}

const emptyCell: Cell = {
  ...{ successful: 0, errors: 0, metricCount: 0, metricSum: 0, inProgress: null },
  ...{ successfulPerSecond: null, errorsPerSecond: null, droppedPerSecond: null },
};

/** Time steps of sums over all clients. `stepMs` is 0 for totals, which have no rates. */
export interface FleetSteps {
  readonly stepMs: number;
  readonly span: { readonly from: number; readonly to: number };
}

/** Values by step; steps without reports are absent. */
type Steps = readonly LoadValues[];

/** Adds up the series of a group. MUTABLE. */
export class LoadDraft {
  readonly #key: LoadGroupKey;

  /** The cells by step; steps without reports are absent. */
  readonly #cells: (Cell | undefined)[] = [];
  #totals: { -readonly [Key in keyof LoadTotals]: LoadTotals[Key] } = addLoadTotals([]);

  /** `name` is unique for each key. */
  constructor(
    key: LoadGroupKey,
    readonly name: string,
  ) {
    this.#key = key;
  }

  rankOf(sort: LoadSort): number {
    const { successful, errors, dropped, metricCount } = this.#totals;
    switch (sort) {
      case 'size':
        return Number(successful) + Number(errors) + Number(dropped) + Number(metricCount);
      case 'errors':
        return Number(errors);
      case 'drops':
        return Number(dropped);
      case 'in-flight':
        return this.#cells.findLast((cell) => cell !== undefined)?.inProgress ?? 0;
    }
  }

  /** `cluster` contains the reports of the same scope and their intervals, which rates are computed from. */
  add(
    { scope, part: { kind }, steps }: LoadSeries & { readonly steps: Steps },
    cluster?: Steps,
    fleet?: FleetSteps,
  ): void {
    steps.forEach((values, step) => {
      this.#totals.lastAt = Math.max(this.#totals.lastAt, values.at);
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
          cell.inProgress =
            (cell.inProgress ?? 0) +
            Number(gaugeOf(kind, values, 'inProgress') ?? 0) * gaugeShareOf(covered, step, fleet);
          break;
        case 'metric':
          this.#addMetric(values, cell);
          break;
      }
    });
  }

  #count(name: LoadCounter, count: Count): void {
    this.#totals[name] = addCounts(this.#totals[name], count);
  }

  #addCluster(values: LoadValues, isTimed: boolean): void {
    const reports = counterOf('cluster', values, 'reports');
    this.#count('reports', reports);
    if (isTimed) this.#count('timedReports', reports);
    this.#count('coveredUs', counterOf('cluster', values, 'intervalUs'));
  }

  #addDropped(dropped: Count, cell: Cell, intervalUs: number): void {
    this.#count('dropped', dropped);
    if (intervalUs > 0) cell.droppedPerSecond = (cell.droppedPerSecond ?? 0) + perSecond(dropped, intervalUs);
  }

  #addRequests(places: RequestPlaces, { counters }: LoadValues, cell: Cell, intervalUs: number): void {
    const successful = counters[places.successful] ?? 0;
    const errors = counters[places.errors] ?? 0;
    this.#count('successful', successful);
    this.#count('errors', errors);
    this.#count('issued', counters[places.issued] ?? 0);
    this.#count('issuedUnknown', counters[places.issuedUnknown] ?? 0);
    cell.successful += Number(successful);
    cell.errors += Number(errors);
    if (intervalUs === 0) return;
    cell.successfulPerSecond = (cell.successfulPerSecond ?? 0) + perSecond(successful, intervalUs);
    cell.errorsPerSecond = (cell.errorsPerSecond ?? 0) + perSecond(errors, intervalUs);
  }

  #addMetric(values: LoadValues, cell: Cell): void {
    const count = counterOf('metric', values, 'count');
    this.#count('metricCount', count);
    this.#count('metricNotFinite', counterOf('metric', values, 'notFinite'));
    this.#totals.metricSum += values.sum;
    cell.metricCount += Number(count);
    cell.metricSum += values.sum;
  }

  merge(other: LoadDraft): void {
    this.#totals = addLoadTotals([this.#totals, other.#totals]);
    for (const [step, otherCell] of other.#cells.entries()) {
      if (otherCell === undefined) continue;
      const cell = this.#cell(step);
      cell.successful += otherCell.successful;
      cell.errors += otherCell.errors;
      cell.successfulPerSecond = sumOrNull(cell.successfulPerSecond, otherCell.successfulPerSecond);
      cell.errorsPerSecond = sumOrNull(cell.errorsPerSecond, otherCell.errorsPerSecond);
      cell.droppedPerSecond = sumOrNull(cell.droppedPerSecond, otherCell.droppedPerSecond);
      cell.inProgress = sumOrNull(cell.inProgress, otherCell.inProgress);
      cell.metricCount += otherCell.metricCount;
      cell.metricSum += otherCell.metricSum;
    }
  }

  finish(measures: readonly LoadMeasure[], steps: number): LoadGroup {
    const values: { [measure in LoadMeasure]?: (number | null)[] } = {};
    for (const measure of measures) {
      values[measure] = Array.from({ length: steps }, (_, step) => {
        const cell = this.#cells[step];
        return cell === undefined ? null : measureOf(cell, measure);
      });
    }
    return { key: this.#key, totals: this.#totals, values };
  }

  #cell(step: number): Cell {
    const known = this.#cells[step];
    if (known !== undefined) return known;
    const cell: Cell = { ...emptyCell };
    this.#cells[step] = cell;
    return cell;
  }
}

type RequestPlaces = Readonly<Record<'successful' | 'errors' | 'issued' | 'issuedUnknown', number>>;

const requestPlacesOf = (kind: 'locality' | 'endpoint'): RequestPlaces => ({
  ...{ successful: counterPlace(kind, 'successful'), errors: counterPlace(kind, 'errors') },
  ...{ issued: counterPlace(kind, 'issued'), issuedUnknown: counterPlace(kind, 'issuedUnknown') },
});

const requestPlaces = { locality: requestPlacesOf('locality'), endpoint: requestPlacesOf('endpoint') };
const coveredPlace = counterPlace('cluster', 'intervalUs');
const reportsPlace = counterPlace('cluster', 'reports');

/**
 * Returns the time that values cover, in microseconds; 0 if no report contains its interval. For the series of a client it
 * is the sum of the intervals. For sums over all clients it is the mean interval or the step, whichever is longer, since
 * each client reports once for each interval in the step, and at least once.
 */
function intervalOf({ counters }: LoadValues, step: number, fleet: FleetSteps | undefined): number {
  const coveredUs = Number(counters[coveredPlace] ?? 0);
  if (fleet === undefined || coveredUs === 0) return coveredUs;
  return Math.max(meanOf(counters), stepUsOf(step, fleet));
}

/**
 * Returns the weight of a gauge. In sums over all clients gauges are added up over reports, and are weighted with the
 * report's share of the step, which results in the mean for each client.
 */
function gaugeShareOf(covered: LoadValues | undefined, step: number, fleet: FleetSteps | undefined): number {
  if (covered === undefined || fleet === undefined) return 1;
  const stepUs = stepUsOf(step, fleet);
  return stepUs === 0 ? 1 : Math.min(1, meanOf(covered.counters) / stepUs);
}

function meanOf(counters: readonly Count[]): number {
  const reports = Number(counters[reportsPlace] ?? 0);
  return reports === 0 ? 0 : Number(counters[coveredPlace] ?? 0) / reports;
}

/** The length of a step, which for the newest one is the elapsed part. */
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
