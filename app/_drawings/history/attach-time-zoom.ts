import { select, type ZoomTransform, zoom, zoomIdentity } from 'd3';
import type { AxisMove } from '@/lib/views/history/collapsed-axis';

export interface TimeMove extends AxisMove {
  /** Vertical scroll in pixels. */
  readonly dy?: number;
}

export interface TimeZoomOptions {
  readonly onMove: (move: TimeMove) => void;
  /** Called at the end of a gesture. */
  readonly onEnd: () => void;
}

/**
 * Attaches d3-zoom until the returned function is called: wheel zooms, drag pans, two fingers do both, horizontal wheel and
 * Shift+wheel pan. An axis with breaks is not an affine map, so each step is reported as a zoom about a fixed point, or as a move.
 */
export function attachTimeZoom(target: HTMLElement, { onMove, onEnd }: TimeZoomOptions): () => void {
  let before: ZoomTransform = zoomIdentity;
  const behaviour = zoom<HTMLElement, unknown>()
    .scaleExtent([1e-9, 1e9])
    .filter((event) => !isSideways(event) && (event.type === 'wheel' || event.button === 0 || event.touches))
    .on('zoom', ({ transform }: { readonly transform: ZoomTransform }) => {
      onMove(stepBetween(before, transform));
      before = transform;
    })
    .on('end', ({ sourceEvent }: { readonly sourceEvent: unknown }) => {
      if (sourceEvent !== null && sourceEvent !== undefined) onEnd();
    });
  const pan = (event: WheelEvent) => {
    if (!isSideways(event)) return;
    event.preventDefault();
    onMove({ dx: -(event.deltaX === 0 ? event.deltaY : event.deltaX) });
    onEnd();
  };
  select(target).call(behaviour).on('dblclick.zoom', null);
  target.addEventListener('wheel', pan, { passive: false });
  return () => {
    select(target).on('.zoom', null);
    target.removeEventListener('wheel', pan);
  };
}

function isSideways(event: Event): boolean {
  if (!(event instanceof WheelEvent)) return false;
  return event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
}

function stepBetween(before: ZoomTransform, now: ZoomTransform): TimeMove {
  const factor = now.k / before.k;
  if (Math.abs(factor - 1) < 1e-9) return { dx: now.x - before.x, dy: now.y - before.y };
  // The fixed point of both transforms.
  return { factor, x: (now.x - before.x * factor) / (1 - factor) };
}
