import type { HistoryEvent } from '../../api/history';

/** Newest first: by time, then by the log's order. Pages are cut in the log's order, which cursors follow. */
export function sortEvents<Event extends Pick<HistoryEvent, 'at' | 'seq'>>(
  events: readonly Event[],
): Event[] {
  // Times are in UTC with milliseconds: their texts sort as they do.
  return [...events].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : b.seq - a.seq));
}
