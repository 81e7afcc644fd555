import type { CSSProperties, ReactNode } from 'react';
import type { TopologyLayout } from '@/lib/views/graph/layout-topology';
import { isFallbackEdge } from './is-fallback-edge';
import { hues } from './topology-node';
import { themed } from './topology-style';

interface Sign {
  readonly text: string;
  readonly occurs: (layout: TopologyLayout) => boolean;
  /** The mark is drawn in a box of 18 by 12 pixels. */
  readonly mark: ReactNode;
}

const hueTexts = {
  '--type-listener': 'listener',
  '--type-route': 'route',
  '--type-cluster': 'cluster',
  '--type-endpoint': 'endpoint',
} as const;

const signs: readonly Sign[] = [
  ...Object.entries(hueTexts).map(([hue, text]) => ({
    text,
    occurs: ({ nodes }: TopologyLayout) =>
      nodes.some(({ node: { kind } }) => kind !== 'aggregate' && hues[kind] === hue),
    mark: (
      <rect
        className="hue"
        x={5}
        width={3}
        height={12}
        rx={1.5}
        style={{ '--hue': themed(hue) } as CSSProperties}
      />
    ),
  })),
  {
    text: 'fallback of an aggregate cluster',
    occurs: ({ edges }) => edges.some(({ edge }) => isFallbackEdge(edge)),
    mark: <path className="edge edge-aggregate later" d="M0 6H18" />,
  },
  {
    text: 'mirrored requests',
    occurs: ({ edges }) => edges.some(({ edge }) => edge.kind === 'mirror'),
    mark: <path className="edge edge-mirror" d="M0 6H18" />,
  },
  {
    text: 'TLS certificate',
    occurs: ({ edges }) => edges.some(({ edge }) => edge.kind === 'tls'),
    mark: <path className="edge edge-tls" d="M0 6H18" />,
  },
  {
    text: 'several elements: press to expand',
    occurs: ({ nodes }) => nodes.some(({ node }) => node.stands !== undefined),
    mark: (
      <>
        <rect className="stack" x={2} y={2} width={13} height={10} rx={2} />
        <rect className="box" width={13} height={10} rx={2} />
      </>
    ),
  },
  {
    text: 'not received',
    occurs: ({ nodes }) =>
      nodes.some(({ node: { hash, typeUrl } }) => hash === undefined && typeUrl !== undefined),
    mark: (
      <g className="absent">
        <rect className="box" x={0.5} y={0.5} width={14} height={11} rx={2} />
      </g>
    ),
  },
  {
    text: 'worst state below',
    occurs: ({ nodes }) => nodes.some(({ node }) => node.below !== undefined),
    mark: (
      <circle
        className="roll-up"
        cx={7}
        cy={6}
        r={6}
        style={{ '--tone': themed('--text-muted') } as CSSProperties}
      />
    ),
  },
];

const entryGapPx = 18;
const charPx = 5.8;
const markRoomPx = 24;

/** The second line of the legend: colors of types, kinds of lines and boxes that occur. */
export function TopologySigns({ layout }: { readonly layout: TopologyLayout }) {
  let x = layout.columns[0]?.x ?? 0;
  const placed = signs
    .filter(({ occurs }) => occurs(layout))
    .map(({ text, mark }) => {
      const left = x;
      x += markRoomPx + text.length * charPx + entryGapPx;
      return { text, mark, left };
    });
  return placed.map(({ text, mark, left }) => (
    <g key={text} transform={`translate(${left} 33)`}>
      {mark}
      <text className="legend" x={markRoomPx} y={10}>
        {text}
      </text>
    </g>
  ));
}
