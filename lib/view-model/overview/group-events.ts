import type { NotableEvent } from '../../api/schema';
import { groupRejections, type RejectionRun } from './group-rejections';

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
