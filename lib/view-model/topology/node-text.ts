import type { GraphNode, GraphNodeKind } from '../../api/schema';
import { formatMiddleCut } from '../../format/middle-cut';
import { statusShape } from '../../format/status-shape';

/** Names are set in a monospace of 12 px, details in 11 px; the drawing's style must say the same. */
export const nameFontPx = 12;
export const detailFontPx = 11;
const nameCharPx = 7.2;
/** An average: details are cut a little early rather than late. */
const detailCharPx = 5.4;
export const paddingPx = 10;
/** The status mark and the room behind it. */
export const markPx = 18;

/** Columns are as wide as what is in them, within these bounds. */
const widths: Readonly<Record<GraphNodeKind, readonly [min: number, max: number]>> = {
  listener: [120, 230],
  'route-config': [120, 220],
  'virtual-host': [100, 190],
  route: [110, 240],
  cluster: [140, 270],
  priority: [90, 215],
  endpoints: [90, 200],
  locality: [110, 220],
  endpoint: [120, 250],
  secret: [90, 190],
  aggregate: [120, 220],
};

export interface NodeText {
  /** The name, cut in its middle. */
  readonly title: string;
  /** Cut at its end; empty when there is none. */
  readonly detail: string;
  /** An endpoint's detail stands behind its name where there is room: there are many of them. */
  readonly isOneLine: boolean;
}

/** Headings are set in 11 px, semi-bold. */
export function headingWidth(heading: string): number {
  return Math.ceil(heading.length * 6.4);
}

/** What a node would like to have, in CSS pixels. */
export function nodeWidth(node: GraphNode): number {
  const kind = node.stands?.kind ?? node.kind;
  const [min, max] = widths[kind];
  const name = node.name.length * nameCharPx;
  const detail = node.detail.length * detailCharPx;
  const text = kind === 'endpoint' && detail > 0 ? name + paddingPx + detail : Math.max(name, detail);
  return Math.min(max, Math.max(min, Math.ceil(text + frameOf(node)) + 2));
}

export function nodeText(node: GraphNode, widthPx: number): NodeText {
  const room = widthPx - frameOf(node);
  const title = formatMiddleCut(node.name, Math.floor(room / nameCharPx));
  const beside = room - title.length * nameCharPx - paddingPx;
  const isOneLine =
    node.detail === '' || (node.kind === 'endpoint' && node.detail.length * detailCharPx <= beside);
  return { title, detail: formatEndCut(node.detail, Math.floor(room / detailCharPx)), isOneLine };
}

/** Where text cannot be: padding, and the status mark where there is one. */
export function frameOf(node: GraphNode): number {
  return 2 * paddingPx + (statusShape(node.status).path === '' ? 0 : markPx);
}

function formatEndCut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${Array.from(text)
    .slice(0, Math.max(0, maxChars - 1))
    .join('')
    .trimEnd()}…`;
}
