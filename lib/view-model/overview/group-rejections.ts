import type { NotableEvent } from '../../api/schema';
import { rejectionKey } from '../../nacks/rejection-key';
import { formatEventReason } from './event-reason';

/** NACKs of one resource by one client, in the same words, with nothing else of that resource between. */
export interface RejectionRun {
  /** Newest first. */
  readonly events: readonly NotableEvent[];
  /** How often it was rejected, as the source that saw most of it reports: a tap and a poll see the same one. */
  readonly times: number;
}

/**
 * The runs of a list that is newest first, each by its newest event. A server that sends a rejected resource again is
 * answered by a NACK each time: one line with a count, so that nothing else is lost among them.
 */
export function groupRejections(events: readonly NotableEvent[]): ReadonlyMap<NotableEvent, RejectionRun> {
  const runs = new Map<NotableEvent, NotableEvent[]>();
  const open = new Map<string, { readonly key: string; readonly run: NotableEvent[] }>();
  for (const event of events) {
    const { clientId, typeUrl, resourceName, status } = event;
    if (clientId === null || typeUrl === null || resourceName === null) continue;
    const subject = JSON.stringify([clientId, typeUrl, resourceName]);
    if (status !== 'NACKED') {
      open.delete(subject);
      continue;
    }
    const key = rejectionKey({ typeUrl, name: resourceName }, formatEventReason(event));
    const known = open.get(subject);
    if (known?.key === key) {
      known.run.push(event);
      continue;
    }
    const run = [event];
    runs.set(event, run);
    open.set(subject, { key, run });
  }
  return new Map([...runs].map(([newest, run]) => [newest, { events: run, times: timesOf(run) }]));
}

function timesOf(run: readonly NotableEvent[]): number {
  const bySource = new Map<string, number>();
  for (const { sourceId } of run) bySource.set(sourceId, (bySource.get(sourceId) ?? 0) + 1);
  return Math.max(...bySource.values());
}
