import type { LoadGrouping, LoadMeasure } from '../../load/load-question';

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

export const loadMeasureTexts: Readonly<
  Record<LoadMeasure, { readonly label: string; readonly text: string }>
> = {
  requests: { label: 'Requests', text: 'Completed requests per second of the reports’ intervals' },
  errors: { label: 'Errors', text: 'Failed requests per second' },
  'error-ratio': { label: 'Errors', text: 'Share of the completed requests' },
  'in-flight': {
    label: 'In flight',
    text: 'At the newest report of the step, for several clients the mean over it; a client that omits a locality adds nothing to it',
  },
  drops: { label: 'Dropped', text: 'Dropped per second by drop categories and circuit breakers' },
  metric: { label: 'Mean', text: 'Mean of the values that backends report with requests (ORCA)' },
};
