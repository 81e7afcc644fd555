import type { InteropVerdict } from '../../observation/interop-verdicts';
import {
  brokenRing,
  checkMark,
  cross,
  filledShape,
  hourglass,
  questionMark,
  type Shape,
  strokedShape,
} from '../drawing/shape';

const square = 'M3 3H13V13H3Z';
const waves = 'M1.75 6.5Q4.9 3 8 6.5T14.25 6.5M1.75 11Q4.9 7.5 8 11T14.25 11';
const flag = 'M4 14V2.5H12.5L10 5.5L12.5 8.5H4';
const dash = 'M3.5 8H12.5';

const shapes: Readonly<Record<InteropVerdict, Shape>> = {
  works: strokedShape(checkMark, 'works', '--status-acked'),
  'by-flag': strokedShape(flag, 'by flag', '--status-acked'),
  fails: strokedShape(cross, 'fails', '--status-nacked'),
  rejects: filledShape(square, 'rejects', '--status-received-error'),
  ignored: strokedShape(brokenRing, 'ignored', '--status-nacked'),
  unable: strokedShape(questionMark, 'unable', '--status-unknown'),
  inconclusive: filledShape(hourglass, 'inconclusive', '--status-timeout'),
  flaky: strokedShape(waves, 'flaky', '--status-timeout'),
  'not-run': strokedShape(dash, 'not run', '--text-muted'),
};

export function interopVerdictShape(verdict: InteropVerdict): Shape {
  return shapes[verdict];
}
