import {
  arrowDown,
  brokenRing,
  cross,
  filledShape,
  hourglass,
  plus,
  type Shape,
  strokedShape,
} from '../drawing/shape';
import type { HistoryKind } from './history-kinds';

const openCircle = 'M8 3.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9Z';
const circle = 'M8 3.25a4.75 4.75 0 1 1 0 9.5a4.75 4.75 0 0 1 0-9.5Z';
const triangle = 'M8 1L15.5 14.25H0.5Z';
const diamond = 'M8 2L14 8L8 14L2 8Z';
const openSquare = 'M3.5 3.5H12.5V12.5H3.5Z';
const smallSquare = 'M4 4H12V12H4Z';
const opposedArrows = 'M2.5 5.5H13M10.5 3L13 5.5L10.5 8M13.5 11H3M5.5 8.5L3 11L5.5 13.5';
const boxWithDot = 'M3 3H13V13H3ZM7.5 7.5H8.5V8.5H7.5Z';

/** Requests, ACKs and NACKs have the shapes of REQUESTED, ACKED and NACKED. */
const shapes: Readonly<Record<HistoryKind, Shape>> = {
  'request-sent': strokedShape(openCircle, 'request', '--status-requested'),
  'response-received': filledShape(diamond, 'response', '--type-listener'),
  'ack-sent': filledShape(circle, 'ACK', '--status-acked'),
  'nack-sent': filledShape(triangle, 'NACK', '--status-nacked'),
  'stream-opened': strokedShape('M11 2.5H6V13.5H11', 'stream opened', '--text-muted'),
  'stream-closed': strokedShape('M5 2.5H10V13.5H5', 'stream closed', '--status-received-error'),
  'timer-expired': filledShape(hourglass, 'timer expired', '--status-timeout'),
  'cache-changed': strokedShape(openSquare, 'cache changed', '--text-muted'),
  'server-switched': strokedShape(opposedArrows, 'server switched', '--status-timeout'),
  'client-config-changed': filledShape(smallSquare, 'config changed', '--type-cluster'),
  'client-gone': strokedShape(cross, 'client gone', '--status-does-not-exist'),
  'load-reported': strokedShape('M3.5 13V9M8 13V4M12.5 13V7', 'load report', '--type-endpoint'),
  'connections-changed': strokedShape(
    'M2.5 8H6M10 8H13.5M6 5.5V10.5M10 5.5V10.5',
    'connections changed',
    '--type-endpoint',
  ),
  'rpcs-counted': strokedShape('M3.5 5H12.5M3.5 8H9.5M3.5 11H11', 'RPCs counted', '--type-endpoint'),
  'rpc-block-counted': strokedShape(
    'M3 13V6H6V13M7 13V3H10V13M11 13V8H13.5V13',
    'block of RPCs',
    '--type-endpoint',
  ),
  'test-client-configured': strokedShape(
    'M2.5 5.5H8M11 5.5H13.5M9.5 4V7M2.5 10.5H5M8 10.5H13.5M6.5 9V12',
    'test client configured',
    '--accent',
  ),
  'test-server-set': strokedShape('M3 3H13V7H3ZM3 9H13V13H3ZM5 5H6M5 11H6', 'test server set', '--accent'),
  'interop-step': strokedShape('M3 13V3H12L9.5 6L12 9H3', 'step of an interop case', '--accent'),
  'copies-dropped': strokedShape(brokenRing, 'not recorded', '--status-missing'),
  'source-declared': strokedShape(boxWithDot, 'source declared', '--accent'),
  'source-up': strokedShape('M8 13.5V2.75M3.5 7.25L8 2.75L12.5 7.25', 'source up', '--status-healthy'),
  'source-down': strokedShape(arrowDown, 'source down', '--status-unhealthy'),
  'lab-event': strokedShape(plus, 'lab', '--accent'),
};

export function eventShape(kind: HistoryKind): Shape {
  return shapes[kind];
}

/** Kinds that are trouble whatever their content is. */
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
