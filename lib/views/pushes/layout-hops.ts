import { formatDuration } from '../../format/duration';
import type { EpochMs } from '../../xds/units';
import { leastMs, pushTimeScale } from './push-time-scale';
import type { ConvergenceClient } from './schema';

/** The places that a push passes, in the order of lanes. */
const hops = ['sotw', 'delta', 'controlPlane', 'client'] as const;
export type Hop = (typeof hops)[number];

export interface HopMark {
  readonly key: string;
  readonly x: number;
  readonly what: 'sent' | 'ACKED' | 'NACKED' | 'reported';
  readonly text: string;
}

interface HopLane {
  readonly hop: Hop;
  /** The middle of the lane. */
  readonly y: number;
  readonly marks: readonly HopMark[];
  /** The number of probes or clients in the lane. */
  readonly count: number;
}

/** CSS pixels from the drawing's top left. */
export interface HopsLayout {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly plot: { readonly x: number; readonly width: number };
  /** The end of the time axis. */
  readonly toMs: number;
  readonly lanes: readonly HopLane[];
  readonly ticks: readonly { readonly x: number; readonly label: string }[];
}

const laneHeightPx = 34;
const axisHeightPx = 36;
const right = 18;
/** More marks of one kind in a lane would lie on one another. */
const mostMarks = 300;
const decades = [1, 10, 100, 1e3, 1e4, 6e4, 6e5, 3.6e6, 3.6e7, 3.6e8];

/** Lays out when each hop received and answered the push, on a logarithmic axis from its first observation. */
export function layoutHops(
  clients: readonly ConvergenceClient[],
  {
    firstAt,
    widthPx,
    leftPx,
  }: { readonly firstAt: EpochMs; readonly widthPx: number; readonly leftPx: number },
): HopsLayout {
  const afterOf = (at: EpochMs) => Math.max(leastMs, at - firstAt);
  const events = clients.flatMap(eventsOf);
  const lastMs = Math.max(100, ...events.slice(0, 10_000).map(({ at }) => afterOf(at)));
  const plot = { x: leftPx, width: Math.max(1, widthPx - leftPx - right) };
  const toMs = lastMs * 1.3;
  const scale = pushTimeScale(plot, toMs);
  const xOf = (ms: number) => Math.round(scale(ms) * 10) / 10;
  const shown = hops.filter((hop) => events.some((event) => event.hop === hop));
  const lanes = shown.map((hop, place): HopLane => {
    const own = events.filter((event) => event.hop === hop);
    const every = Math.ceil(own.length / mostMarks);
    const marks = own
      .filter(({ what }, index) => what === 'NACKED' || index % every === 0)
      .map(({ clientId, nodeId, what, at }) => {
        const verb = what === 'reported' ? 'reported as sent' : what;
        const text = `${nodeId}: ${verb} after ${formatDuration(afterOf(at))}`;
        return { key: `${clientId} ${what}`, x: xOf(afterOf(at)), what, text };
      });
    const count = new Set(own.map(({ clientId }) => clientId)).size;
    return { hop, y: place * laneHeightPx + laneHeightPx / 2, marks, count };
  });
  const heightPx = lanes.length * laneHeightPx + axisHeightPx;
  const ticks = decades
    .filter((ms) => ms <= toMs)
    .map((ms) => ({ x: xOf(ms), label: ms === 1 ? '≤ 1 ms' : formatDuration(ms) }))
    .filter(({ x }, index, all) => index === 0 || x - (all[index - 1]?.x ?? 0) > 40);
  return { widthPx, heightPx, plot, toMs, lanes, ticks };
}

interface HopEvent {
  readonly hop: Hop;
  readonly clientId: string;
  readonly nodeId: string;
  readonly what: HopMark['what'];
  readonly at: EpochMs;
}

function eventsOf(client: ConvergenceClient): HopEvent[] {
  const { clientId, nodeId, probe, sentAt, answer, answeredAt, controlPlaneAt } = client;
  const hop = probe ?? 'client';
  const events: HopEvent[] = [];
  if (sentAt !== undefined && sentAt !== controlPlaneAt)
    events.push({ hop, clientId, nodeId, what: 'sent', at: sentAt });
  if (answeredAt !== undefined && (answer === 'ACKED' || answer === 'NACKED')) {
    events.push({ hop, clientId, nodeId, what: answer, at: answeredAt });
  }
  if (controlPlaneAt !== undefined) {
    events.push({ hop: 'controlPlane', clientId, nodeId, what: 'reported', at: controlPlaneAt });
  }
  return events;
}
