import { select, type ZoomBehavior, zoom, zoomIdentity, zoomTransform } from 'd3';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import {
  fitAll,
  fitBox,
  fitReadable,
  scales,
  type ViewTransform,
} from '@/lib/view-model/topology/fit-transform';

/** In the coordinates of the picture. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PanZoomOptions {
  /** The element that fills the frame. */
  readonly svg: RefObject<SVGSVGElement | null>;
  /** The moved group. Its attribute is set without React, so that panning renders nothing. */
  readonly viewport: RefObject<SVGGElement | null>;
  /** The part that stays at the top. */
  readonly heads: RefObject<SVGGElement | null>;
  readonly width: number;
  readonly height: number;
  /** The first box of the picture. */
  readonly start: Box | undefined;
  /** The selected box, which stays visible. */
  readonly kept: Box | undefined;
  /** The ID of the selected box, independent of its place. */
  readonly keptId: string | null;
  /** null: fits the picture, or its beginning at a readable size, again on each change of size. */
  readonly transform: ViewTransform | null;
  /** Called after the reader moved the picture. */
  readonly onTransform: (transform: ViewTransform | null) => void;
}

export interface PanZoom {
  readonly zoomBy: (factor: number) => void;
  readonly showAll: () => void;
  /** Keeps the current transform when nodes are added. */
  readonly keep: () => void;
  /** Moves as little as needed to show the box. */
  readonly reveal: (box: Box) => void;
}

const glideMs = 200;

/** d3-zoom as a hook: wheel zooms, drag pans, two fingers do both. */
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
      .scaleExtent([...scales])
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
        // Only user gestures have a source event. A click does not move the picture.
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

  // Applies the reader's transform, or fits the picture.
  useLayoutEffect(() => {
    const element = svg.current;
    if (element === null) return;
    const { start, kept } = latest.current;
    if (transform !== null) {
      jumpTo(transform);
      return;
    }
    const first = fitReadable({ width, height }, frameOf(element), start);
    // A live update must not move the selected box.
    const isPositioned = kept !== undefined && zoomTransform(element) !== zoomIdentity;
    if (!isPositioned) jumpTo(kept === undefined ? first : fitBox(kept, frameOf(element), first));
  }, [svg, transform, width, height, jumpTo]);

  /** The reader has moved the picture, which is not reported yet because another movement may follow. */
  const isMoved = useRef(false);
  const glideTo = useCallback(
    (wanted: ViewTransform, isReaders: boolean): void => {
      const element = svg.current;
      if (element === null || behaviour.current === null) return;
      isMoved.current ||= isReaders;
      const target = zoomIdentity.translate(wanted.x, wanted.y).scale(wanted.k);
      const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
      select(element)
        .transition()
        .duration(isStill ? 0 : glideMs)
        .call(behaviour.current.transform, target)
        .on('end', () => {
          // It may have replaced a movement of the reader.
          if (isMoved.current) latest.current.onTransform(wanted);
          isMoved.current = false;
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
      // Without a transform of the reader, the picture returns to its initial place by itself.
      if (wanted.x !== now.x || wanted.y !== now.y) glideTo(wanted, latest.current.transform !== null);
    },
    [svg, glideTo],
  );

  // The selection stays visible when the frame changes, as when the inspector opens.
  useEffect(() => {
    const element = svg.current;
    if (element === null) return;
    let isFirst = true;
    const observer = new ResizeObserver(() => {
      const { transform: own, kept, start, width: right, height: bottom } = latest.current;
      const wasFirst = isFirst;
      isFirst = false;
      // The picture opens with the transform of its address.
      if (wasFirst) return;
      if (kept !== undefined) reveal(kept);
      else if (own === null) jumpTo(fitReadable({ width: right, height: bottom }, frameOf(element), start));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [svg, reveal, jumpTo]);

  // A selection by link, table, URL or back button is revealed.
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
