import { nameParts } from '../../format/names/name-part';

/** The columns that rows can be sorted by; "-size" is descending. Rows without a value come last in both directions. */
export const resourceSortColumns = [
  'type',
  'name',
  /** The column sorts by state, the worst first. */
  'status',
  /** The column sorts by config_status, trouble first. */
  'control-plane',
  'version',
  'updated',
  'changed',
  'size',
  'hash',
  /** Parts of the name, by the convention of its control plane. */
  ...nameParts,
] as const;
export type ResourceSortColumn = (typeof resourceSortColumns)[number];
