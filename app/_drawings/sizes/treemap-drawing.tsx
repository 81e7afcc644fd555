import Link from 'next/link';
import type { TreemapCell, TreemapLayout } from '@/lib/views/sizes/layout-treemap';
import { Picture } from '../picture';

interface TreemapDrawingProps {
  readonly layout: TreemapLayout;
  readonly label: string;
  /** The address of an item; undefined without a next level. The table offers the same by keyboard. */
  readonly hrefOf: ((key: string) => string) | undefined;
}

/** Bytes as areas; the parts of an item are inside its area. */
export function TreemapDrawing({ layout, label, hrefOf }: TreemapDrawingProps) {
  const { cells } = layout;
  return (
    <Picture size={layout} label={label} hasLinks={hrefOf !== undefined}>
      {cells.map((cell) =>
        cell.key === null || hrefOf === undefined ? (
          // A click on a part opens its item.
          <Cell key={cell.id} cell={cell} isPart={cell.depth > 1} />
        ) : (
          <Link key={cell.id} href={hrefOf(cell.key)} prefetch={false} replace={false} tabIndex={-1}>
            <Cell cell={cell} isPart={false} />
          </Link>
        ),
      )}
    </Picture>
  );
}

const shares = [9, 18, 28, 40];

function Cell({ cell, isPart }: { readonly cell: TreemapCell; readonly isPart: boolean }) {
  const { depth, x, y, width, height, label, size, text } = cell;
  const share = shares[Math.min(depth, shares.length) - 1] ?? 9;
  return (
    <g className={isPart ? 'pointer-events-none' : undefined}>
      <title>{text}</title>
      <rect
        x={x}
        y={y}
        width={width}
        height={height}
        fill={`color-mix(in oklab, var(--accent) ${share}%, var(--surface-raised))`}
        stroke={depth === 1 ? 'var(--border-strong)' : 'var(--border)'}
      />
      {label !== '' && (
        <text x={x + 4} y={y + 13} fontWeight={depth === 1 ? 600 : 400}>
          {label}
        </text>
      )}
      {size !== '' && (
        <text x={x + 4} y={y + 28} fill="var(--text-muted)">
          {size}
        </text>
      )}
    </g>
  );
}
