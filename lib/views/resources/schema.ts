/** GET clients/{id}/resources and GET permalinks/{id}/resources: the rows of one client, page by page. */
import * as z from 'zod';
import { states } from '../../xds/status';
import { moment } from '../fields/moment';
import { described } from '../fields/query-fields';
import { resourceRow } from './row-schema';
import { resourceSortColumns } from './sort-columns';

/** The default and the limit of rows on a page. */
const mostRowsPerPage = 1_000;
const mostTextChars = 1_000;

const resourceSort = z.enum([
  ...resourceSortColumns,
  ...resourceSortColumns.map((column) => `-${column}` as const),
]);

export const resourcesQuery = z.object({
  type: described(
    z.array(z.string()).max(100).default([]),
    'Only this type, as in CDS, or a type URL. Repeatable.',
  ),
  status: described(z.array(z.enum(states)).default([]), 'Only this state. Repeatable.'),
  name: described(z.string().optional(), 'Only the resource of this name.'),
  q: described(
    z.string().max(mostTextChars).default(''),
    `A filter: words, each of which occurs in the name, the version, the hash or the error message, and expressions, as in type=CDS name~cart status=NACKED since=10m. Parts that are not valid do not filter.`,
  ),
  sort: described(
    resourceSort.optional(),
    'Default: types in their fixed order, then names. status: the worst state first.',
  ),
  limit: described(
    z.coerce.number<number>().int().min(0).max(mostRowsPerPage).default(mostRowsPerPage),
    'The largest number of resources in the answer; 0 for the counts alone.',
  ),
  cursor: described(
    z.string().max(8_000).optional(),
    '`nextCursor` of the previous page, which was requested with the same sort.',
  ),
});

export const resourcePage = z.object({
  items: z.array(resourceRow),
  /** The cursor of the next page; absent: this is the last one. */
  nextCursor: z.string().optional(),
  /** The number of rows before any filter. */
  total: z.number().int(),
  /** The number of rows that pass the filters. */
  matched: z.number().int(),
  /**
   * The number of these rows that are documents that a process reports about itself, which are not resources; absent:
   * none.
   */
  documents: z.object({ total: z.number().int(), matched: z.number().int() }).optional(),
  /** The types in their fixed order. Each count applies all other filters. */
  types: z.array(z.object({ typeUrl: z.string(), service: z.string(), count: z.number().int() })),
  /** Worst first. */
  statuses: z.array(z.object({ status: z.enum(states), count: z.number().int() })),
  /** Absent: now. */
  moment: moment.optional(),
});

export type ResourcesQuery = z.infer<typeof resourcesQuery>;
export type ResourcePage = z.infer<typeof resourcePage>;
