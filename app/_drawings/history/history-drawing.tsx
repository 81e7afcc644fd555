'use client';

import dynamic from 'next/dynamic';
import type { KeyboardEvent, MouseEvent } from 'react';
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { loadOnInput } from '@/app/_components/load-on-input';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatCounted } from '@/lib/format/count';
import { formatMiddleCut } from '@/lib/format/middle-cut';
import { buildAxis } from '@/lib/views/history/build-axis';
import type { TimeWindow } from '@/lib/views/history/collapsed-axis';
import { describeMark } from '@/lib/views/history/describe-mark';
import { layoutAxis, layoutGaps } from '@/lib/views/history/layout-axis';
import type { HistoryLevel } from '@/lib/views/history/layout-history';
import { levelTexts } from '@/lib/views/history/layout-history';
import type { PlacedLanes } from '@/lib/views/history/place-lanes';
import type { HistoryTimeline } from '@/lib/views/history/schema';
import { findMark } from '@/lib/views/history/step-event';
import type { Tears } from '@/lib/views/resolved/schema';
import { PictureButtons } from '../picture-buttons';
import type { TimeMove } from './attach-time-zoom';
import { EventMark } from './event-mark';
import { findKinds } from './find-kinds';
import type { handleHistoryKey } from './handle-history-key';
import { HistoryAxis } from './history-axis';
import { HistoryCanvas } from './history-canvas';
import { HistoryOverview } from './history-overview';
import { HitMarks } from './hit-marks';
import { layoutFrame } from './layout-frame';
import type { ShownMoment } from './moment-axis';
import { MomentAxis } from './moment-axis';
import type { DescribedTear } from './tears-lane';
import { useElementSize } from './use-element-size';
import { useFrameMoves } from './use-frame-moves';
import { usePalette } from './use-palette';
import { usePlacedTimeline } from './use-placed-timeline';
import { useTimeZoom } from './use-time-zoom';

const HistoryHover = dynamic(() => import('./history-hover').then(({ HistoryHover }) => HistoryHover));
loadOnInput(() => import('./history-hover'));
const TearsLane = dynamic(() => import('./tears-lane').then(({ TearsLane }) => TearsLane));

interface HistoryDrawingProps {
  /** The content of the window: single events, or counts if there are too many. */
  readonly timeline: HistoryTimeline;
  /** All events, for the axis and the overview. */
  readonly whole: HistoryTimeline;
  /** null: everything. */
  readonly window: TimeWindow | null;
  readonly onWindow: (window: TimeWindow | null) => void;
  /** Called at the end of a gesture. */
  readonly onWindowEnd: () => void;
  /** The open event; null: none. */
  readonly selectedSeq: number | null;
  readonly onSelect: (seq: number | null) => void;
  readonly withHeadings: boolean;
  /** null: not requested. */
  readonly tears: Tears | null;
  /** Called with the config tears of one target. */
  readonly onOpenTears: (tears: readonly DescribedTear[]) => void;
  /** null outside a client's page. */
  readonly moment: ShownMoment | null;
  /** The axis must not change during a drag. */
  readonly onMomentDrag: (isDragged: boolean) => void;
  /** Used in the file name of a saved picture. */
  readonly title: string;
}

const wideLabelsPx = 148;
const narrowLabelsPx = 84;

