import { formatCounted } from '../../format/count';
import type { FleetCountsRow } from './schema';

/** "2 clients stale, 1 client gone"; empty if all are live or nothing is known yet. */
export function formatPartial(counts: Pick<FleetCountsRow, 'stale' | 'gone'> | undefined): string {
  const { stale = 0, gone = 0 } = counts ?? {};
  const parts = [
    stale > 0 ? `${formatCounted(stale, 'client')} stale` : '',
    gone > 0 ? `${formatCounted(gone, 'client')} gone` : '',
  ];
  return parts.filter(Boolean).join(', ');
}
