import { type HistoryKind, historyKinds } from '@/lib/api/history';

/** Load reports change nothing that a client holds. */
export const travelKinds: readonly HistoryKind[] = historyKinds.filter((kind) => kind !== 'load-reported');
