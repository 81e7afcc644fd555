/** What rows can be sorted by; "-size" is from the biggest down. Rows without a value come last either way. */
export const resourceSortColumns = [
  'type',
  'name',
  /** client_status, trouble first. */
  'status',
  /** config_status, trouble first. */
  'control-plane',
  'version',
  'updated',
  'changed',
  'size',
  'hash',
] as const;
export type ResourceSortColumn = (typeof resourceSortColumns)[number];
