import { type HistoryKind, historyKinds } from '@/lib/views/history/history-kinds';

/** Load reports do not change the client's config. */
export const travelKinds: readonly HistoryKind[] = historyKinds.filter((kind) => kind !== 'load-reported');
