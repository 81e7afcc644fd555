import type { ReportedState } from '../../observation/connection-states';
import {
  checkMark,
  circle,
  cross,
  diamond,
  ellipsis,
  filledShape,
  type Shape,
  strokedShape,
  unknownMark,
} from '../drawing/shape';

const shapes: Readonly<Record<ReportedState, Shape>> = {
  READY: strokedShape(checkMark, 'READY', '--status-healthy'),
  IDLE: strokedShape(circle, 'IDLE', '--text-muted'),
  CONNECTING: strokedShape(ellipsis, 'CONNECTING', '--status-requested'),
  TRANSIENT_FAILURE: filledShape(diamond, 'TRANSIENT_FAILURE', '--status-unhealthy'),
  SHUTDOWN: strokedShape(cross, 'SHUTDOWN', '--text-muted'),
  UNKNOWN: strokedShape(unknownMark, 'UNKNOWN', '--status-unknown'),
  HEALTHY: strokedShape(checkMark, 'HEALTHY', '--status-healthy'),
  DEGRADED: strokedShape(ellipsis, 'DEGRADED', '--status-requested'),
  DRAINING: strokedShape(circle, 'DRAINING', '--text-muted'),
  CONNECT_FAILURE: filledShape(diamond, 'CONNECT_FAILURE', '--status-unhealthy'),
  UNHEALTHY: filledShape(diamond, 'UNHEALTHY', '--status-unhealthy'),
  EJECTED: strokedShape(cross, 'EJECTED', '--status-unhealthy'),
};

export function connectionShape(state: ReportedState): Shape {
  return shapes[state];
}
