import type { HistoryKind } from '../../api/history-kinds';

/** How a kind of event is drawn: a shape and a word, so that colour is never the only sign. */
export interface EventShape {
  /** SVG path data in a box of 16 x 16 with its centre at (8, 8). */
  readonly path: string;
  /** Filled; otherwise stroked, with round caps and joins, and no fill. */
  readonly filled: boolean;
  readonly word: string;
  /** The CSS variable with its colour, as in "--status-acked". */
  readonly variable: string;
}

const shapes: Readonly<Record<HistoryKind, EventShape>> = {
  // As the statuses: REQUESTED is an open circle, ACKED a filled one, NACKED a triangle.
  'request-sent': {
    path: 'M8 3.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9Z',
    filled: false,
    word: 'request',
    variable: '--status-requested',
  },
  // A diamond.
  'response-received': {
    path: 'M8 2L14 8L8 14L2 8Z',
    filled: true,
    word: 'response',
    variable: '--type-listener',
  },
  'ack-sent': {
    path: 'M8 3.25a4.75 4.75 0 1 1 0 9.5a4.75 4.75 0 0 1 0-9.5Z',
    filled: true,
    word: 'ACK',
    variable: '--status-acked',
  },
  'nack-sent': {
    path: 'M8 1L15.5 14.25H0.5Z',
    filled: true,
    word: 'NACK',
    variable: '--status-nacked',
  },
  // Brackets: what opens, and what closes.
  'stream-opened': {
    path: 'M11 2.5H6V13.5H11',
    filled: false,
    word: 'stream opened',
    variable: '--text-muted',
  },
  'stream-closed': {
    path: 'M5 2.5H10V13.5H5',
    filled: false,
    word: 'stream closed',
    variable: '--status-received-error',
  },
  // An hourglass.
  'timer-expired': {
    path: 'M3.25 1.75H12.75L9 8L12.75 14.25H3.25L7 8Z',
    filled: true,
    word: 'timer expired',
    variable: '--status-timeout',
  },
  // An open square.
  'cache-changed': {
    path: 'M3.5 3.5H12.5V12.5H3.5Z',
    filled: false,
    word: 'cache changed',
    variable: '--text-muted',
  },
  // Two arrows.
  'server-switched': {
    path: 'M2.5 5.5H13M10.5 3L13 5.5L10.5 8M13.5 11H3M5.5 8.5L3 11L5.5 13.5',
    filled: false,
    word: 'server switched',
    variable: '--status-timeout',
  },
  // A filled square, smaller than that of an error.
  'client-config-changed': {
    path: 'M4 4H12V12H4Z',
    filled: true,
    word: 'config changed',
    variable: '--type-cluster',
  },
  // A cross.
  'client-gone': {
    path: 'M3.5 3.5L12.5 12.5M12.5 3.5L3.5 12.5',
    filled: false,
    word: 'client gone',
    variable: '--status-does-not-exist',
  },
  // Bars.
  'load-reported': {
    path: 'M3.5 13V9M8 13V4M12.5 13V7',
    filled: false,
    word: 'load report',
    variable: '--type-endpoint',
  },
  // A ring in four pieces: it is not there.
  'copies-dropped': {
    path: 'M6.2 3.06A5.25 5.25 0 0 1 9.8 3.06M12.94 6.2A5.25 5.25 0 0 1 12.94 9.8M9.8 12.94A5.25 5.25 0 0 1 6.2 12.94M3.06 9.8A5.25 5.25 0 0 1 3.06 6.2',
    filled: false,
    word: 'not recorded',
    variable: '--status-missing',
  },
  // A box with a dot.
  'source-declared': {
    path: 'M3 3H13V13H3ZM7.5 7.5H8.5V8.5H7.5Z',
    filled: false,
    word: 'source declared',
    variable: '--accent',
  },
  // Arrows up and down.
  'source-up': {
    path: 'M8 13.5V2.75M3.5 7.25L8 2.75L12.5 7.25',
    filled: false,
    word: 'source up',
    variable: '--status-healthy',
  },
  'source-down': {
    path: 'M8 2.5V13.25M3.5 8.75L8 13.25L12.5 8.75',
    filled: false,
    word: 'source down',
    variable: '--status-unhealthy',
  },
  // A plus.
  'lab-event': { path: 'M8 2.5V13.5M2.5 8H13.5', filled: false, word: 'lab', variable: '--accent' },
};

export function eventShape(kind: HistoryKind): EventShape {
  return shapes[kind];
}

/** Kinds that are trouble whatever they say. */
const troubles: ReadonlySet<HistoryKind> = new Set([
  'nack-sent',
  'timer-expired',
  'client-gone',
  'copies-dropped',
  'source-down',
]);

export function isTroubleKind(kind: HistoryKind): boolean {
  return troubles.has(kind);
}
