import { historyKinds } from '@/lib/api/history-kinds';
import { eventShape } from '@/lib/view-model/history/event-shape';
import { statusStrokeWidth } from '@/lib/view-model/status-shape';
import { spritePx } from './sprite-size';
import type { Palette } from './use-palette';

const shapePx = 12;

/** Each kind's mark, drawn once: thousands of them are then copied within a frame. By index of historyKinds. */
export function drawSprites(palette: Palette, pixelRatio: number): HTMLCanvasElement[] {
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
    // A halo in the surface's colour keeps marks apart that lie on each other.
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
