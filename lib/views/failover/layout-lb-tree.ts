import { hierarchy } from 'd3';
import { formatMiddleCut } from '../../format/middle-cut';
import type { Standing } from '../../lb/tree/lb-node';
import type { LbTreeNode } from './lb-tree-schema';

/** CSS pixels from the drawing's top left. */
export interface LbTreeLayout {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly rows: readonly LbTreeRow[];
  /** The lines from a policy to its children. */
  readonly links: readonly {
    readonly key: string;
    readonly path: string;
    readonly isUsed: boolean;
    readonly isLive: boolean;
  }[];
}

export interface LbTreeRow {
  readonly key: string;
  /** `passed` is a policy of a list from which another one was chosen. */
  readonly kind: 'policy' | 'passed' | 'endpoint' | 'more';
  readonly x: number;
  /** The middle of the row. */
  readonly y: number;
  readonly heightPx: number;
  readonly label: string;
  readonly detail: string;
  readonly detailX: number;
  readonly isUsed: boolean;
  /** Set for children of a priority policy. */
  readonly standing?: Standing | undefined;
  /** True if it receives requests, by the endpoints of EDS. */
  readonly isLive: boolean;
  /** Empty except for endpoints. */
  readonly health: string;
  /** The full text, for tooltips and screen readers. */
  readonly title: string;
}

interface Line extends Omit<LbTreeRow, 'x' | 'y' | 'heightPx' | 'detailX'> {
  readonly inside: readonly Line[];
}

export const standingNames: Readonly<Record<Standing, string>> = {
  live: 'active',
  standby: 'standby',
  failed: 'failed',
};

const standingTitles: Readonly<Record<Standing, string>> = {
  live: 'it receives the requests, by the endpoints that EDS delivered',
  standby: 'it is tried if the priorities before it fail',
  failed: 'it was tried: none of its endpoints is usable',
};

const indent = 18;
const rowHeight = 24;
const charWidth = 6.9;
const detailCharWidth = 6.2;

/** Lays out an indented tree with one line for each policy and endpoint, readable from 300 px on. */
export function layoutLbTree(tree: LbTreeNode, widthPx: number): LbTreeLayout {
  const rows: LbTreeRow[] = [];
  const links: LbTreeLayout['links'][number][] = [];
  const reported = new Set<string>();
  const root = hierarchy(lineOf(tree, { isUsed: true, isLive: true }, reported), ({ inside }) => inside);
  // d3 visits parents before children, and siblings in order.
  root.eachBefore((node) => {
    const { data, depth } = node;
    // On narrow screens the indentation is smaller, so that the deepest line has room.
    const step = Math.min(indent, (widthPx * 0.3) / Math.max(1, root.height));
    const x = 12 + depth * step;
    const y = rows.length * rowHeight + rowHeight / 2;
    const room = Math.max(8, Math.floor((widthPx - x - 24) / charWidth));
    const label = formatMiddleCut(data.label, room);
    const detailX = x + 12 + label.length * charWidth + 10;
    const { inside, ...line } = data;
    // The mark of the standing is before the detail.
    const taken = line.standing === undefined ? 0 : standingNames[line.standing].length + 3;
    const detailRoom = Math.floor((widthPx - detailX - 6) / detailCharWidth) - taken;
    const detail = detailRoom < 4 ? '' : formatMiddleCut(data.detail, detailRoom);
    rows.push({ ...line, x, y, heightPx: rowHeight, label, detail, detailX });
  });
  const placed = new Map(rows.map((row) => [row.key, row]));
  for (const { source, target } of root.links()) {
    const from = placed.get(source.data.key);
    const to = placed.get(target.data.key);
    if (from === undefined || to === undefined) continue;
    const path = `M${from.x},${from.y + 7}V${to.y}H${to.x - 6}`;
    links.push({ key: to.key, path, isUsed: to.isUsed, isLive: to.isLive });
  }
  return { widthPx, heightPx: rows.length * rowHeight, rows, links };
}

/** Parts of ignored policies are ignored. ADDS the lists of policies to `reported`. */
function lineOf(node: LbTreeNode, parent: Pick<Line, 'isUsed' | 'isLive'>, reported: Set<string>): Line {
  const isUsed = parent.isUsed && node.use === 'used';
  const { standing } = node;
  const isLive = parent.isLive && isUsed && (standing === undefined || standing === 'live');
  const name = node.name === '' ? '' : `as ${node.name}`;
  const parts = [node.label, name, node.use === 'ignored' ? node.reason : ''].filter(Boolean);
  const endpoints = node.endpoints.map((endpoint, at): Line => {
    const { address, health, weight, reason } = endpoint;
    // Some reasons begin with the health.
    const own = reason.startsWith(health) ? '' : health;
    const words = [own, weight === undefined ? '' : `weight ${weight}`, reason].filter(Boolean);
    return {
      key: `${node.id} ${at} ${address}`,
      kind: 'endpoint',
      label: address || 'no address',
      detail: words.join(', '),
      isUsed: isUsed && endpoint.use === 'used',
      isLive: isLive && endpoint.use === 'used',
      health,
      title: [address, endpoint.locality, ...words].join(', '),
      inside: [],
    };
  });
  return {
    key: node.id,
    kind: 'policy',
    label: node.policy,
    detail: parts.join(' · '),
    isUsed,
    isLive,
    standing,
    health: '',
    title: [
      node.policy,
      ...(standing === undefined ? [] : [`${standingNames[standing]}: ${standingTitles[standing]}`]),
      ...parts,
      ...node.facts,
    ].join('\n'),
    inside: [
      ...node.children.flatMap((child) => linesOf(child, { isUsed, isLive }, reported)),
      ...moreOf(node.id, 'policies', node.childrenTotal - node.children.length, isUsed),
      ...endpoints,
      ...moreOf(node.id, 'endpoints', node.endpointsTotal - endpoints.length, isUsed),
    ],
  };
}

/** Builds the lines of a policy and of those of its list that were not chosen. Each list is shown once. */
function linesOf(node: LbTreeNode, parent: Pick<Line, 'isUsed' | 'isLive'>, reported: Set<string>): Line[] {
  const list = JSON.stringify(node.listed);
  const isNew = node.listed.length > 0 && node.use === 'used' && !reported.has(list);
  if (isNew) reported.add(list);
  const own = lineOf(node, parent, reported);
  if (!isNew) return [own];
  return node.listed.map(({ typeName, use, reason }, at): Line => {
    if (use === 'used') return own;
    return {
      ...{ key: `${node.id} passed ${at}`, kind: 'passed', label: typeName.split('.').at(-1) ?? typeName },
      ...{ detail: reason, isUsed: false, isLive: false, standing: undefined, health: '', inside: [] },
      title: `${typeName}: ${reason}`,
    };
  });
}

function moreOf(id: string, what: string, count: number, isUsed: boolean): Line[] {
  if (count <= 0) return [];
  const label = `${count} more ${what}`;
  const line = {
    key: `${id} more ${what}`,
    kind: 'more',
    label,
    title: label,
    isUsed,
    isLive: false,
  } as const;
  return [{ ...line, detail: '', standing: undefined, health: '', inside: [] }];
}
