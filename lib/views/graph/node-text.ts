import { formatEndCut } from '../../format/end-cut';
import type { CommonParts } from '../../format/names/common-parts';
import { cutName } from '../../format/names/common-parts';
import { formatName } from '../../format/names/format-name';
import { formatVisible } from '../../format/visible-text';
import { statusShape } from '../drawing/status-shape';
import type { GraphNodeKind } from './node-kinds';
import type { GraphNode } from './schema';
import { isNodeInTrouble } from './topology';

/** Names are in a monospace font of 12 px, details in 11.5 px. The drawing's style must match. */
export const nameFontPx = 12;
export const detailFontPx = 11.5;
const nameCharPx = 7.2;
export const paddingPx = 10;
/** The status mark and the gap after it. */
export const markPx = 18;

interface Widths {
  readonly min: number;
  readonly max: number;
  /** The largest width for a detail, whose parts are left out so that the picture stays readable. */
  readonly detail: number;
}

/** Columns are as wide as their content, within these bounds. */
const widths: Readonly<Record<GraphNodeKind, Widths>> = {
  listener: { min: 96, max: 230, detail: 150 },
  'route-config': { min: 90, max: 220, detail: 140 },
  'virtual-host': { min: 80, max: 190, detail: 120 },
  route: { min: 100, max: 196, detail: 170 },
  cluster: { min: 100, max: 270, detail: 240 },
  priority: { min: 64, max: 200, detail: 112 },
  endpoints: { min: 90, max: 200, detail: 150 },
  locality: { min: 90, max: 240, detail: 236 },
  endpoint: { min: 110, max: 250, detail: 250 },
  secret: { min: 90, max: 190, detail: 150 },
  aggregate: { min: 110, max: 220, detail: 200 },
};

export interface NodeText {
  /** The short form of the name, cut in what it has in common with the others of its column. */
  readonly title: string;
  /** Cut at the end; empty if there is none. */
  readonly detail: string;
  /** An endpoint's detail is beside its name if there is room, since endpoints are many. */
  readonly isOneLine: boolean;
}

/** Headings are semi-bold, 11 px. */
export function headingWidth(heading: string): number {
  return Math.ceil(heading.length * 6.4);
}

/** The preferred width of a node, in CSS pixels. */
export function nodeWidth(node: GraphNode): number {
  const kind = node.stands?.kind ?? node.kind;
  const { min, max, detail: detailMax } = widths[kind];
  const frame = frameOf(node) + 2;
  const name = shownName(node).length * nameCharPx;
  const detail = textWidth(node.detail, detailFontPx);
  if (kind === 'endpoint' && detail > 0) return bound(name + paddingPx + detail + frame, min, max);
  // The reason for trouble has room.
  const most = isNodeInTrouble(node) ? max : detailMax;
  return Math.max(bound(name + frame, min, max), bound(detail + frame, min, most));
}

function bound(width: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, Math.ceil(width)));
}

/** `common`: of the names in the column. */
export function nodeText(node: GraphNode, widthPx: number, common: CommonParts): NodeText {
  const room = widthPx - frameOf(node);
  const title = cutName(shownName(node), Math.floor(room / nameCharPx), common);
  const beside = room - title.length * nameCharPx - paddingPx;
  const isOneLine =
    node.detail === '' || (node.kind === 'endpoint' && textWidth(node.detail, detailFontPx) <= beside);
  return {
    title,
    detail: fitDetail(formatVisible(node.detail), room),
    isOneLine,
  };
}

/** Only nodes that are resources have a type by which their name is read. */
export function shownName({ name, resourceName, typeUrl }: GraphNode): string {
  return formatName(name, name === resourceName && typeUrl !== undefined ? typeUrl : undefined);
}

/** The width without text: padding, and the status mark if there is one. */
function frameOf(node: GraphNode): number {
  return 2 * paddingPx + (statusShape(node.status).path === '' ? 0 : markPx);
}

const ellipsis = ' …';

function fitDetail(text: string, roomPx: number): string {
  if (textWidth(text, detailFontPx) <= roomPx) return text;
  const room = roomPx - textWidth(ellipsis, detailFontPx);
  return formatPartsCut(text, countFitting(text, detailFontPx, room) + 1);
}

/** "2 endpoints, 1 unhealthy · EDS · round robin" loses its last parts first, and only then letters. */
function formatPartsCut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = Math.max(text.lastIndexOf(' · ', maxChars - 2), text.lastIndexOf(', ', maxChars - 2));
  // A part is cut rather than left out if the box would be half empty.
  return end >= maxChars * 0.55 ? `${text.slice(0, end)} …` : formatEndCut(text, maxChars);
}

/** Advance advanceWidths of Inter in em, with tabular digits; rounded up. Other characters count as wide ones. */
const groups: readonly (readonly [chars: string, em: number])[] = [
  ["ijlI'|", 0.28],
  [' .,:;!·', 0.3],
  ['ftr()[]/', 0.39],
  ['-_*"', 0.48],
  ['cksvxyzJ', 0.57],
  ['abdeghnopqu0123456789EFLT?', 0.63],
  ['ABCDGHKNOPQRSUVXYZ=+<>~', 0.77],
  ['mwMW%@…', 0.99],
];

const advanceWidths = new Map(groups.flatMap(([chars, em]) => [...chars].map((char) => [char, em] as const)));

const widest = 1;

/** The width of a text in Inter, in CSS pixels. */
function textWidth(text: string, fontPx: number): number {
  let em = 0;
  for (const char of text) em += advanceWidths.get(char) ?? widest;
  return em * fontPx;
}

/** The number of UTF-16 code units at the beginning of the text that have room. */
function countFitting(text: string, fontPx: number, roomPx: number): number {
  let px = 0;
  let count = 0;
  for (const char of text) {
    px += (advanceWidths.get(char) ?? widest) * fontPx;
    if (px > roomPx) break;
    count += char.length;
  }
  return count;
}
