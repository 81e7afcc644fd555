import type { CheckVerdict } from '../../server-checks/server-check';
import { checkMark, cross, filledShape, questionMark, type Shape, strokedShape } from '../drawing/shape';

const warning = 'M8 1.75L14.75 13.5H1.25Z';
const dash = 'M3.5 8H12.5';

const shapes: Readonly<Record<CheckVerdict, Shape>> = {
  passes: strokedShape(checkMark, 'passes', '--status-acked'),
  fails: strokedShape(cross, 'fails', '--status-nacked'),
  'non-strict': filledShape(warning, 'non-strict', '--status-timeout'),
  informational: strokedShape(questionMark, 'informational', '--status-requested'),
  'not-asked': strokedShape(dash, 'not asked', '--text-muted'),
};

export function verdictShape(verdict: CheckVerdict): Shape {
  return shapes[verdict];
}
