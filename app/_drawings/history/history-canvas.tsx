'use client';

import { memo, useLayoutEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { statusStrokeWidth } from '@/lib/views/drawing/status-shape';
import { eventShape } from '@/lib/views/history/event-shape';
import { historyKinds } from '@/lib/views/history/history-kinds';
import { type HistoryScene, paintHistory, spritePx } from './paint-history';
import type { Palette } from './use-palette';

type HistoryCanvasProps = Omit<HistoryScene, 'palette' | 'drawMark' | 'hatch' | 'pixelRatio'> & {
  readonly palette: Palette;
};

/** The painted part of the timeline. It is hidden from screen readers, which have the table. */
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
    // Setting the size clears a canvas, even without a change.
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

/** The ratio changes with the screen and the browser's zoom. */
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

const tilePx = 6;

/** Diagonal strokes for unrecorded time; the plain colour if no pattern is available. */
function drawHatch(colour: string, pixelRatio: number): CanvasPattern | string {
  const tile = document.createElement('canvas');
  tile.width = Math.round(tilePx * pixelRatio);
  tile.height = tile.width;
  const context = tile.getContext('2d');
  if (context === null) return colour;
  context.scale(pixelRatio, pixelRatio);
  context.strokeStyle = colour;
  context.lineWidth = 1.25;
  for (const shift of [-tilePx, 0, tilePx]) {
    context.beginPath();
    context.moveTo(shift, tilePx);
    context.lineTo(shift + tilePx, 0);
    context.stroke();
  }
  const pattern = context.createPattern(tile, 'repeat');
  pattern?.setTransform(new DOMMatrix().scale(1 / pixelRatio));
  return pattern ?? colour;
}

const shapePx = 12;

/** Each kind's mark, drawn once and copied per frame. By index of historyKinds. */
function drawSprites(palette: Palette, pixelRatio: number): HTMLCanvasElement[] {
  return historyKinds.map((kind, index) => {
    const sprite = document.createElement('canvas');
    sprite.width = Math.ceil(spritePx * pixelRatio);
    sprite.height = sprite.width;
    const context = sprite.getContext('2d');
    if (context === null) return sprite;
    const { path, filled } = eventShape(kind);
    const scale = (shapePx / 16) * pixelRatio;
    const inset = ((spritePx - shapePx) / 2) * pixelRatio;
    context.setTransform(scale, 0, 0, scale, inset, inset);
    context.lineJoin = 'round';
    context.lineCap = 'round';
    const shape = new Path2D(path);
    // A halo separates marks that overlap.
    context.strokeStyle = palette.raised;
    context.lineWidth = statusStrokeWidth + 3;
    context.stroke(shape);
    const colour = palette.kinds[index] ?? palette.text;
    context.fillStyle = filled ? colour : palette.raised;
    if (filled || path.endsWith('Z')) context.fill(shape);
    if (!filled) {
      context.strokeStyle = colour;
      context.lineWidth = statusStrokeWidth + 0.6;
      context.stroke(shape);
    }
    return sprite;
  });
}
