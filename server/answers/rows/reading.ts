import { type AwaitingSteps, awaitIn } from '@/lib/cooperative/steps';
import type { Body } from '../../observe';
import type { LogReader } from '../../store/recorder/log-reader';
import type { Recorder } from '../../store/recorder/recorder';
import { inPages } from '../../workers/in-pages';
import { nextTurn, sliceMs } from '../../workers/threads/in-slices';
import type { BodyKey, BodyReadings } from './body-readings';

/**
 * Work that reads bodies. It yields the keys of those that it lacks, and continues when they are in the readings. An
 * empty list is a step between which other work may run; a promise is awaited before the next step.
 */
export type Reading<T> = Generator<readonly BodyKey[] | Promise<void>, T, void>;

/** The limit exceeds the depth of nested aggregate clusters. */
const maxRounds = 100;

/** Repeats `attempt` until no body is missing, with the bodies that were missing before. */
export function* readUntilWhole<T>(attempt: (missing: Map<string, BodyKey>) => T): Reading<T> {
  for (let round = 0; round < maxRounds; round++) {
    const missing = new Map<string, BodyKey>();
    const result = attempt(missing);
    if (missing.size === 0) return result;
    yield [...missing.values()];
  }
  throw new Error(`expected no body to be missing after ${maxRounds} rounds of reading`);
}

interface Supplied<T> {
  readonly reading: Reading<T>;
  readonly readings: BodyReadings;
}

/** Number of bodies that are read and decoded in one step. The log reads those of one pack together. */
const bodiesAtOnce = { inWorker: 500, inPlace: 50 };

/** Supplies a worker, which reads the file of the log itself. `pending` are bodies that are not written yet. */
export function* supplyFromLog<T>(
  { reading, readings }: Supplied<T>,
  log: Pick<LogReader, 'readBodies'>,
  pending: readonly Body[],
): AwaitingSteps<T> {
  try {
    for (;;) {
      const next = reading.next();
      if (next.done === true) return next.value;
      yield next.value instanceof Promise ? next.value : undefined;
      if (next.value instanceof Promise) continue;
      for (const keys of inPages(next.value, bodiesAtOnce.inWorker)) {
        const hashes = keys.map(({ hash }) => hash);
        take(readings, keys, yield* awaitIn(log.readBodies(hashes, pending)));
        yield;
      }
    }
  } finally {
    end(reading);
  }
}

/** Supplies the main thread, with small clients. `pending` are bodies that the recorder does not have. */
export async function supplyFromRecorder<T>(
  { reading, readings }: Supplied<T>,
  recorder: Pick<Recorder, 'readBodies'>,
  signal: AbortSignal | undefined,
  pending: readonly Body[] = [],
): Promise<T> {
  const own = new Map(pending.map((body) => [body.hash, body]));
  let startedAt = performance.now();
  try {
    for (;;) {
      const next = reading.next();
      if (next.done === true) return next.value;
      if (performance.now() - startedAt >= sliceMs) {
        await nextTurn();
        startedAt = performance.now();
      }
      if (next.value instanceof Promise) {
        await next.value;
        continue;
      }
      for (const keys of inPages(next.value, bodiesAtOnce.inPlace)) {
        const wanted = keys.map(({ hash }) => hash).filter((hash) => !own.has(hash));
        const read = wanted.length === 0 ? own : await recorder.readBodies(wanted, signal);
        take(readings, keys, own.size === 0 ? read : new Map([...read, ...own]));
      }
    }
  } finally {
    end(reading);
  }
}

function take(readings: BodyReadings, keys: readonly BodyKey[], bodies: ReadonlyMap<string, Body>): void {
  for (const key of keys) {
    const body = bodies.get(key.hash);
    if (body === undefined) readings.takeAbsent(key);
    else readings.take(key, body.bytes);
  }
}

/** Runs the `finally` block of a reading that has not ended. */
function end(reading: Reading<unknown>): void {
  reading.return(undefined);
}
