import type { GraphNodeStatus } from './node-status';
import {
  arrowDown,
  brokenRing,
  checkMark,
  circle,
  cross,
  diamond,
  ellipsis,
  filledShape,
  hourglass,
  type Shape,
  strokedShape,
  unknownMark,
} from './shape';

/** Stroke width of the open shapes, in the units of the 16 x 16 box. */
export const statusStrokeWidth = 1.75;

const triangle = 'M8 1.75L14.75 13.5H1.25Z';
const square = 'M3 3H13V13H3Z';
/** The hole in its right half has the opposite direction. */
const halfFilledCircle = 'M8 2a6 6 0 1 1 0 12a6 6 0 0 1 0-12ZM8 3.75V12.25A4.25 4.25 0 0 0 8 3.75Z';
/** The hole between ring and dot has the opposite direction. */
const ringWithDot =
  'M8 2a6 6 0 1 1 0 12a6 6 0 0 1 0-12ZM8 3.75a4.25 4.25 0 1 0 0 8.5a4.25 4.25 0 0 0 0-8.5ZM8 6a2 2 0 1 1 0 4a2 2 0 0 1 0-4Z';
const lowerHalfCircle = 'M2.25 6.5H13.75A5.75 5.75 0 0 1 2.25 6.5Z';

const shapes: Readonly<Record<GraphNodeStatus, Shape>> = {
  ACKED: filledShape(circle, 'ACKED', '--status-acked'),
  REQUESTED: strokedShape(circle, 'REQUESTED', '--status-requested'),
  NACKED: filledShape(triangle, 'NACKED', '--status-nacked'),
  DOES_NOT_EXIST: strokedShape(cross, 'DOES_NOT_EXIST', '--status-does-not-exist'),
  TIMEOUT: filledShape(hourglass, 'TIMEOUT', '--status-timeout'),
  RECEIVED_ERROR: filledShape(square, 'RECEIVED_ERROR', '--status-received-error'),
  UNKNOWN: strokedShape(unknownMark, 'UNKNOWN', '--status-unknown'),
  HEALTHY: strokedShape(checkMark, 'healthy', '--status-healthy'),
  UNHEALTHY: filledShape(diamond, 'unhealthy', '--status-unhealthy'),
  WARMING: filledShape(halfFilledCircle, 'WARMING', '--status-warming'),
  NO_ANSWER: strokedShape(ellipsis, 'NO_ANSWER', '--status-no-answer'),
  DRAINING: strokedShape(arrowDown, 'DRAINING', '--status-draining'),
  ACTIVE: filledShape(ringWithDot, 'ACTIVE', '--status-active'),
  DEGRADED: filledShape(lowerHalfCircle, 'degraded', '--status-degraded'),
  MISSING: strokedShape(brokenRing, 'missing', '--status-missing'),
  NONE: strokedShape('', '', '--text-muted'),
};

export function statusShape(status: GraphNodeStatus): Shape {
  return shapes[status];
}
