import type { LoadRecorder } from '../live/load/load-recorder';
import type { Clock } from '../observe';
import { packSeries, WaitingLoad } from '../store/load/waiting-load';
import type { StoreDatabase } from '../store/schema';
import { forwardLoad } from './forward-load';

interface CopiedLoad {
  readonly clock: Clock;
  readonly loads: Pick<LoadRecorder, 'blocksAfter' | 'excerptParts' | 'newestBlock'>;
  /** The name of the recording in the store. */
  readonly collector: string;
}

/** Clocks may differ by so much. */
const dayMs = 24 * 3_600_000;
const whole = Number.MAX_SAFE_INTEGER;

/**
 * Copies load over time into a store: what the recording has, as finely as it has it, and, if it was forwarded or copied before, what
 * is new since. A copy that was interrupted is completed by the next one.
 */
export async function copyLoad({ clock, loads, collector }: CopiedLoad, store: StoreDatabase): Promise<void> {
  const waiting = new WaitingLoad(store);
  if ((await waiting.newestOf(collector)) === 0 && (await waiting.copiedUntil(collector)) === 0)
    await waiting.beginCopy(collector, loads.newestBlock);
  const from = await waiting.copiedUntil(collector);
  if (from > 0 && from < whole) {
    const span = { from, to: clock.now() + dayMs };
    for await (const { span: read, series, values } of loads.excerptParts({ span, withFiles: true }))
      await waiting.copy(collector, read.to, { series: packSeries(series), bytes: values });
    await waiting.copy(collector, whole);
  }
  for (let after: number | undefined = await waiting.newestOf(collector); after !== undefined; )
    after = await forwardLoad({ clock, loads, collector }, waiting, after);
}
