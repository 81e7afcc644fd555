import { select, type ZoomBehavior, zoom, zoomIdentity, zoomTransform } from 'd3';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { fitAll, fitBox, fitReadable, type ViewTransform } from '@/lib/view-model/topology/fit-transform';

/** In the picture's coordinates. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PanZoomOptions {
  /** The element that is watched, and fills the frame. */
  readonly svg: RefObject<SVGSVGElement | null>;
  /** The group that is moved: by its attribute, past React, so that panning renders nothing. */
  readonly viewport: RefObject<SVGGElement | null>;
  /** What stays at the frame's top when the picture moves up. */
  readonly heads: RefObject<SVGGElement | null>;
  readonly width: number;
  readonly height: number;
  /** Where the picture begins. */
  readonly start: Box | undefined;
  /** The selected box: kept in sight when it is chosen, and when the frame changes. */
  readonly kept: Box | undefined;
  /** Changes with the choice, not with the box's place. */
  readonly keptId: string | null;
  /** null: the whole picture, or its beginning, as large as can be read, and again whenever the size changes. */
  readonly transform: ViewTransform | null;
  /** A stored picture opens as it was left, whatever is in sight. */
  readonly stored: boolean;
  /** After the reader moved the picture; not while it moves. */
  readonly onTransform: (transform: ViewTransform | null) => void;
}

export interface PanZoom {
  readonly zoomBy: (factor: number) => void;
  readonly showAll: () => void;
  /** Leaves the picture where it is, whatever will be added to it. */
  readonly keep: () => void;
  /** Moves as little as needed to show the box. */
  readonly reveal: (box: Box) => void;
}

const scales: [number, number] = [0.04, 4];
const glideMs = 200;

/** d3-zoom behind one hook: wheel zooms, drag pans, two fingers do both. */
export function usePanZoom(options: PanZoomOptions): PanZoom {
  const { svg, viewport, heads, width, height, transform, keptId } = options;
  const behaviour = useRef<ZoomBehavior<SVGSVGElement, unknown> | null>(null);
  const latest = useRef(options);
  useLayoutEffect(() => {
    latest.current = options;
  });

  useLayoutEffect(() => {
    const element = svg.current;
    if (element === null) return;
    let startedAt = '';
    const made = zoom<SVGSVGElement, unknown>()
      .scaleExtent(scales)
      .extent(() => {
        const { width: right, height: bottom } = frameOf(element);
        return [
          [0, 0],
          [right, bottom],
        ];
      })
      .on('start', (event) => {
        startedAt = String(event.transform);
      })
      .on('zoom', (event) => {
        const { y, k } = event.transform;
        viewport.current?.setAttribute('transform', String(event.transform));
        heads.current?.setAttribute('transform', `translate(0 ${Math.max(0, -y / k)})`);
      })
      .on('end', (event) => {
        // What the reader did has an event; what we did has none. A click moves nothing.
        const isReaders = event.sourceEvent !== null && event.sourceEvent !== undefined;
        if (isReaders && String(event.transform) !== startedAt)
          latest.current.onTransform(plain(event.transform));
      });
    behaviour.current = made;
    select(element).call(made).on('dblclick.zoom', null);
    return () => {
      select(element).on('.zoom', null);
    };
  }, [svg, viewport, heads]);

  const jumpTo = useCallback(
    (wanted: ViewTransform): void => {
      const element = svg.current;
      if (element === null || behaviour.current === null) return;
      const now = zoomTransform(element);
      if (now.x === wanted.x && now.y === wanted.y && now.k === wanted.k) return;
      const target = zoomIdentity.translate(wanted.x, wanted.y).scale(wanted.k);
      behaviour.current.transform(select(element), target);
    },
    [svg],
  );

  // Where the picture is: as the reader left it, else whole.
  useLayoutEffect(() => {
    const element = svg.current;
    if (element === null) return;
    const { start, kept } = latest.current;
    if (transform !== null) {
      jumpTo(transform);
      return;
    }
    const first = fitReadable({ width, height }, frameOf(element), start);
    // A live update must not move what somebody looks at.
    const isLookedAt = kept !== undefined && zoomTransform(element) !== zoomIdentity;
    if (!isLookedAt) jumpTo(kept === undefined ? first : fitBox(kept, frameOf(element), first));
  }, [svg, transform, width, height, jumpTo]);

  const glideTo = useCallback(
    (wanted: ViewTransform, isReaders: boolean): void => {
      const element = svg.current;
      if (element === null || behaviour.current === null) return;
      const target = zoomIdentity.translate(wanted.x, wanted.y).scale(wanted.k);
      const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
      select(element)
        .transition()
        .duration(isStill ? 0 : glideMs)
        .call(behaviour.current.transform, target)
        .on('end', () => {
          if (isReaders) latest.current.onTransform(wanted);
        });
    },
    [svg],
  );
  const reveal = useCallback<PanZoom['reveal']>(
    (box) => {
      const element = svg.current;
      if (element === null) return;
      const now = plain(zoomTransform(element));
      const wanted = fitBox(box, frameOf(element), now);
      // A picture that the reader never moved goes back to its first place by itself.
      if (wanted.x !== now.x || wanted.y !== now.y) glideTo(wanted, latest.current.transform !== null);
    },
    [svg, glideTo],
  );

  // The frame changes when the inspector opens beside it: what was chosen stays in sight.
  useEffect(() => {
    const element = svg.current;
    if (element === null) return;
    let isFirst = true;
    const observer = new ResizeObserver(() => {
      const { transform: own, kept, stored, start, width: right, height: bottom } = latest.current;
      const wasFirst = isFirst;
      isFirst = false;
      if (wasFirst && (stored || own === null)) return;
      if (kept !== undefined) reveal(kept);
      else if (own === null) jumpTo(fitReadable({ width: right, height: bottom }, frameOf(element), start));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [svg, reveal, jumpTo]);

  // Chosen by a link, the table, the address or the back button: it may be anywhere.
  const shownId = useRef(keptId);
  useEffect(() => {
    const { kept } = latest.current;
    if (shownId.current === keptId) return;
    shownId.current = keptId;
    if (kept !== undefined) reveal(kept);
  }, [keptId, reveal]);

  const zoomBy = useCallback(
    (factor: number) => {
      const element = svg.current;
      if (element === null) return;
      const { x, y, k } = plain(zoomTransform(element));
      const next = Math.min(scales[1], Math.max(scales[0], k * factor));
      const frame = frameOf(element);
      // The middle of the frame stays where it is.
      const [middleX, middleY] = [frame.width / 2, frame.height / 2];
      const wanted = {
        x: middleX - ((middleX - x) / k) * next,
        y: middleY - ((middleY - y) / k) * next,
        k: next,
      };
      glideTo(wanted, true);
    },
    [svg, glideTo],
  );
  const showAll = useCallback(() => {
    const element = svg.current;
    if (element !== null) glideTo(fitAll({ width, height }, frameOf(element)), true);
  }, [svg, glideTo, width, height]);
  const keep = useCallback(() => {
    const element = svg.current;
    if (element !== null) latest.current.onTransform(plain(zoomTransform(element)));
  }, [svg]);
  return { zoomBy, showAll, keep, reveal };
}

function frameOf(element: SVGSVGElement): { width: number; height: number } {
  return { width: element.clientWidth, height: element.clientHeight };
}

function plain({ x, y, k }: ViewTransform): ViewTransform {
  return { x, y, k };
}
