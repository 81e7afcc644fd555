import { hierarchy } from 'd3';
import type { LbTreeNode } from '../../api/lb-tree';
import { formatMiddleCut } from '../../format/middle-cut';

/** CSS pixels from the drawing's top left. */
export interface LbTreeLayout {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly rows: readonly LbTreeRow[];
  /** From a policy to what is inside it. */
  readonly links: readonly { readonly key: string; readonly path: string; readonly isUsed: boolean }[];
}

export interface LbTreeRow {
  readonly key: string;
  readonly kind: 'policy' | 'endpoint' | 'more';
  readonly x: number;
  /** Middle of the row. */
  readonly y: number;
  readonly heightPx: number;
  /** The name in large, and the rest of the line. */
  readonly label: string;
  readonly detail: string;
  readonly detailX: number;
  readonly isUsed: boolean;
  /** Of an endpoint; empty for others. */
  readonly health: string;
  /** All of it, for who hovers or hears. */
  readonly title: string;
}

/** One line of the tree, before it has a place. */
interface Line extends Pick<LbTreeRow, 'key' | 'kind' | 'label' | 'detail' | 'isUsed' | 'health' | 'title'> {
  readonly inside: readonly Line[];
}

const indent = 18;
const rowHeight = 24;
const charWidth = 6.9;
const detailCharWidth = 6.2;
const endpointsShown = 12;

/** An indented tree, one line for each policy and endpoint: readable from 300 px on. */
export function layoutLbTree(tree: LbTreeNode, widthPx: number): LbTreeLayout {
  const rows: LbTreeRow[] = [];
  const links: LbTreeLayout['links'][number][] = [];
  const root = hierarchy(lineOf(tree, true), ({ inside }) => inside);
  // d3 walks siblings in their order, parents first.
  root.eachBefore((node) => {
    const { data, depth } = node;
    // On a narrow screen a step is smaller, so that the deepest line still has room.
    const step = Math.min(indent, (widthPx * 0.3) / Math.max(1, root.height));
    const x = 12 + depth * step;
    const y = rows.length * rowHeight + rowHeight / 2;
    const room = Math.max(8, Math.floor((widthPx - x - 24) / charWidth));
    const label = formatMiddleCut(data.label, room);
    const detailX = x + 12 + label.length * charWidth + 10;
    const detailRoom = Math.floor((widthPx - detailX - 6) / detailCharWidth);
    const { key, kind, isUsed, health, title } = data;
    const detail = detailRoom < 4 ? '' : formatMiddleCut(data.detail, detailRoom);
    rows.push({ key, kind, x, y, heightPx: rowHeight, label, detail, detailX, isUsed, health, title });
  });
  const placed = new Map(rows.map((row) => [row.key, row]));
  for (const { source, target } of root.links()) {
    const from = placed.get(source.data.key);
    const to = placed.get(target.data.key);
    if (from === undefined || to === undefined) continue;
    links.push({ key: to.key, path: `M${from.x},${from.y + 7}V${to.y}H${to.x - 6}`, isUsed: to.isUsed });
  }
  return { widthPx, heightPx: rows.length * rowHeight, rows, links };
}

/** What is inside something ignored is ignored with it. */
function lineOf(node: LbTreeNode, isParentUsed: boolean): Line {
  const isUsed = isParentUsed && node.use === 'used';
  const name = node.name === '' ? '' : `as ${node.name}`;
  const parts = [node.label, name, node.use === 'ignored' ? node.reason : ''].filter((part) => part !== '');
  const endpoints = node.endpoints.slice(0, endpointsShown).map((endpoint, at): Line => {
    const { address, health, weight, reason } = endpoint;
    // A reason that begins with the health says it already.
    const own = reason.startsWith(health) ? '' : health;
    const told = [own, weight === null ? '' : `weight ${weight}`, reason].filter((part) => part !== '');
    return {
      key: `${node.id} ${at} ${address}`,
      kind: 'endpoint',
      label: address || 'no address',
      detail: told.join(', '),
      isUsed: isUsed && endpoint.use === 'used',
      health,
      title: [address, endpoint.locality, ...told].join(', '),
      inside: [],
    };
  });
  return {
    key: node.id,
    kind: 'policy',
    label: node.policy,
    detail: parts.join(' · '),
    isUsed,
    health: '',
    title: [node.policy, ...parts, ...node.facts].join('\n'),
    inside: [
      ...node.children.map((child) => lineOf(child, isUsed)),
      ...moreOf(node.id, 'policies', node.childrenTotal - node.children.length, isUsed),
      ...endpoints,
      ...moreOf(node.id, 'endpoints', node.endpointsTotal - endpoints.length, isUsed),
    ],
  };
}

function moreOf(id: string, what: string, count: number, isUsed: boolean): Line[] {
  if (count <= 0) return [];
  const label = `${count} more ${what}`;
  return [
    {
      key: `${id} more ${what}`,
      kind: 'more',
      label,
      detail: '',
      isUsed,
      health: '',
      title: label,
      inside: [],
    },
  ];
}
