'use client';

import type { KeyboardEvent } from 'react';
import type { Standing } from '@/lib/lb/tree/lb-node';
import { type LbTreeLayout, type LbTreeRow, standingNames } from '@/lib/views/failover/layout-lb-tree';

interface LbTreeDrawingProps {
  readonly layout: LbTreeLayout;
  /** Key of the selected policy; empty: none. */
  readonly selected: string;
  readonly onSelect: (key: string) => void;
  readonly label: string;
}

/** The tree of LB policies down to endpoints; ignored parts are grey. */
export function LbTreeDrawing({ layout, selected, onSelect, label }: LbTreeDrawingProps) {
  const { widthPx, heightPx, rows, links } = layout;
  return (
    // The rows have accessible names of their own.
    <svg
      width={widthPx}
      height={heightPx}
      viewBox={`0 0 ${widthPx} ${heightPx}`}
      fontSize={12}
      fill="var(--text)"
    >
      <title>{label}</title>
      {links.map(({ key, path, isUsed, isLive }) => (
        <path
          key={key}
          d={path}
          fill="none"
          stroke={isLive ? 'var(--type-cluster)' : 'var(--border-strong)'}
          strokeWidth={isLive ? 2 : 1}
          strokeOpacity={isUsed ? (isLive ? 0.9 : 0.6) : 0.35}
          strokeDasharray={isUsed ? undefined : '2 3'}
        />
      ))}
      {rows.map((row) => (
        <Row
          key={row.key}
          row={row}
          widthPx={widthPx}
          isSelected={row.key === selected}
          onSelect={onSelect}
        />
      ))}
    </svg>
  );
}

interface RowProps {
  readonly row: LbTreeRow;
  readonly widthPx: number;
  readonly isSelected: boolean;
  readonly onSelect: (key: string) => void;
}

function Row({ row, widthPx, isSelected, onSelect }: RowProps) {
  const { key, kind, isUsed, title } = row;
  const ignored = isUsed ? '' : 'ignored: ';
  const line = <Line row={row} widthPx={widthPx} isSelected={isSelected} />;
  if (kind !== 'policy') {
    return (
      <g aria-label={`${ignored}${title}`} data-row={kind} data-used={isUsed}>
        {line}
      </g>
    );
  }
  return (
    <a
      href={`#${encodeURIComponent(key)}`}
      aria-current={isSelected ? 'true' : undefined}
      aria-label={`${ignored}${shownText(row)}`}
      data-row={kind}
      data-used={isUsed}
      onClick={(event) => {
        event.preventDefault();
        onSelect(key);
      }}
      onKeyDown={(event) => handleKey(event, () => onSelect(key))}
      className="cursor-pointer outline-none [&:focus-visible>rect]:stroke-focus"
    >
      {line}
    </a>
  );
}

/** Returns the text that the row shows, which WCAG 2.5.3 requires in its name. Its title element describes the row. */
function shownText({ label, standing, detail }: LbTreeRow): string {
  return [label, standing === undefined ? '' : standingNames[standing], detail].filter(Boolean).join(' ');
}

function Line({ row, widthPx, isSelected }: Omit<RowProps, 'onSelect'>) {
  const { x, y, heightPx, label, detail, detailX, isUsed, standing, title } = row;
  return (
    <>
      <title>{title}</title>
      <rect
        x={x - 10}
        y={y - heightPx / 2 + 1}
        width={Math.max(0, widthPx - x + 8)}
        height={heightPx - 2}
        rx={4}
        fill={isSelected ? 'var(--accent-soft)' : 'transparent'}
        stroke="transparent"
        strokeWidth={1.5}
      />
      <Glyph x={x} y={y} row={row} />
      <text
        x={x + 10}
        y={y + 4}
        fill={isUsed ? 'var(--text)' : 'var(--text-muted)'}
        fontFamily="var(--font-mono)"
        fontSize={11.5}
      >
        {label}
      </text>{' '}
      {(detail !== '' || standing !== undefined) && (
        <text x={detailX} y={y + 4} fill="var(--text-muted)" fontSize={11}>
          {standing !== undefined && <StandingMark standing={standing} />}
          {standing !== undefined && '\u2002'}
          <tspan>{detail}</tspan>
        </text>
      )}
    </>
  );
}

const standingMarks = {
  live: { sign: '●', colour: 'var(--status-healthy)', weight: 600 },
  standby: { sign: '○', colour: 'var(--text-muted)', weight: 400 },
  failed: { sign: '✕', colour: 'var(--status-nacked)', weight: 600 },
} as const;

function StandingMark({ standing }: { readonly standing: Standing }) {
  const { sign, colour, weight } = standingMarks[standing];
  return <tspan fill={colour} fontWeight={weight}>{`${sign} ${standingNames[standing]}`}</tspan>;
}

/** An endpoint with this health is not ignored because of its health. */
const healthyEnough: ReadonlySet<string> = new Set(['HEALTHY', 'UNKNOWN']);

/** A box for a policy, a dot for a used endpoint, a cross for an unused one. */
function Glyph({
  x,
  y,
  row: { kind, isUsed, health },
}: {
  readonly x: number;
  readonly y: number;
  readonly row: LbTreeRow;
}) {
  if (kind === 'more') return null;
  if (kind !== 'endpoint') {
    return (
      <rect
        x={x - 5}
        y={y - 5}
        width={10}
        height={10}
        rx={2}
        fill={isUsed ? 'var(--type-cluster)' : 'var(--surface-raised)'}
        stroke={isUsed ? 'none' : 'var(--border-strong)'}
      />
    );
  }
  return isUsed ? (
    <circle cx={x} cy={y} r={4} fill="var(--status-healthy)" />
  ) : (
    <path
      d={`M${x - 4},${y - 4}l8,8m0,-8l-8,8`}
      stroke={healthyEnough.has(health) ? 'var(--text-muted)' : 'var(--status-unhealthy)'}
      strokeWidth={1.8}
    />
  );
}

function handleKey(event: KeyboardEvent<Element>, select: () => void): void {
  const from = event.currentTarget;
  if (event.key === 'Enter' || event.key === ' ') {
    event.preventDefault();
    select();
    return;
  }
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const rows = [...(from.parentElement?.querySelectorAll<SVGElement>('[data-row="policy"]') ?? [])];
  rows[rows.findIndex((row) => row.isSameNode(from)) + step]?.focus();
}
