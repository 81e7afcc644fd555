import type { GraphNodeStatus } from '../api/schema';

/** How a status is drawn: a shape and a word, so that colour is never the only sign. */
export interface StatusShape {
  /** SVG path data in a box of 16 x 16 with its centre at (8, 8); empty for NONE. */
  readonly path: string;
  /** Filled; otherwise stroked, with `statusStrokeWidth`, round caps and joins, and no fill. */
  readonly filled: boolean;
  /** The word beside it, as in "not acknowledged yet" -> "requested"; empty for NONE. */
  readonly word: string;
  /** The CSS variable with its colour, as in "--status-acked". */
  readonly variable: string;
}

/** Stroke width of the open shapes, in the units of the 16 x 16 box. */
export const statusStrokeWidth = 1.75;

const circle = 'M8 2.75a5.25 5.25 0 1 1 0 10.5a5.25 5.25 0 0 1 0-10.5Z';

const shapes: Readonly<Record<GraphNodeStatus, StatusShape>> = {
  ACKED: { path: circle, filled: true, word: 'acked', variable: '--status-acked' },
  REQUESTED: { path: circle, filled: false, word: 'requested', variable: '--status-requested' },
  // A triangle, pointing up.
  NACKED: { path: 'M8 1.75L14.75 13.5H1.25Z', filled: true, word: 'nacked', variable: '--status-nacked' },
  // A cross.
  DOES_NOT_EXIST: {
    path: 'M3.5 3.5L12.5 12.5M12.5 3.5L3.5 12.5',
    filled: false,
    word: 'does not exist',
    variable: '--status-does-not-exist',
  },
  // An hourglass.
  TIMEOUT: {
    path: 'M3.25 1.75H12.75L9 8L12.75 14.25H3.25L7 8Z',
    filled: true,
    word: 'timeout',
    variable: '--status-timeout',
  },
  // A square.
  RECEIVED_ERROR: {
    path: 'M3 3H13V13H3Z',
    filled: true,
    word: 'received error',
    variable: '--status-received-error',
  },
  // A question mark; its dot is a line of no length with round caps.
  UNKNOWN: {
    path: 'M5 5.5a3 3 0 1 1 4.6 2.5C8.5 8.7 8 9.2 8 10.25M8 13.25V13.26',
    filled: false,
    word: 'unknown',
    variable: '--status-unknown',
  },
  // A check mark.
  HEALTHY: {
    path: 'M2.75 8.5L6.5 12.25L13.25 4.25',
    filled: false,
    word: 'healthy',
    variable: '--status-healthy',
  },
  // A diamond.
  UNHEALTHY: {
    path: 'M8 1.25L14.75 8L8 14.75L1.25 8Z',
    filled: true,
    word: 'unhealthy',
    variable: '--status-unhealthy',
  },
  // An arrow downwards.
  DRAINING: {
    path: 'M8 2.5V13.25M3.5 8.75L8 13.25L12.5 8.75',
    filled: false,
    word: 'draining',
    variable: '--status-draining',
  },
  // The lower half of a circle.
  DEGRADED: {
    path: 'M2.25 6.5H13.75A5.75 5.75 0 0 1 2.25 6.5Z',
    filled: true,
    word: 'degraded',
    variable: '--status-degraded',
  },
  // A ring in four pieces.
  MISSING: {
    path: 'M6.2 3.06A5.25 5.25 0 0 1 9.8 3.06M12.94 6.2A5.25 5.25 0 0 1 12.94 9.8M9.8 12.94A5.25 5.25 0 0 1 6.2 12.94M3.06 9.8A5.25 5.25 0 0 1 3.06 6.2',
    filled: false,
    word: 'missing',
    variable: '--status-missing',
  },
  NONE: { path: '', filled: false, word: '', variable: '--text-muted' },
};

export function statusShape(status: GraphNodeStatus): StatusShape {
  return shapes[status];
}
