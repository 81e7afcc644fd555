import { checkMark, questionMark, type Shape, strokedShape } from '../drawing/shape';
import type { Comparison } from './compare-proof';

const notEqual = 'M3 6H13M3 10H13M11 3L5 13';

const shapes: Readonly<Record<Comparison, Shape>> = {
  same: strokedShape(checkMark, 'same', '--status-healthy'),
  differs: strokedShape(notEqual, 'differs', '--status-nacked'),
  'not observed': strokedShape(questionMark, 'not observed', '--status-unknown'),
  'not explained': strokedShape(questionMark, 'not explained', '--status-unknown'),
};

export function shapeOfComparison(comparison: Comparison): Shape {
  return shapes[comparison];
}
