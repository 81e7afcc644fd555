'use client';

import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { Icon } from '@/app/_components/icon';
import { ShapeMark } from '@/app/_components/shape-mark';
import { formatCount, formatCounted } from '@/lib/format/count';
import { sideShape } from '@/lib/views/changes/change-shape';
import { shownRows } from '@/lib/views/compare/build-diff-rows';
import type { DiffAnswer } from '@/lib/views/compare/schema';

type Row = NonNullable<DiffAnswer['tree']>['rows'][number];

const rowPx = 28;

/**
 * The differences in one resource as a tree; equal parts are folded to a count. Arrow keys navigate, left and
 * right close and open.
 */
export function DiffTree({ rows, label }: { readonly rows: readonly Row[]; readonly label: string }) {
  const [closed, setClosed] = useState<ReadonlySet<number>>(new Set());
  const [active, setActive] = useState(0);
  const wantsFocus = useRef(false);
  const scroller = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => shownRows(rows, closed), [rows, closed]);
  const at = Math.max(0, shown.indexOf(active));
  const virtualizer = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    getItemKey: (index) => shown[index] ?? index,
    overscan: 12,
    initialRect: { width: 800, height: 600 },
  });

  useEffect(() => {
    if (!wantsFocus.current) return;
    const row = scroller.current?.querySelector(`[data-row="${active}"]`);
    if (!(row instanceof HTMLElement)) return;
    wantsFocus.current = false;
    row.focus({ preventScroll: true });
  });

  function toggle(index: number, isOpen: boolean) {
    const next = new Set(closed);
    if (isOpen) next.delete(index);
    else next.add(index);
    setClosed(next);
  }

  function go(next: number) {
    const index = shown[Math.min(shown.length - 1, Math.max(0, next))];
    if (index === undefined) return;
    wantsFocus.current = true;
    setActive(index);
    virtualizer.scrollToIndex(shown.indexOf(index));
  }

  function walk(event: KeyboardEvent) {
    const index = shown[at];
    const row = index === undefined ? undefined : rows[index];
    if (index === undefined || row === undefined) return;
    const isGroup = row.kind === 'inside';
    if (event.key === 'ArrowDown') go(at + 1);
    else if (event.key === 'ArrowUp') go(at - 1);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(shown.length - 1);
    else if (event.key === 'ArrowLeft' && isGroup && !closed.has(index)) toggle(index, false);
    else if (event.key === 'ArrowLeft')
      go(shown.findLastIndex((other, place) => place < at && (rows[other]?.depth ?? 0) < row.depth));
    else if (event.key === 'ArrowRight' && isGroup) toggle(index, true);
    else if (event.key === 'Enter' && isGroup) toggle(index, closed.has(index));
    else return;
    event.preventDefault();
  }

  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-auto">
      <div role="tree" aria-label={label} className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const index = shown[item.index];
          const row = index === undefined ? undefined : rows[index];
          if (index === undefined || row === undefined) return null;
          return (
            <div
              key={item.key}
              ref={virtualizer.measureElement}
              data-index={item.index}
              data-row={index}
              role="treeitem"
              aria-level={row.depth + 1}
              aria-selected={index === active}
              aria-expanded={row.kind === 'inside' ? !closed.has(index) : undefined}
              tabIndex={item.index === at ? 0 : -1}
              onFocus={() => setActive(index)}
              onKeyDown={walk}
              onClick={() => row.kind === 'inside' && toggle(index, closed.has(index))}
              className="absolute top-0 left-0 flex w-full flex-wrap items-baseline gap-x-2.5 border-b border-line px-3 py-1 text-medium outline-offset-[-2px] hover:bg-hover"
              style={{ transform: `translateY(${item.start}px)`, paddingLeft: 12 + row.depth * 18 }}
            >
              <TreeRow row={row} isOpen={!closed.has(index)} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function TreeRow({ row, isOpen }: { readonly row: Row; readonly isOpen: boolean }) {
  const { kind, label, path, before, after, changes, equal, reason } = row;
  return (
    <>
      {kind === 'inside' ? (
        <span className="self-center text-muted">
          <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} sizePx={12} />
        </span>
      ) : (
        <span className="self-center">
          <ShapeMark shape={sideShape(kind)} isMute />
        </span>
      )}
      <span className="min-w-0 font-mono text-[0.9286em] wrap-anywhere" title={path} translate="no">
        {label}
      </span>
      {kind === 'inside' && <span className="note">{formatCounted(changes, 'difference')}</span>}
      {before !== undefined && <Value text={before} side="before" />}
      {before !== undefined && after !== undefined && <span className="text-muted">→</span>}
      {after !== undefined && <Value text={after} side="after" />}
      {kind === 'order' && <span className="text-muted">in a different order</span>}
      {reason !== '' && <span className="note">{reason}</span>}
      {equal > 0 && <span className="ml-auto note">{formatCount(equal)} equal</span>}
    </>
  );
}

const tones = {
  before: 'bg-[color-mix(in_oklab,var(--status-nacked)_14%,transparent)]',
  after: 'bg-[color-mix(in_oklab,var(--status-acked)_14%,transparent)]',
} as const;

function Value({ text, side }: { readonly text: string; readonly side: 'before' | 'after' }) {
  return (
    <span className={`rounded px-1 font-mono text-[0.9286em] wrap-anywhere ${tones[side]}`} translate="no">
      <span className="sr-only">{side === 'before' ? 'A: ' : 'B: '}</span>
      {text}
    </span>
  );
}
