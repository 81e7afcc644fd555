import { select, zoom, zoomIdentity } from 'd3';
import { scales, type ViewTransform } from '@/lib/views/graph/fit-transform';

interface PanZoomHandlers {
  readonly start: ViewTransform;
  readonly frame: () => { readonly width: number; readonly height: number };
  readonly onMove: (transform: ViewTransform) => void;
  /** Called after a gesture of the reader that moved the picture. */
  readonly onMoved: (transform: ViewTransform) => void;
}

export interface AttachedPanZoom {
  readonly jumpTo: (transform: ViewTransform) => void;
  /** `onEnd` is not called if another movement replaces this one. */
  readonly glideTo: (transform: ViewTransform, durationMs: number, onEnd: () => void) => void;
  readonly detach: () => void;
}

/** d3-zoom: wheel zooms, drag pans, two fingers do both. */
export function attachPanZoom(
  svg: SVGSVGElement,
  { start, frame, onMove, onMoved }: PanZoomHandlers,
): AttachedPanZoom {
  let startedAt = '';
  const element = select(svg);
  const behaviour = zoom<SVGSVGElement, unknown>()
    .scaleExtent([...scales])
    .extent(() => {
      const { width, height } = frame();
      return [
        [0, 0],
        [width, height],
      ];
    })
    .on('start', (event) => {
      startedAt = String(event.transform);
    })
    .on('zoom', (event) => onMove(event.transform))
    .on('end', (event) => {
      // Only user gestures have a source event. A click does not move the picture.
      const isReaders = event.sourceEvent !== null && event.sourceEvent !== undefined;
      if (isReaders && String(event.transform) !== startedAt) onMoved(event.transform);
    });
  element.call(behaviour).on('dblclick.zoom', null);
  const jumpTo = (transform: ViewTransform) => behaviour.transform(element, toZoom(transform));
  jumpTo(start);
  return {
    jumpTo,
    glideTo(transform, durationMs, onEnd) {
      element.transition().duration(durationMs).call(behaviour.transform, toZoom(transform)).on('end', onEnd);
    },
    detach: () => element.on('.zoom', null),
  };
}

function toZoom({ x, y, k }: ViewTransform) {
  return zoomIdentity.translate(x, y).scale(k);
}
