import type { ReportedState } from '../../observation/connection-states';
import { checkMark, cross, filledShape, type Shape, strokedShape } from '../drawing/shape';

const circle = 'M8 2.75a5.25 5.25 0 1 1 0 10.5a5.25 5.25 0 0 1 0-10.5Z';
const diamond = 'M8 1.25L14.75 8L8 14.75L1.25 8Z';
const ellipsis = 'M2.5 8V8.01M8 8V8.01M13.5 8V8.01';
const questionMark = 'M5 5.5a3 3 0 1 1 4.6 2.5C8.5 8.7 8 9.2 8 10.25M8 13.25V13.26';

const shapes: Readonly<Record<ReportedState, Shape>> = {
  READY: strokedShape(checkMark, 'READY', '--status-healthy'),
  IDLE: strokedShape(circle, 'IDLE', '--text-muted'),
  CONNECTING: strokedShape(ellipsis, 'CONNECTING', '--status-requested'),
  TRANSIENT_FAILURE: filledShape(diamond, 'TRANSIENT_FAILURE', '--status-unhealthy'),
  SHUTDOWN: strokedShape(cross, 'SHUTDOWN', '--text-muted'),
  UNKNOWN: strokedShape(questionMark, 'UNKNOWN', '--status-unknown'),
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
