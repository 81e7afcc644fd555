import { select, type ZoomBehavior, zoom, zoomIdentity, zoomTransform } from 'd3';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { fitAll, fitBox, fitReadable, type ViewTransform } from '@/lib/view-model/topology/fit-transform';

export interface PanZoomOptions {
  /** The element that is watched, and fills the frame. */
  readonly svg: RefObject<SVGSVGElement | null>;
  /** The group that is moved: by its attribute, past React, so that panning renders nothing. */
  readonly viewport: RefObject<SVGGElement | null>;
  readonly width: number;
  readonly height: number;
  /** null: the picture's beginning, as large as can be read, and again whenever the size changes. */
  readonly transform: ViewTransform | null;
  /** After the reader moved the picture; not while it moves. */
  readonly onTransform: (transform: ViewTransform | null) => void;
}

export interface PanZoom {
  readonly zoomBy: (factor: number) => void;
  readonly showAll: () => void;
  /** Moves as little as needed to show the box, in the picture's coordinates. */
  readonly reveal: (box: { x: number; y: number; width: number; height: number }) => void;
}

const scales: [number, number] = [0.04, 4];
const glideMs = 200;

/** d3-zoom behind one hook: wheel zooms, drag pans, two fingers do both. */
export function usePanZoom({
  svg,
  viewport,
  width,
  height,
  transform,
  onTransform,
}: PanZoomOptions): PanZoom {
  const behaviour = useRef<ZoomBehavior<SVGSVGElement, unknown> | null>(null);
  const report = useRef(onTransform);
  useEffect(() => {
    report.current = onTransform;
  });

  useLayoutEffect(() => {
    const element = svg.current;
    if (element === null) return;
    const made = zoom<SVGSVGElement, unknown>()
      .scaleExtent(scales)
      .extent(() => {
        const { width: right, height: bottom } = frameOf(element);
        return [
          [0, 0],
          [right, bottom],
        ];
      })
      .on('zoom', (event) => viewport.current?.setAttribute('transform', String(event.transform)))
      .on('end', (event) => {
        // What the reader did has an event; what we did has none.
        if (event.sourceEvent !== null && event.sourceEvent !== undefined)
          report.current(plain(event.transform));
      });
    behaviour.current = made;
    select(element).call(made).on('dblclick.zoom', null);
    return () => {
      select(element).on('.zoom', null);
    };
  }, [svg, viewport]);

  useLayoutEffect(() => {
    const element = svg.current;
    if (element === null || behaviour.current === null) return;
    const apply = (): void => {
      const wanted = transform ?? fitReadable({ width, height }, frameOf(element));
      const now = zoomTransform(element);
      if (now.x === wanted.x && now.y === wanted.y && now.k === wanted.k) return;
      behaviour.current?.transform(
        select(element),
        zoomIdentity.translate(wanted.x, wanted.y).scale(wanted.k),
      );
    };
    apply();
    if (transform !== null) return;
    const observer = new ResizeObserver(apply);
    observer.observe(element);
    return () => observer.disconnect();
  }, [svg, transform, width, height]);

  const glideTo = useCallback(
    (to: (element: SVGSVGElement, now: ViewTransform) => ViewTransform): void => {
      const element = svg.current;
      if (element === null || behaviour.current === null) return;
      const wanted = to(element, plain(zoomTransform(element)));
      const target = zoomIdentity.translate(wanted.x, wanted.y).scale(wanted.k);
      const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
      select(element)
        .transition()
        .duration(isStill ? 0 : glideMs)
        .call(behaviour.current.transform, target)
        .on('end', () => report.current(wanted));
    },
    [svg],
  );
  const zoomBy = useCallback(
    (factor: number) => {
      glideTo((element, { x, y, k }) => {
        const next = Math.min(scales[1], Math.max(scales[0], k * factor));
        const { width: right, height: bottom } = frameOf(element);
        // The middle of the frame stays where it is.
        const [middleX, middleY] = [right / 2, bottom / 2];
        return { x: middleX - ((middleX - x) / k) * next, y: middleY - ((middleY - y) / k) * next, k: next };
      });
    },
    [glideTo],
  );
  const showAll = useCallback(
    () => glideTo((element) => fitAll({ width, height }, frameOf(element))),
    [glideTo, width, height],
  );
  const reveal = useCallback<PanZoom['reveal']>(
    (box) => {
      const element = svg.current;
      if (element === null) return;
      const now = plain(zoomTransform(element));
      const wanted = fitBox(box, frameOf(element), now);
      if (wanted.x !== now.x || wanted.y !== now.y) glideTo(() => wanted);
    },
    [svg, glideTo],
  );
  return { zoomBy, showAll, reveal };
}

function frameOf(element: SVGSVGElement): { width: number; height: number } {
  return { width: element.clientWidth, height: element.clientHeight };
}

function plain({ x, y, k }: ViewTransform): ViewTransform {
  return { x, y, k };
}
