import { formatMiddleCut } from '../../format/middle-cut';
import { formatShare } from '../../format/share';
import { bumpPath } from '../drawing/bump-path';
import type { FlowNode } from './build-flow';

/** CSS pixels from the drawing's top left. */
export interface FlowLayout {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly bars: readonly FlowBar[];
  readonly ribbons: readonly FlowRibbon[];
}

export interface FlowBar extends Pick<FlowNode, 'key' | 'kind' | 'condition' | 'load'> {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The start and the baseline of the text. */
  readonly textX: number;
  readonly textY: number;
  readonly label: string;
  readonly detail: string;
  readonly share: string;
  /** The full text, for tooltips and screen readers. */
  readonly title: string;
}

interface FlowRibbon {
  readonly key: string;
  readonly kind: FlowNode['kind'];
  readonly path: string;
  readonly thickness: number;
}

const barWidth = 8;
const rowHeight = 21;
const gap = 7;
const fullHeight = 64;
const textGap = 6;
const charWidth = 6.3;
/** Addresses are monospace. */
const monoWidth = 7.1;

/** The starts of columns as shares of the width: requests, priorities, localities, endpoints. */
const columns = [0, 0.13, 0.42, 0.7];
/** On narrow screens endpoints have more room. */
const narrowColumns = [0, 0.09, 0.34, 0.61];
const narrowPx = 480;

interface Slot {
  readonly node: FlowNode;
  readonly depth: number;
  readonly height: number;
  readonly children: readonly Slot[];
}

/** Lays out a flow. The heights of bars and ribbons are proportional to their share of the requests. */
export function layoutFlow(flow: FlowNode, widthPx: number): FlowLayout {
  const bars: FlowBar[] = [];
  const ribbons: FlowRibbon[] = [];
  const starts = widthPx < narrowPx ? narrowColumns : columns;
  const root = slotOf(flow, 0);
  const heightPx = root.height + gap;
  place(root, gap / 2);
  return { widthPx, heightPx, bars, ribbons };

  /** Returns the middle of its bar. */
  function place({ node, depth, height, children }: Slot, top: number): number {
    const x = Math.round((starts[depth] ?? 0) * widthPx);
    const thickness = Math.max(2, node.load * fullHeight);
    const middle = top + height / 2;
    const textX = x + barWidth + textGap;
    // Nothing is drawn beside a bar without children.
    const next = children.length === 0 ? widthPx : Math.round((starts[depth + 1] ?? 1) * widthPx);
    const share = formatShare(node.load);
    // An endpoint may have a mark before its address, and its share after it.
    const textPx = next - textX - 4 - (share.length + (node.condition === undefined ? 1 : 3)) * charWidth;
    const room = Math.floor(textPx / (node.kind === 'endpoint' ? monoWidth : charWidth));
    const title = [node.label, share, node.detail, node.condition ?? ''].filter(Boolean).join(', ');
    const { key, kind, condition, load } = node;
    bars.push({
      ...{ key, kind, condition, load, share, title },
      ...{ x, y: middle - thickness / 2, width: barWidth, height: thickness },
      ...{ textX, textY: middle + (node.detail === '' ? 4 : -2) },
      label: depth === 0 ? '' : formatMiddleCut(node.label, Math.max(4, room)),
      detail: formatMiddleCut(node.detail, Math.max(4, Math.floor((next - textX - 4) / 5.8))),
    });
    let below = top + Math.max(0, (height - heightOf(children)) / 2);
    let from = middle - thickness / 2;
    for (const child of children) {
      const childMiddle = place(child, below);
      below += child.height + gap;
      const childThickness = child.node.load * fullHeight;
      if (childThickness > 0) {
        const source = [x + barWidth, from + childThickness / 2] as const;
        const target = [Math.round((starts[depth + 1] ?? 1) * widthPx), childMiddle] as const;
        const path = bumpPath([source, target]);
        ribbons.push({ key: child.node.key, kind: child.node.kind, path, thickness: childThickness });
      }
      from += childThickness;
    }
    return middle;
  }
}

function slotOf(node: FlowNode, depth: number): Slot {
  const children = node.children.map((child) => slotOf(child, depth + 1));
  const own = node.kind === 'endpoint' || node.kind === 'rest' ? rowHeight : 34;
  const height = Math.max(own, node.load * fullHeight, heightOf(children));
  return { node, depth, height, children };
}

function heightOf(slots: readonly Slot[]): number {
  return slots.reduce((sum, { height }) => sum + height, 0) + Math.max(0, slots.length - 1) * gap;
}
