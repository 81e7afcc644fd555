'use client';

import dynamic from 'next/dynamic';
import type { KeyboardEvent, MouseEvent, RefObject } from 'react';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { loadOnInput } from '@/app/_components/load-on-input';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatCounted } from '@/lib/format/count';
import { buildAxis } from '@/lib/views/history/build-axis';
import type { AxisMove, CollapsedAxis, TimeWindow } from '@/lib/views/history/collapsed-axis';
import { describeMark } from '@/lib/views/history/describe-mark';
import { layoutAxis, layoutGaps } from '@/lib/views/history/layout-axis';
import type { HistoryTimeline } from '@/lib/views/history/schema';
import { findMark } from '@/lib/views/history/step-event';
import type { Tears } from '@/lib/views/resolved/tears-schema';
import { PictureButtons } from '../picture-buttons';
import type { TimeMove, TimeZoomOptions } from './attach-time-zoom';
import type { handleHistoryKey } from './handle-history-key';
import { HistoryAxis } from './history-axis';
import { HistoryCanvas } from './history-canvas';
import { HistoryLabels } from './history-labels';
import { HistoryLegend } from './history-legend';
import { HistoryOverview } from './history-overview';
import { HitMarks } from './hit-marks';
import { layoutFrame, placeTimeline } from './layout-frame';
import type { ShownMoment } from './moment-axis';
import { MomentAxis } from './moment-axis';
import type { DescribedTear } from './tears-lane';
import { useElementSize } from './use-element-size';
import { usePalette } from './use-palette';

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
  const placedTimeline = useMemo(() => placeTimeline(timeline, withHeadings), [timeline, withHeadings]);
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
            name="xdscope-history"
            at={window.to}
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

interface FrameMovesOptions {
  readonly axis: CollapsedAxis;
  readonly window: TimeWindow;
  readonly widthPx: number;
  /** null: everything. */
  readonly onWindow: (window: TimeWindow | null) => void;
}

/** Combines the moves of a frame, because wheel and touch events are more frequent than frames. */
function useFrameMoves(options: FrameMovesOptions): (move: AxisMove) => void {
  const latest = useRef(options);
  /** The window after the moves of this frame; null: no move. */
  const next = useRef<TimeWindow | null>(null);
  const frame = useRef(0);
  useLayoutEffect(() => {
    latest.current = options;
  });
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  return useCallback((move) => {
    const { axis, window, widthPx } = latest.current;
    if (next.current === null) {
      frame.current = requestAnimationFrame(() => {
        const moved = next.current;
        next.current = null;
        const { axis: whole, onWindow } = latest.current;
        if (moved !== null) onWindow(whole.isWhole(moved) ? null : moved);
      });
    }
    next.current = axis.move(next.current ?? window, widthPx, move);
  }, []);
}

/** Zooms and moves the time axis by gestures. Its code is loaded with the first input. */
function useTimeZoom(element: RefObject<HTMLElement | null>, options: TimeZoomOptions): void {
  const latest = useRef(options);
  useLayoutEffect(() => {
    latest.current = options;
  });
  useEffect(() => {
    const target = element.current;
    if (target === null) return;
    let isOver = false;
    let detach: (() => void) | undefined;
    const onMove = (move: TimeMove) => latest.current.onMove(move);
    loadOnInput(async () => {
      const { attachTimeZoom } = await import('./attach-time-zoom');
      if (!isOver) detach = attachTimeZoom(target, { onMove, onEnd: () => latest.current.onEnd() });
    });
    return () => {
      isOver = true;
      detach?.();
    };
  }, [element]);
}