/** Lanes of events over time: marks on a canvas, texts in the document. */
export function HistoryDrawing(props: HistoryDrawingProps) {
  const { timeline, whole, onWindow, onWindowEnd, selectedSeq, onSelect, withHeadings, tears } = props;
  const labelsPx = useIsNarrow() ? narrowLabelsPx : wideLabelsPx;
  const scroller = useRef<HTMLDivElement>(null);
  const stage = useRef<HTMLDivElement>(null);
  const size = useElementSize(scroller);
  const widthPx = Math.max(40, size.widthPx - labelsPx);
  const [scrollTop, setScrollTop] = useState(0);
  const [cursor, setCursor] = useState<number | null>(selectedSeq);
  const [isPointed, setPointed] = useState(false);
  const palette = usePalette();
  const zone = useTimeZone();

  const axis = useMemo(() => buildAxis(whole, widthPx), [whole, widthPx]);
  const window = props.window ?? axis.extent;
  const scale = useMemo(() => axis.over(window, widthPx), [axis, window, widthPx]);
  const axisLayout = useMemo(() => layoutAxis(axis, scale), [axis, scale]);
  const gaps = useMemo(() => layoutGaps(timeline.gaps, scale), [timeline.gaps, scale]);
  const placedTimeline = usePlacedTimeline(timeline, withHeadings);
  const { placed, lanes } = placedTimeline;
  const bottom = scrollTop + size.heightPx;
  const { frame, bands } = useMemo(
    () => layoutFrame(placedTimeline, { scale, top: scrollTop, bottom }),
    [placedTimeline, scale, scrollTop, bottom],
  );
  const hits = useMemo(() => new HitMarks(frame), [frame]);
  const marks = lanes?.marks ?? null;

  const moveWindow = useFrameMoves({ axis, window, widthPx, onWindow });
  const moveBy = useCallback(
    ({ dy = 0, ...move }: TimeMove) => {
      if (dy !== 0 && scroller.current !== null) scroller.current.scrollTop -= dy;
      moveWindow(move);
    },
    [moveWindow],
  );
  useTimeZoom(stage, { onMove: moveBy, onEnd: onWindowEnd });

  const reveal = useCallback(
    (mark: number) => {
      if (lanes === null) return;
      const x = scale.toX(lanes.marks.at[mark] ?? window.from);
      if (x < 12 || x > widthPx - 12) onWindow(axis.move(window, widthPx, { dx: widthPx / 2 - x }));
      const y = placed.middles[lanes.laneOf[mark] ?? 0] ?? 0;
      const element = scroller.current;
      if (element === null) return;
      if (y - 30 < element.scrollTop) element.scrollTop = y - 30;
      else if (y + 30 > element.scrollTop + element.clientHeight)
        element.scrollTop = y + 30 - element.clientHeight;
    },
    [lanes, scale, window, widthPx, placed, axis, onWindow],
  );

  // An event that is selected elsewhere moves the cursor, and is revealed once.
  const shown = useRef<number | null>(null);
  useEffect(() => {
    if (selectedSeq === shown.current || marks === null) return;
    shown.current = selectedSeq;
    if (selectedSeq === null) return;
    setCursor(selectedSeq);
    const mark = findMark(marks, selectedSeq);
    if (mark !== -1) reveal(mark);
  }, [selectedSeq, marks, reveal]);

  const cursorMark = marks === null || cursor === null ? -1 : findMark(marks, cursor);
  const handleKey = useRef<typeof handleHistoryKey>(undefined);
  useEffect(
    () =>
      loadOnInput(async () => {
        handleKey.current = (await import('./handle-history-key')).handleHistoryKey;
      }),
    [],
  );
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) =>
    handleKey.current?.(event, {
      marks,
      cursorMark,
      onStep: (mark) => {
        setCursor(marks?.seq[mark] ?? null);
        reveal(mark);
      },
      onOpen: () => cursor !== null && onSelect(cursor),
      onMove: (move) => {
        moveBy(move);
        onWindowEnd();
      },
      widthPx,
    });

  function click(event: MouseEvent<HTMLElement>) {
    const { x, y } = pointOf(event, stage.current);
    const { nativeEvent } = event;
    const isTouch = nativeEvent instanceof PointerEvent && nativeEvent.pointerType === 'touch';
    const isOfSeveral = hits.burstAt(x, y) > 0 || (isTouch && hits.isCrowded(x, y));
    const mark = hits.find(x, y);
    if (mark === undefined || marks === null) return;
    const seq = marks.seq[mark] ?? null;
    setCursor(seq);
    if (isOfSeveral) moveBy({ factor: 4, x });
    else {
      shown.current = seq;
      onSelect(seq);
    }
  }

  const chosenText =
    marks === null
      ? 'too many events to step through: zoom in, or filter'
      : cursorMark === -1
        ? `${formatCounted(marks.seq.length, 'event')} on the timeline`
        : describeMark(marks, cursorMark, zone);
  const ring = cursorMark === -1 || lanes === null ? null : ringOf(cursorMark);
  function ringOf(mark: number) {
    const x = scale.toX(lanes?.marks.at[mark] ?? 0);
    const y = (placed.middles[lanes?.laneOf[mark] ?? 0] ?? 0) - scrollTop;
    return x < -8 || x > widthPx + 8 || y < 0 || y > size.heightPx ? null : { x, y };
  }

  return (
    <section aria-label="Timeline" className="flex min-h-0 flex-col">
      <div
        ref={scroller}
        className="relative min-h-20 shrink overflow-x-hidden overflow-y-auto"
        style={{ height: placed.heightPx }}
        onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
      >
        <div className="flex" style={{ height: Math.max(placed.heightPx, size.heightPx) }}>
          <HistoryLabels
            placed={placed}
            widthPx={labelsPx}
            headingPx={size.widthPx}
            top={scrollTop}
            bottom={bottom}
          />
          <div
            ref={stage}
            role="slider"
            tabIndex={0}
            aria-label="Events over time"
            aria-valuemin={0}
            aria-valuemax={marks?.seq.length ?? 0}
            aria-valuenow={cursorMark + 1}
            aria-valuetext={chosenText}
            aria-describedby="history-keys"
            onKeyDown={onKeyDown}
            onClick={click}
            onPointerEnter={() => setPointed(true)}
            className="relative min-w-0 flex-1 cursor-grab touch-none -outline-offset-2 select-none active:cursor-grabbing data-[hovers=true]:cursor-pointer"
          >
            {palette !== null && size.widthPx > 0 && (
              <HistoryCanvas
                frame={frame}
                placed={placed}
                bands={bands}
                gaps={gaps}
                axis={axisLayout}
                widthPx={widthPx}
                heightPx={size.heightPx}
                scrollTop={scrollTop}
                palette={palette}
              />
            )}
            {ring !== null && (
              <span
                aria-hidden="true"
                className="pointer-events-none absolute size-5 rounded-full border-2 border-accent"
                style={{ left: ring.x - 10, top: ring.y + scrollTop - 10 }}
              />
            )}
            {isPointed && (
              <HistoryHover
                stage={stage}
                hits={hits}
                marks={marks}
                widthPx={widthPx}
                heightPx={size.heightPx}
                scrollTop={scrollTop}
                timeZone={zone}
              />
            )}
          </div>
        </div>
      </div>
      <div style={{ paddingLeft: labelsPx }} className="relative pb-1">
        {props.moment === null ? (
          <HistoryAxis layout={axisLayout} widthPx={widthPx} timeZone={zone} />
        ) : (
          <MomentAxis
            moment={props.moment}
            layout={axisLayout}
            scale={scale}
            whole={whole}
            timeZone={zone}
            lanesPx={size.heightPx}
            onDrag={props.onMomentDrag}
          />
        )}
        {tears !== null && (tears.items.length > 0 || (tears.hasOlder && tears.start !== undefined)) && (
          <>
            <p
              className="absolute left-0 flex h-6 items-center justify-end px-2 text-tiny text-muted"
              style={{ width: labelsPx }}
              title="gRFC A74: intervals in which the resources in use were inconsistent"
            >
              tears
            </p>
            <TearsLane tears={tears} scale={scale} onOpen={props.onOpenTears} />
          </>
        )}
        <HistoryOverview
          timeline={whole}
          axis={axis}
          widthPx={widthPx}
          window={window}
          onWindow={(next) => onWindow(next === null || axis.isWhole(next) ? null : next)}
          onEnd={onWindowEnd}
        />
      </div>
      <div className="flex items-start">
        <HistoryLegend timeline={timeline} level={frame.level} />
        {palette !== null && (
          <PictureButtons
            fileName={`xdscope-history-${new Date(window.to).toISOString().slice(0, 19).replaceAll(':', '')}`}
            draw={async () =>
              (await import('./draw-history-picture')).drawHistoryPicture({
                ...{ title: props.title, placedTimeline, axis, window, tears, palette, timeZone: zone },
              })
            }
          />
        )}
      </div>
      <p id="history-keys" className="sr-only">
        Arrow keys walk event by event, N and Shift N lead to the next and the previous NACK, Enter opens,
        Escape closes, plus and minus zoom, Shift with an arrow key pans, Home and End lead to the first and
        the last event. The table below has the same events.
      </p>
      <p role="status" aria-live="polite" className="sr-only">
        {chosenText}
      </p>
    </section>
  );
}

