import { type Quadtree, quadtree } from 'd3';
import type { HistoryFrame } from '@/lib/views/history/layout-history';

/** Half of the least size of a target, WCAG 2.2, 2.5.8. */
const reachPx = 12;

/** Finds marks under the pointer. The tree is built on first use, because most frames never need it. */
export class HitMarks {
  readonly #frame: HistoryFrame;
  #tree: Quadtree<number> | undefined;

  constructor(frame: HistoryFrame) {
    this.#frame = frame;
  }

  /** The index of the nearest mark; for a burst, of its first event. */
  find(x: number, y: number): number | undefined {
    const { marks, bursts } = this.#frame;
    this.#tree ??= quadtree<number>()
      .x((index) => marks.x[index] ?? 0)
      .y((index) => marks.y[index] ?? 0)
      .addAll(Array.from(marks.x.keys()));
    const found = this.#tree.find(x, y, reachPx);
    if (found !== undefined) return marks.mark[found];
    const burst = bursts.find(
      (pill) => Math.abs(y - pill.y) < reachPx && x > pill.x - reachPx && x < pill.x + pill.width + reachPx,
    );
    return burst?.mark;
  }

  /** Returns true if a finger at this point covers marks of several times. */
  isCrowded(x: number, y: number): boolean {
    const { marks } = this.#frame;
    const covered = marks.x.filter(
      (markX, index) => Math.hypot(markX - x, (marks.y[index] ?? 0) - y) < reachPx,
    );
    return Math.max(...covered) - Math.min(...covered) > 1;
  }

  /** The number of events in the burst at this point; 0 without a burst. */
  burstAt(x: number, y: number): number {
    const burst = this.#frame.bursts.find(
      (pill) => Math.abs(y - pill.y) < reachPx && x > pill.x - reachPx && x < pill.x + pill.width + reachPx,
    );
    return burst?.count ?? 0;
  }
}
