import type { Ref } from 'react';
import type { TopologyLayout } from '@/lib/view-model/topology/layout-topology';

interface TopologyHeadsProps {
  readonly layout: TopologyLayout;
  /** Set by pan and zoom, which keep the headings at the top. */
  readonly ref: Ref<SVGGElement>;
}

export function TopologyHeads({ layout, ref }: TopologyHeadsProps) {
  return (
    <g ref={ref} className="heads">
      <rect className="heads-ground" x={0} y={0} width={layout.width} height={layout.headingY + 1} />
      {layout.columns.map(({ headings, x, width }) => (
        <g key={x}>
          {headings.map((heading, index) => (
            <text
              key={heading}
              className="heading"
              x={x}
              y={layout.headingY - 8 - (headings.length - 1 - index) * 14}
            >
              {heading}
            </text>
          ))}
          <path className="rule" d={`M${x} ${layout.headingY}H${x + width}`} />
        </g>
      ))}
    </g>
  );
}
