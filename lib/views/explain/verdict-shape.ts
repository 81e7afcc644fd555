import type { Verdict } from '../../explain/trace';
import { checkMark, questionMark, type Shape, strokedShape } from '../drawing/shape';
import type { ExplainedBranch } from './schema';

const fork = 'M8 14V9M8 9L3 3.5M8 9L13 3.5M3 7V3.5H6.5M13 7V3.5H9.5';
const minus = 'M3.5 8H12.5';

const verdicts: Readonly<Record<Verdict, Shape>> = {
  taken: strokedShape(checkMark, 'taken', '--status-healthy'),
  'not-taken': strokedShape(minus, 'not taken', '--text-muted'),
  depends: strokedShape(fork, 'depends', '--status-timeout'),
  unknown: strokedShape(questionMark, 'unknown', '--status-unknown'),
};

export function shapeOfVerdict(verdict: Verdict): Shape {
  return verdicts[verdict];
}

const triangle = 'M8 2.5L14 13H2Z';

const outcomes: Readonly<Record<ExplainedBranch['kind'], Shape>> = {
  forwarded: strokedShape(checkMark, 'forwarded', '--status-healthy'),
  answered: strokedShape('M13.5 8H2.5M7 3.5L2.5 8L7 12.5', 'answered', '--status-requested'),
  failed: strokedShape(triangle, 'failed', '--status-nacked'),
  unknown: strokedShape(questionMark, 'unknown', '--status-unknown'),
};

/** `undefined`: the branches end differently. */
export function shapeOfOutcome(kind: ExplainedBranch['kind'] | undefined): Shape {
  return kind === undefined ? verdicts.depends : outcomes[kind];
}
