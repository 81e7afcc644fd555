import type { CDPSession, Page } from 'playwright-core';

/** One gesture of so many steps, one step in each frame. */
export interface FrameTimes {
  /** From one frame to the next, in milliseconds. */
  readonly frames: readonly number[];
  /** Processor time of the page's main thread for one frame, in milliseconds: all of it, scripts, styles and layout. */
  readonly taskMs: number;
  readonly scriptMs: number;
  readonly layoutMs: number;
}

/**
 * Runs `step` (source of a function of the step's number, in the page) once per animation frame, and reports how long
 * frames took. Events are made in the page, as a browser gives them to it: those of one frame together, before it.
 */
export async function measureFrames(page: Page, steps: number, step: string): Promise<FrameTimes> {
  const session = await page.context().newCDPSession(page);
  // Processor time: what others do on the machine meanwhile is not in it.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const before = await readMetrics(session);
  const frames = await page.evaluate<number[], { steps: number; source: string }>(
    ({ steps: count, source }) =>
      new Promise((resolve) => {
        const run = new Function('index', source) as (index: number) => void;
        const times: number[] = [];
        let index = 0;
        const frame = (now: number) => {
          times.push(now);
          if (index === count) {
            resolve(times.slice(1).map((at, place) => at - (times[place] ?? at)));
            return;
          }
          run(index);
          index += 1;
          requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
      }),
    { steps, source: step },
  );
  const after = await readMetrics(session);
  await session.detach();
  const perFrame = (name: string) => (((after.get(name) ?? 0) - (before.get(name) ?? 0)) * 1_000) / steps;
  return {
    frames,
    taskMs: perFrame('TaskDuration'),
    scriptMs: perFrame('ScriptDuration'),
    layoutMs: perFrame('LayoutDuration') + perFrame('RecalcStyleDuration'),
  };
}

async function readMetrics(session: CDPSession): Promise<Map<string, number>> {
  const { metrics } = await session.send('Performance.getMetrics');
  return new Map(metrics.map(({ name, value }) => [name, value]));
}

export function describeFrames({ frames, taskMs, scriptMs, layoutMs }: FrameTimes): string {
  const sorted = [...frames].sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1).padStart(6);
  const work = `main thread ${taskMs.toFixed(1)} a frame (scripts ${scriptMs.toFixed(1)}, layout ${layoutMs.toFixed(1)})`;
  return `p50 ${at(0.5)}  p95 ${at(0.95)}  max ${at(1)} ms; ${work}`;
}
