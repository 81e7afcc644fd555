import { countingKinds, type HistoryKind, historyKinds } from '@/lib/views/history/history-kinds';

/** Load reports and counts of RPCs do not change the client's config. */
export const travelKinds: readonly HistoryKind[] = historyKinds.filter((kind) => !countingKinds.has(kind));
