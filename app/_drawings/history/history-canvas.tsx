'use client';

import { memo, useLayoutEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { drawHatch } from './draw-hatch';
import { drawSprites } from './event-sprites';
import { type HistoryScene, paintHistory } from './paint-history';
import { spritePx } from './sprite-size';
import type { Palette } from './use-palette';

type HistoryCanvasProps = Omit<HistoryScene, 'palette' | 'drawMark' | 'hatch' | 'pixelRatio'> & {
  readonly palette: Palette;
};

/** The painted part of the drawing, crisp on every screen; painted when something in it is different. It says nothing to a reader: the table does. */
export const HistoryCanvas = memo(function HistoryCanvas({ palette, ...scene }: HistoryCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const pixelRatio = usePixelRatio();
  const sprites = useMemo(() => drawSprites(palette, pixelRatio), [palette, pixelRatio]);
  const hatch = useMemo(() => drawHatch(palette.missing, pixelRatio), [palette, pixelRatio]);
  const { widthPx, heightPx } = scene;
  useLayoutEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const [wide, high] = [Math.round(widthPx * pixelRatio), Math.round(heightPx * pixelRatio)];
    // Setting the size empties a canvas, even to the size that it has.
    if (element.width !== wide) element.width = wide;
    if (element.height !== high) element.height = high;
  }, [widthPx, heightPx, pixelRatio]);
  useLayoutEffect(() => {
    const context = canvas.current?.getContext('2d') ?? null;
    if (context === null) return;
    const drawMark = (kind: number, left: number, top: number) => {
      const sprite = sprites[kind];
      if (sprite !== undefined) context.drawImage(sprite, left, top, spritePx, spritePx);
    };
    paintHistory(context, { ...scene, palette, hatch, drawMark, pixelRatio });
  });
  return (
    <div aria-hidden="true" className="h-full">
      <canvas
        ref={canvas}
        className="pointer-events-none sticky top-0 block"
        style={{ width: widthPx, height: heightPx }}
      />
    </div>
  );
});

/** It changes when the window is moved to another screen, and with the browser's zoom. */
function usePixelRatio(): number {
  return useSyncExternalStore(
    subscribe,
    () => window.devicePixelRatio,
    () => 1,
  );
}

function subscribe(listener: () => void): () => void {
  addEventListener('resize', listener);
  return () => removeEventListener('resize', listener);
}
