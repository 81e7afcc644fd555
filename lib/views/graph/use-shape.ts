import { type Shape, strokedShape, struckThroughCircle } from '../drawing/shape';
import type { NodeMark } from './node-mark';

export type NodeUse = NodeMark['use'];

const brokenLink = 'M1.5 8H6M10 8H14.5M6 4.5V11.5M10 4.5V11.5';

const shapes: Readonly<Record<NodeUse, Shape>> = {
  used: strokedShape('', 'used', '--text-muted'),
  ignored: strokedShape(struckThroughCircle, 'ignored', '--status-timeout'),
  dangling: strokedShape(brokenLink, 'dangling', '--status-missing'),
  unused: strokedShape('M3.5 8H12.5', 'not used', '--text-muted'),
};

export function shapeOfUse(use: NodeUse): Shape {
  return shapes[use];
}
