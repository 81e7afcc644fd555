import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { failureOf, type JobAbort, type JobAnswer, type JobRequest } from '../../../workers/serve-jobs';
import { lowerPriority } from '../../../workers/threads/lower-priority';
import { isStoreUrl, nameOfStore } from '../../store-url';
import { damagedCode, damageOf } from '../damaged-file';
import type { OpenRecording } from '../log-store';
import { notInPlaceCode, OpenFiles } from '../open-files';
import { openSharedRecording } from '../open-shared-recording';
import { errorCodeOf, RecorderError } from '../recorder-error';
import { openSqliteRecording } from '../sqlite/open-recording';
import { Turns } from './turns';

export interface RecorderWorkerData {
  /** The path of a recording, or the URL of a shared store. */
  readonly file: string;
  /** An earlier thread of this process had the file open. */
  readonly wasOpen: boolean;
}

const port = parentPort;
if (!port) throw new RecorderError('NO_PARENT', 'recorder-worker: expected to run as a worker thread');
const { file, wasOpen } = workerData as RecorderWorkerData;
lowerPriority();

let recording: OpenRecording | undefined;
let wasOpened = wasOpen;
const dataDir = path.dirname(file);
const isShared = isStoreUrl(file);
const folder = new OpenFiles(isShared ? [] : [dataDir, path.join(dataDir, 'recorder.lock')]);
/** Reading works wherever the files are; writing to moved files would lose data. */
const readsOnly = /^(?:totals|read|list|find|count|measure|close)/;
/** The result confirms to the caller that the data is stored, so the files must be in place afterwards. */
const acknowledged: ReadonlySet<string> = new Set(['savePermalink', 'addPin', 'removePin']);

/** Each operation sees the log as of one moment, retention apart, which is done in steps. */
const turns = new Turns();
port.on('message', (request: JobRequest<string, readonly unknown[]> | JobAbort) => {
  // An operation that has begun is completed.
  if ('abort' in request) return;
  void turns.take(async () => {
    const { id, kind, input } = request;
    port.postMessage({ id, ...(await answer(kind, input)) } satisfies JobAnswer);
  });
});

async function answer(operation: string, args: readonly unknown[]) {
  try {
    const isRead = readsOnly.test(operation);
    if (!isRead) folder.assertInPlace();
    const pause = () => turns.pass();
    recording ??= isShared
      ? await openSharedRecording(file, { pause })
      : await openSqliteRecording({ file, wasOpen: wasOpened, pause });
    wasOpened = true;
    const { operations, files } = recording;
    if (operation === 'close') return { ok: true, output: await close() } as const;
    if (!isRead) files.assertInPlace();
    if (operation === 'assertInPlace') return { ok: true, output: undefined } as const;
    const output = await call(operations, operation, args);
    if (acknowledged.has(operation)) {
      folder.assertInPlace();
      files.assertInPlace();
    }
    return { ok: true, output } as const;
  } catch (cause) {
    const error = damageOf(nameOfStore(file), cause);
    const code = errorCodeOf(error);
    if (!leavesFileUsable(code)) await reopenNextTime();
    return { ...failureOf(error), code };
  }
}

type Method = (...values: readonly unknown[]) => unknown;

function call(operations: object, operation: string, args: readonly unknown[]): unknown {
  const { [operation]: method } = operations as Readonly<Record<string, Method>>;
  if (method === undefined)
    throw new RecorderError('NO_OPERATION', `expected an operation, got ${operation}`);
  return method(...args);
}

async function close(): Promise<void> {
  const closing = recording;
  recording = undefined;
  await closing?.close();
}

const usableAfter = ['SQLITE_FULL', 'SQLITE_BUSY', 'SQLITE_CONSTRAINT', damagedCode, notInPlaceCode];

/** The connection is still usable after these errors; after others, as of a broken disk, the file is opened again. */
function leavesFileUsable(code: string): boolean {
  return usableAfter.some((prefix) => code.startsWith(prefix));
}

async function reopenNextTime(): Promise<void> {
  const failed = recording;
  recording = undefined;
  try {
    await failed?.abandon();
  } catch {
    // The original error is reported.
  }
}
