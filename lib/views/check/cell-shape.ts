import {
  checkMark,
  cross,
  questionMark,
  type Shape,
  strokedShape,
  struckThroughCircle,
} from '../drawing/shape';
import type { CellVerdict } from './schema';

const dash = 'M5 8H11';

const shapes: Readonly<Record<CellVerdict, Shape>> = {
  NACK: strokedShape(cross, 'NACK', '--status-nacked'),
  NO_ANSWER: strokedShape(cross, 'no answer', '--status-nacked'),
  CRASH: strokedShape(cross, 'crash', '--status-nacked'),
  ACK_NOT_SERVING: strokedShape(struckThroughCircle, 'ACK, not serving', '--status-nacked'),
  ACK_IGNORED: strokedShape(struckThroughCircle, 'ACK, ignored', '--status-timeout'),
  NO_FAULT_FOUND: strokedShape(questionMark, 'no fault found', '--text-muted'),
  ACK: strokedShape(checkMark, 'ACK', '--status-acked'),
  NOT_REQUESTED: strokedShape(dash, 'not requested', '--text-muted'),
};

export function cellShape(verdict: CellVerdict): Shape {
  return shapes[verdict];
}
