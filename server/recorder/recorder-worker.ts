import { parentPort, workerData } from 'node:worker_threads';
import { errorCodeOf, RecorderError } from './recorder-error';
import { openStore, type StoreOperations } from './store';

/** What the recorder asks of this thread: a method of the store. Answered in the order of asking. */
export interface WorkerRequest {
  readonly id: number;
  readonly operation: keyof StoreOperations;
  readonly args: readonly unknown[];
}

export type WorkerAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: { readonly code: string; readonly message: string } };

const port = parentPort;
if (!port) throw new RecorderError('NO_PARENT', 'recorder-worker: expected to run as a worker thread');
const { file } = workerData as { file: string };

let store: StoreOperations | undefined;

port.on('message', ({ id, operation, args }: WorkerRequest) => {
  port.postMessage(answer(id, operation, args));
});

function answer(id: number, operation: keyof StoreOperations, args: readonly unknown[]): WorkerAnswer {
  try {
    store ??= openStore(file);
    const method = store[operation] as (...values: readonly unknown[]) => unknown;
    const value = method(...args);
    if (operation === 'close' || operation === 'abandon') store = undefined;
    return { id, value };
  } catch (error) {
    const code = errorCodeOf(error);
    if (!leavesFileUsable(code)) reopenNextTime();
    return { id, error: { code, message: error instanceof Error ? error.message : String(error) } };
  }
}

/** After these SQLite's connection is as good as before; after others (a dying disk, a moved file) open it afresh. */
function leavesFileUsable(code: string): boolean {
  return ['SQLITE_FULL', 'SQLITE_BUSY', 'SQLITE_CONSTRAINT'].some((prefix) => code.startsWith(prefix));
}

function reopenNextTime(): void {
  const failed = store;
  store = undefined;
  try {
    failed?.abandon();
  } catch {
    // It failed already, and that is what is being reported.
  }
}
