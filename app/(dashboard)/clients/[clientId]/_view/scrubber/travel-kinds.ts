import { type HistoryKind, historyKinds } from '@/lib/api/history-kinds';

/** Load reports change nothing that a client holds. */
export const travelKinds: readonly HistoryKind[] = historyKinds.filter((kind) => kind !== 'load-reported');
