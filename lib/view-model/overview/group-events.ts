import type { NotableEvent } from '../../api/schema';
import { rejectionKey } from '../../nacks/rejection-key';
import { formatResourceType } from '../../xds/resource-type';

/** A line of the list of what happened: an event, equal NACKs, or a run of connections that came and went. */
export type EventLine =
  | { readonly kind: 'event'; readonly event: NotableEvent }
  /** Reported more than once; where its newest event is. */
  | ({ readonly kind: 'rejections' } & RejectionRun)
  | {
      readonly kind: 'sources';
      /** Newest first, as in the list; at least `leastGrouped`. */
      readonly events: readonly NotableEvent[];
      /** Sources by the newest word on each. */
      readonly up: number;
      readonly down: number;
      /** Of `up`: those that were down within this run. */
      readonly recovered: number;
      /** Streams that ended. */
      readonly closed: number;
    };

const leastGrouped = 3;
/** What is further apart has another cause. */
const apartMs = 60_000;
const sourceKinds: ReadonlySet<string> = new Set(['source-up', 'source-down', 'stream-closed']);

/** A start, or a network that fails, says the same of every source: one line, so that NACKs are not lost among them. */
export function groupEvents(events: readonly NotableEvent[]): EventLine[] {
  const lines: EventLine[] = [];
  let run: NotableEvent[] = [];
  const rejections = groupRejections(events);
  const repeated = new Set([...rejections.values()].flatMap((reported) => reported.events.slice(1)));
  const flush = (): void => {
    if (run.length >= leastGrouped) lines.push(groupSources(run));
    else lines.push(...run.map((event) => ({ kind: 'event' as const, event })));
    run = [];
  };
  for (const event of events) {
    if (repeated.has(event)) continue;
    const before = run.at(-1);
    const isSource = sourceKinds.has(event.kind);
    const isNear = before === undefined || Date.parse(before.at) - Date.parse(event.at) <= apartMs;
    if (!isSource || !isNear) flush();
    if (isSource) run.push(event);
    else lines.push(lineOf(event, rejections.get(event)));
  }
  flush();
  return lines;
}

function lineOf(event: NotableEvent, reported: RejectionRun | undefined): EventLine {
  return reported === undefined || reported.events.length === 1
    ? { kind: 'event', event }
    : { kind: 'rejections', ...reported };
}

function groupSources(events: readonly NotableEvent[]): EventLine {
  const newest = new Map<string, NotableEvent>();
  const wereDown = new Set<string>();
  for (const event of events) {
    if (event.kind === 'stream-closed') continue;
    if (!newest.has(event.sourceId)) newest.set(event.sourceId, event);
    if (event.kind === 'source-down') wereDown.add(event.sourceId);
  }
  const up = [...newest.values()].filter(({ kind }) => kind === 'source-up');
  return {
    kind: 'sources',
    events,
    up: up.length,
    down: newest.size - up.length,
    recovered: up.filter(({ sourceId }) => wereDown.has(sourceId)).length,
    closed: events.filter(({ kind }) => kind === 'stream-closed').length,
  };
}

/** The event's text without the type, name and status that stand beside it already. */
export function formatEventReason({ text, typeUrl, resourceName, status }: NotableEvent): string {
  if (typeUrl === null || resourceName === null) return text;
  const subject = `${formatResourceType(typeUrl)} ${resourceName}`;
  if (!text.startsWith(subject)) return text;
  let rest = text.slice(subject.length).replace(/^[:\s]+/, '');
  if (status !== null && rest.startsWith(status)) rest = rest.slice(status.length).replace(/^[:\s]+/, '');
  return rest;
}

/** NACKs of one resource by one client, in the same words, with nothing else of that resource between. */
interface RejectionRun {
  /** Newest first. */
  readonly events: readonly NotableEvent[];
  /** How often it was rejected, as the source that saw most of it reports: a tap and a poll see the same one. */
  readonly times: number;
}

/**
 * The runs of a list that is newest first, each by its newest event. A server that sends a rejected resource again is
 * answered by a NACK each time: one line with a count, so that nothing else is lost among them.
 */
function groupRejections(events: readonly NotableEvent[]): ReadonlyMap<NotableEvent, RejectionRun> {
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
