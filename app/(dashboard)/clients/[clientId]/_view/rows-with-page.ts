import { prefetchLimit } from '@/app/_components/shell/prefetch-limit';
import type { ResourceRow } from '@/lib/api/schema';

/** The rows that travel inside the page; undefined where they are too many: then they come beside it. */
export function rowsWithPage(rows: readonly ResourceRow[] | undefined): readonly ResourceRow[] | undefined {
  return rows !== undefined && rows.length <= prefetchLimit ? rows : undefined;
}
