import { rejectionKey } from '../../nacks/rejection-key';
import { formatResourceType } from '../../xds/resource-type';
import type { NotableEvent } from '../events/schema';

/** A line of the list of events: an event, equal NACKs, or several changes of sources. */
export type EventLine =
  | { readonly kind: 'event'; readonly event: NotableEvent }
  /** A NACK that was reported more than once, at the position of its newest event. */
  | ({ readonly kind: 'rejections' } & RejectionRun)
  | {
      readonly kind: 'sources';
      /** Newest first, as in the list; at least `leastGrouped`. */
      readonly events: readonly NotableEvent[];
      /** Sources by their newest event. */
      readonly up: number;
      readonly down: number;
      /** Sources of `up` that were down within these events. */
      readonly recovered: number;
      /** The number of ended streams. */
      readonly closed: number;
    };

const leastGrouped = 3;
/** Events further apart are not grouped. */
const apartMs = 60_000;
const sourceKinds: ReadonlySet<string> = new Set(['source-up', 'source-down', 'stream-closed']);

/** Groups the events of sources, which are many after a start or a network failure, and equal NACKs. */
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
    const isNear = before === undefined || before.at - event.at <= apartMs;
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

export function formatEventReason({ text, typeUrl, resourceName, status }: NotableEvent): string {
  if (typeUrl === undefined || resourceName === undefined) return text;
  const subject = `${formatResourceType(typeUrl)} ${resourceName}`;
  if (!text.startsWith(subject)) return text;
  let rest = text.slice(subject.length).replace(/^[:\s]+/, '');
  if (status !== undefined && rest.startsWith(status))
    rest = rest.slice(status.length).replace(/^[:\s]+/, '');
  return rest;
}

/** Equal NACKs of one resource by one client, without other events of the resource in between. */
interface RejectionRun {
  /** Newest first. */
  readonly events: readonly NotableEvent[];
  /** The number of NACKs by the source that reported most, since a tap and a poll may report the same NACK. */
  readonly times: number;
}

/**
 * Groups the NACKs of a list that is sorted newest first, by their newest events. A server that sends a rejected resource
 * again causes a NACK each time.
 */
function groupRejections(events: readonly NotableEvent[]): ReadonlyMap<NotableEvent, RejectionRun> {
  const runs = new Map<NotableEvent, NotableEvent[]>();
  const open = new Map<string, { readonly key: string; readonly run: NotableEvent[] }>();
  for (const event of events) {
    const { clientId, typeUrl, resourceName, status } = event;
    if (clientId === undefined || typeUrl === undefined || resourceName === undefined) continue;
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
