/** Columns by which GET clients/{id}/connections sorts. In a file of its own, because the browser must not load zod. */
export const endpointSortColumns = [
  'cluster',
  'endpoint',
  'state',
  'since',
  'error',
  'started',
  'failed',
  'rate',
  'streams',
  'health',
  'weight',
] as const;
