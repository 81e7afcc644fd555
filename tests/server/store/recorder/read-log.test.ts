import { expect, it } from 'vitest';
import { LogReader } from '@/server/store/recorder/log-reader';
import { readLog } from '@/server/store/recorder/read-log';
import { takeAwaitingSteps } from '@/tests/support/awaiting-steps';
import { emissionOf } from '@/tests/support/builders/recorder-emissions';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { ManualClock } from '@/tests/support/recorder-manual-clock';

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

it('the log is read in steps, in order and each observation once, also if it grows between two of them', async () => {
  const recorder = await openWholeRecorder({ clock: new ManualClock() });
  const reader = new LogReader(recorder.file);
  const append = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index++) recorder.append(emissionOf(index, null));
    await recorder.flushed();
  };
  await append(4_500);
  for (const order of ['asc', 'desc'] as const) {
    const seqs: number[] = [];
    const steps = readLog(reader, { order }, ({ seq }) => {
      seqs.push(seq);
      return true;
    });
    const before = recorder.stats().newestSeq;
    const first = steps.next();
    expect(first.done).toBe(false);
    await first.value;
    await append(10);
    expect(await takeAwaitingSteps(steps)).toBe(true);
    expect(seqs).toEqual(order === 'asc' ? range(1, before + 10) : range(1, before).reverse());
  }
  const stopped = readLog(reader, { order: 'asc' }, ({ seq }) => seq < 3);
  expect(await takeAwaitingSteps(stopped)).toBe(false);
  await reader.close();
  await recorder.close();
});

it('a reader that has read before finds what a new reader finds', async () => {
  const recorder = await openWholeRecorder({ clock: new ManualClock() });
  const reader = new LogReader(recorder.file);
  const textsOf = (of: LogReader) =>
    of.read((log) => log.readObservationTexts({ limit: 1_000, order: 'asc' }));
  let appended = 0;
  for (const count of [10, 5, 5, 700, 5]) {
    for (let index = 0; index < count; index++) recorder.append(emissionOf(appended + index, null));
    await recorder.flushed();
    appended += count;
    const other = new LogReader(recorder.file);
    const texts = await textsOf(reader);
    expect(texts).toHaveLength(appended);
    expect(texts).toEqual(await textsOf(other));
    await other.close();
  }
  await reader.close();
  await recorder.close();
});
