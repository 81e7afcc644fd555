import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { loadOnInput } from '@/app/_components/load-on-input';
import { fitAll, fitBox, fitReadable, scales, type ViewTransform } from '@/lib/views/graph/fit-transform';
import type { AttachedPanZoom } from './attach-pan-zoom';

/** A box in the coordinates of the picture. */
interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface PanZoomOptions {
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
  /** The current match of a search; undefined while nothing is found. */
  readonly found: Box | undefined;
  /** The search text. For each, the match is revealed once. */
  readonly find: string;
  /** Absent: fits the picture, or its beginning at a readable size, again on each change of size. */
  readonly transform?: ViewTransform | undefined;
  /** Called after the reader moved the picture. */
  readonly onTransform: (transform: ViewTransform | undefined) => void;
}

interface PanZoom {
  readonly zoomBy: (factor: number) => void;
  readonly showAll: () => void;
  /** Keeps the current transform when nodes are added. */
  readonly keep: () => void;
  /** Moves as little as needed to show the box. */
  readonly reveal: (box: Box) => void;
}

const glideMs = 200;
const unmoved: ViewTransform = { x: 0, y: 0, k: 1 };

/** The transform of a picture, and the gestures that change it. Their code is loaded with the first input. */
export function usePanZoom(options: PanZoomOptions): PanZoom {
  const { svg, viewport, heads, width, height, transform, keptId, found, find } = options;
  const gestures = useRef<AttachedPanZoom | null>(null);
  /** null until the picture has its first place. */
  const current = useRef<ViewTransform | null>(null);
  /** The size of the frame as it was observed: reading it after a render would force a layout. null before the first. */
  const frame = useRef<Size | null>(null);
  const latest = useRef(options);
  useLayoutEffect(() => {
    latest.current = options;
  });

  const show = useCallback(
    ({ x, y, k }: ViewTransform): void => {
      current.current = { x, y, k };
      viewport.current?.setAttribute('transform', `translate(${x},${y}) scale(${k})`);
      heads.current?.setAttribute('transform', `translate(0 ${Math.max(0, -y / k)})`);
    },
    [viewport, heads],
  );

  useEffect(() => {
    const element = svg.current;
    if (element === null) return;
    let isOver = false;
    loadOnInput(async () => {
      const { attachPanZoom } = await import('./attach-pan-zoom');
      if (isOver) return;
      gestures.current = attachPanZoom(element, {
        start: current.current ?? unmoved,
        frame: () => frame.current ?? frameOf(element),
        onMove: show,
        onMoved: (moved) => latest.current.onTransform(plain(moved)),
      });
    });
    return () => {
      isOver = true;
      gestures.current?.detach();
      gestures.current = null;
    };
  }, [svg, show]);

  const jumpTo = useCallback(
    (wanted: ViewTransform): void => {
      const now = current.current;
      if (now !== null && now.x === wanted.x && now.y === wanted.y && now.k === wanted.k) return;
      if (gestures.current === null) show(wanted);
      else gestures.current.jumpTo(wanted);
    },
    [show],
  );

  const place = useCallback(
    (picture: Size, into: Size): void => {
      const { start, kept, found } = latest.current;
      const first = fitReadable(picture, into, start);
      const shown = kept ?? found;
      // A live update must not move the selected box, nor what was found.
      const isPositioned = shown !== undefined && current.current !== null;
      if (!isPositioned) jumpTo(shown === undefined ? first : fitBox(shown, into, first));
    },
    [jumpTo],
  );

  // Applies the reader's transform, or fits the picture.
  useLayoutEffect(() => {
    if (transform !== undefined) jumpTo(transform);
    else if (frame.current !== null) place({ width, height }, frame.current);
  }, [transform, width, height, jumpTo, place]);

  /** The reader has moved the picture, which is not reported yet because another movement may follow. */
  const isMoved = useRef(false);
  const glideTo = useCallback(
    (wanted: ViewTransform, isReaders: boolean): void => {
      isMoved.current ||= isReaders;
      const end = () => {
        // It may have replaced a movement of the reader.
        if (isMoved.current) latest.current.onTransform(wanted);
        isMoved.current = false;
      };
      const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
      if (gestures.current !== null) {
        gestures.current.glideTo(wanted, isStill ? 0 : glideMs, end);
        return;
      }
      show(wanted);
      end();
    },
    [show],
  );
  const reveal = useCallback<PanZoom['reveal']>(
    (box) => {
      const element = svg.current;
      if (element === null) return;
      const now = current.current ?? unmoved;
      const wanted = fitBox(box, frame.current ?? frameOf(element), now);
      // If the reader has not moved the picture, it returns to its initial place by itself.
      if (wanted.x !== now.x || wanted.y !== now.y) glideTo(wanted, latest.current.transform !== undefined);
    },
    [svg, glideTo],
  );

  // The selection stays visible when the frame changes, as when the inspector opens. The observer is first called before the
  // picture is painted.
  useLayoutEffect(() => {
    const element = svg.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      const { transform: own, kept } = latest.current;
      const isFirst = frame.current === null;
      frame.current = frameOf(element);
      if (!isFirst && kept !== undefined) reveal(kept);
      else if (own === undefined) place(latest.current, frame.current);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [svg, reveal, place]);

  // A selection by link, table, URL or back button is revealed.
  const shownId = useRef(keptId);
  useEffect(() => {
    const { kept } = latest.current;
    if (shownId.current === keptId) return;
    shownId.current = keptId;
    if (kept !== undefined) reveal(kept);
  }, [keptId, reveal]);

  // A place of the reader in the URL of the page is kept when the page opens.
  const revealedFind = useRef(transform === undefined ? '' : find);
  const isFound = found !== undefined;
  useEffect(() => {
    const { found } = latest.current;
    if (find === '') revealedFind.current = '';
    if (!isFound || found === undefined || revealedFind.current === find) return;
    revealedFind.current = find;
    // Before the picture has its first place, place() is still to be called.
    if (current.current !== null) reveal(found);
  }, [find, isFound, reveal]);

  const zoomBy = useCallback(
    (factor: number) => {
      const element = svg.current;
      if (element === null) return;
      const { x, y, k } = current.current ?? unmoved;
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
    latest.current.onTransform(current.current ?? unmoved);
  }, []);
  return { zoomBy, showAll, keep, reveal };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function frameOf(element: SVGSVGElement): Size {
  return { width: element.clientWidth, height: element.clientHeight };
}

function plain({ x, y, k }: ViewTransform): ViewTransform {
  return { x, y, k };
}
