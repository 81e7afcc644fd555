import type { ResourceRow } from '@/lib/observation/resource-row';

/** Rows that change: whoever waits for a graph gets the one of the rows as they are when its turn comes. */
export interface LiveRows {
  /** The list keeps its name over all changes, so that only what changed is looked at. */
  readonly list: string;
  readonly rows: () => readonly ResourceRow[] | Promise<readonly ResourceRow[]>;
}
