import type { LoadGrouping, LoadMeasure } from '../../load/load-question';

export interface LoadGroupingChoice {
  readonly value: LoadGrouping;
  readonly label: string;
  /** What one line is, as a column's head. */
  readonly head: string;
  readonly measures: readonly LoadMeasure[];
}

const requests = ['requests', 'error-ratio', 'in-flight'] as const;

/** Groupings over time, and what can be reported each. */
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
  requests: { label: 'Requests', text: 'That ended, a second, over the time that the reports cover' },
  errors: { label: 'Errors', text: 'Requests that ended in an error, a second' },
  'error-ratio': { label: 'Errors', text: 'Of the requests that ended' },
  'in-flight': {
    label: 'In flight',
    text: 'At the newest report of the step, for several clients the mean over it; a client that omits a locality adds nothing to it',
  },
  drops: { label: 'Dropped', text: 'On purpose, a second: by drop categories and circuit breakers' },
  metric: { label: 'Mean', text: 'Of the values that backends gave with requests (ORCA)' },
};