/** Relative to the lanes and the first row. */
function pointOf(
  event: { readonly clientX: number; readonly clientY: number },
  stage: HTMLElement | null,
): { x: number; y: number } {
  const box = stage?.getBoundingClientRect();
  return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) };
}

interface HistoryLabelsProps {
  readonly placed: PlacedLanes;
  readonly widthPx: number;
  /** Headings span the lanes as well. */
  readonly headingPx: number;
  readonly top: number;
  readonly bottom: number;
}

const charPx = 7;

const smallCharPx = 6.3;

const paddingPx = 16;

const HistoryLabels = memo(function HistoryLabels({
  placed,
  widthPx,
  headingPx,
  top,
  bottom,
}: HistoryLabelsProps) {
  const smallChars = Math.floor((widthPx - paddingPx) / smallCharPx);
  return (
    <div className="relative shrink-0 border-r border-line" style={{ width: widthPx }}>
      {placed.rows
        .filter(({ y, heightPx }) => y + heightPx >= top && y <= bottom)
        .map((row) =>
          row.kind === 'client' ? (
            <p
              key={row.id}
              title={row.label}
              className="pointer-events-none absolute left-0 flex items-center bg-surface px-2 font-mono text-tiny font-medium whitespace-nowrap"
              style={{ top: row.y, height: row.heightPx, minWidth: widthPx - 1, zIndex: 1 }}
            >
              {formatMiddleCut(row.label, Math.floor((headingPx - paddingPx) / charPx))}
            </p>
          ) : (
            <p
              key={row.id}
              title={row.title}
              className="absolute right-0 left-0 flex items-center justify-end px-2 text-tiny whitespace-nowrap text-muted"
              style={{ top: row.y, height: row.heightPx }}
            >
              <SourceText source={row.source} chars={smallChars - row.label.length - 3} />
              {formatMiddleCut(row.label, smallChars)}
            </p>
          ),
        )}
    </div>
  );
});

