import path from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { lowerPriority } from '../../threads/lower-priority';
import { failureOf, type JobAbort, type JobAnswer, type JobRequest } from '../../workers/serve-jobs';
import { HeldBodies, heldOperations } from '../bodies/held-bodies';
import { damagedCode, withDamageNamed } from '../damaged-file';
import { notInPlaceCode, OpenFiles } from '../open-files';
import { errorCodeOf, RecorderError } from '../recorder-error';
import { openSqliteLog } from '../sqlite/sqlite-log';
import {
  logStoreOf,
  rushBatches,
  type StoreJobs,
  type StoreOperations,
  type ThreadOperations,
} from './log-store';

export interface RecorderWorkerData {
  readonly file: string;
  /** An earlier thread of this process had the file open. */
  readonly wasOpen: boolean;
}

const port = parentPort;
if (!port) throw new RecorderError('NO_PARENT', 'recorder-worker: expected to run as a worker thread');
const { file, wasOpen } = workerData as RecorderWorkerData;
lowerPriority();

const held = new HeldBodies();
const withoutFile = heldOperations(held);
let store: StoreOperations | undefined;
let wasOpened = wasOpen;
const dataDir = path.dirname(file);
const folder = new OpenFiles([dataDir, path.join(dataDir, 'recorder.lock')]);
/** Reading works wherever the files are; writing to moved files would lose data. */
const readsOnly = /^(?:totals|read|find|scan|count|mark|density|measure|plan|close|abandon)/;

/** Garbage is collected after this much allocation, and when idle: V8 does not collect while a thread waits. */
const muchBytes = 16 * 1024 * 1024;
const littleBytes = 2 * 1024 * 1024;
const idleMs = 1_000;
/** While observations are recorded without pauses, garbage collection takes at most a thirtieth of the time. */
const leastRestMs = 500;
const restFactor = 30;
let restsUntil = 0;
/** Size of the heap after the last collection. */
let heapBytes = 0;
const whenIdle = setTimeout(() => collectAbove(littleBytes), idleMs).unref();

function collectAbove(bytes: number): void {
  const startedAt = performance.now();
  if (startedAt < restsUntil) return;
  if (getHeapStatistics().used_heap_size < heapBytes + bytes) return;
  globalThis.gc?.();
  const endedAt = performance.now();
  restsUntil = endedAt + Math.max(leastRestMs, restFactor * (endedAt - startedAt));
  heapBytes = getHeapStatistics().used_heap_size;
}

type StoreRequest = JobRequest<keyof StoreJobs, StoreJobs[keyof StoreJobs]['input']>;

port.on('message', (request: StoreRequest | JobAbort) => {
  // An operation that has begun is completed.
  if ('abort' in request) return;
  const { id, kind, input } = request;
  held.drain();
  port.postMessage({ id, ...answer(kind, input) } satisfies JobAnswer);
  if (!isRush(kind, input)) collectAbove(muchBytes);
  whenIdle.refresh();
});

/** During many writes V8 decides when to collect: a full collection between two would delay the second. */
function isRush(operation: keyof ThreadOperations, [batches]: readonly unknown[]): boolean {
  return operation === 'write' && Array.isArray(batches) && batches.length >= rushBatches;
}

/** The result confirms to the caller that the data is stored, so the files must be in place afterwards. */
const acknowledged: ReadonlySet<keyof ThreadOperations> = new Set(['savePermalink', 'addPin', 'removePin']);

function answer(operation: keyof ThreadOperations, args: readonly unknown[]) {
  try {
    if (operation in withoutFile) {
      const method = withoutFile[operation as keyof typeof withoutFile] as (
        ...values: readonly unknown[]
      ) => unknown;
      return { ok: true, output: method(...args) as StoreJobs[typeof operation]['output'] } as const;
    }
    if (!readsOnly.test(operation)) folder.assertInPlace();
    store ??= openSqliteLog(file, wasOpened, (storage) => logStoreOf(storage, held));
    wasOpened = true;
    if (!readsOnly.test(operation)) store.assertInPlace();
    const method = store[operation as keyof StoreOperations] as (...values: readonly unknown[]) => unknown;
    const output = withDamageNamed(file, () => method(...args)) as StoreJobs[typeof operation]['output'];
    if (acknowledged.has(operation)) {
      folder.assertInPlace();
      store.assertInPlace();
    }
    if (operation === 'close' || operation === 'abandon') store = undefined;
    return { ok: true, output } as const;
  } catch (error) {
    const code = errorCodeOf(error);
    if (!leavesFileUsable(code)) reopenNextTime();
    return { ...failureOf(error), code };
  }
}

const usableAfter = ['SQLITE_FULL', 'SQLITE_BUSY', 'SQLITE_CONSTRAINT', damagedCode, notInPlaceCode];

/** The connection is still usable after these errors; after others, as of a broken disk, the file is opened again. */
function leavesFileUsable(code: string): boolean {
  return usableAfter.some((prefix) => code.startsWith(prefix));
}

function reopenNextTime(): void {
  const failed = store;
  store = undefined;
  try {
    failed?.abandon();
  } catch {
    // The original error is reported.
  }
}
