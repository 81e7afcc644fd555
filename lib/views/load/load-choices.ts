import type { LoadGrouping, LoadMeasure, LoadSort } from '../../load/load-question';

export interface LoadGroupingChoice {
  readonly value: LoadGrouping;
  readonly label: string;
  /** The heading of the column of lines. */
  readonly head: string;
  readonly measures: readonly LoadMeasure[];
}

const requests = ['requests', 'error-ratio', 'in-flight'] as const;

export const loadGroupingChoices: readonly LoadGroupingChoice[] = [
  { value: 'cluster', label: 'by cluster', head: 'Cluster', measures: [...requests, 'drops'] },
  { value: 'locality', label: 'by locality', head: 'Locality', measures: requests },
  { value: 'priority', label: 'by priority', head: 'Priority', measures: requests },
  { value: 'endpoint', label: 'by endpoint', head: 'Endpoint', measures: requests },
  { value: 'client', label: 'by client', head: 'Client', measures: [...requests, 'drops'] },
  {
    ...{ value: 'client-locality', label: 'client to locality', head: 'From a client to a locality' },
    measures: requests,
  },
  { value: 'drop-category', label: 'drops by category', head: 'Category', measures: ['drops'] },
  { value: 'metric', label: 'custom metrics', head: 'Metric', measures: ['metric'] },
];

interface LoadMeasureText {
  readonly label: string;
  readonly unit: string;
  readonly text: string;
  /** The order of the lines that a press on the heading chooses. */
  readonly sort: LoadSort;
}

export const loadMeasureTexts: Readonly<Record<LoadMeasure, LoadMeasureText>> = {
  requests: {
    ...{ label: 'Requests', unit: 'per second', sort: 'size' },
    text: 'Completed requests per second of the reports’ intervals',
  },
  errors: {
    ...{ label: 'Errors', unit: 'per second', sort: 'errors' },
    text: 'Failed requests per second',
  },
  'error-ratio': {
    ...{ label: 'Errors', unit: 'share of requests', sort: 'errors' },
    text: 'Share of the completed requests that failed; rows are sorted by the number of failed requests',
  },
  'in-flight': {
    ...{ label: 'In flight', unit: 'requests', sort: 'in-flight' },
    text: 'At the newest report of the step, for several clients the mean over it; a client that omits a locality adds nothing to it',
  },
  drops: {
    ...{ label: 'Dropped', unit: 'per second', sort: 'drops' },
    text: 'Dropped per second by drop categories and circuit breakers',
  },
  metric: {
    ...{ label: 'Mean', unit: 'unit of the metric', sort: 'size' },
    text: 'Mean of the values that backends report with requests (ORCA); rows are sorted by the number of values',
  },
};

/** Measures that are drawn in the color of trouble. */
export function isTroubleMeasure(measure: LoadMeasure): boolean {
  return measure === 'error-ratio' || measure === 'errors' || measure === 'drops';
}

/** The order of the lines, which one of the columns shows: errors first unless no column shows errors. */
export function findLoadSort({ measures }: Pick<LoadGroupingChoice, 'measures'>, chosen: string): LoadSort {
  const sorts = measures.map((measure) => loadMeasureTexts[measure].sort);
  return (
    sorts.find((sort) => sort === chosen) ?? sorts.find((sort) => sort === 'errors') ?? sorts[0] ?? 'size'
  );
}