/** Shorter names are useless. */
const fewestChars = 7;

function SourceText({ source, chars }: { readonly source: string; readonly chars: number }) {
  if (source === '' || chars < fewestChars) return null;
  return <span className="mr-auto">{formatMiddleCut(source, chars)}</span>;
}

interface HistoryLegendProps {
  readonly timeline: HistoryTimeline;
  readonly level: HistoryLevel;
}

const HistoryLegend = memo(function HistoryLegend({ timeline, level }: HistoryLegendProps) {
  const kinds = useMemo(() => findKinds(timeline), [timeline]);
  return (
    <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-0.5 px-3 py-1.5 text-tiny text-muted">
      {kinds.map((kind) => (
        <EventMark key={kind} kind={kind} sizePx={11} />
      ))}
      <span className="inline-flex items-center gap-1.5">
        <span aria-hidden="true" className="h-2.5 w-4 border-x border-muted bg-accent-soft" />
        open stream
      </span>
      {timeline.gaps.length > 0 && (
        <span className="inline-flex items-center gap-1.5">
          <span
            aria-hidden="true"
            className="h-2.5 w-4 bg-[repeating-linear-gradient(135deg,var(--status-missing)_0_1px,transparent_1px_4px)]"
          />
          not recorded
        </span>
      )}
      <span className="ml-auto">{levelTexts[level]}</span>
    </div>
  );
});
