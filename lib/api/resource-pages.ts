/** GET clients/{id}/resources and GET permalinks/{id}/resources: the rows of one client, page by page. */
import { z } from 'zod';
import { clientStatuses } from '../xds/status';
import { moment } from './moment';
import { resourceSortColumns } from './resource-sort-columns';
import { resourceRow } from './schema';

/** Rows on a page when nobody says how many, and at most. */
export const mostRowsPerPage = 1_000;
const mostWords = 20;
const mostTextChars = 1_000;

const sort = z.enum([...resourceSortColumns, ...resourceSortColumns.map((column) => `-${column}` as const)]);

export const resourcesQuery = z.object({
  /** "CDS", or a whole type URL. None: all types. */
  type: z.array(z.string()).max(100).default([]),
  status: z.array(z.enum(clientStatuses)).default([]),
  /** The whole name of the resource. */
  name: z.string().optional(),
  q: z
    .string()
    .max(mostTextChars)
    .refine((text) => text.trim().split(/\s+/).length <= mostWords, `expected at most ${mostWords} words`)
    .default(''),
  sort: sort.optional(),
  /** 0: only the counts. */
  limit: z.coerce.number().int().min(0).max(mostRowsPerPage).default(mostRowsPerPage),
  cursor: z.string().max(8_000).optional(),
});

export const resourcePage = z.object({
  items: z.array(resourceRow),
  /** Where the next page begins; null: this was the last one. */
  nextCursor: z.string().nullable(),
  /** Of the client, before any filter. */
  total: z.number().int(),
  /** That pass the filters. */
  matched: z.number().int(),
  /** In the fixed order of types. Each counts the rows that the other filters leave. */
  types: z.array(z.object({ typeUrl: z.string(), service: z.string(), count: z.number().int() })),
  /** Worst first. */
  statuses: z.array(z.object({ status: z.enum(clientStatuses), count: z.number().int() })),
  /** Not there: now. */
  moment: moment.optional(),
});

export type ResourcesQuery = z.infer<typeof resourcesQuery>;
export type ResourcePage = z.infer<typeof resourcePage>;
