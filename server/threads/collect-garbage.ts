import { setFlagsFromString } from 'node:v8';
import { measureMemory, runInNewContext } from 'node:vm';

let collect: ((options?: { readonly type: 'minor' }) => void) | undefined;

/**
 * Collects all garbage, which takes some 50 ms for each 100 MB of objects, or only that of new objects
 * ('young') in less than a millisecond. Threads that serve requests should collect all garbage only of small
 * heaps; see collectInSteps().
 */
export function collectGarbage(of: 'all' | 'young' = 'all'): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as typeof collect;
  }
  if (of === 'young') collect?.({ type: 'minor' });
  else collect?.();
}

let collecting: Promise<void> | undefined;
let isRequestedAgain = false;

/**
 * Collects garbage in steps while the thread does other work, and resolves when that is done. A call during a
 * collection causes one more, because garbage that is created after its beginning remains.
 * A thread that waits for a message collects no garbage: after a response of 107 MB, 200 MB of messages and
 * pieces remained until the next one. Collecting all of it at once would block the main thread, because V8
 * lets one thread of the process at a time end a collection (cppgc's g_process_mutex): ends of the main
 * thread's own collections waited for 70 to 90 ms. In steps, they wait for a few milliseconds.
 */
export function collectInSteps(): Promise<void> {
  isRequestedAgain = collecting !== undefined;
  collecting ??= (async () => {
    do {
      isRequestedAgain = false;
      await measureSilently();
    } while (isRequestedAgain);
    collecting = undefined;
  })();
  return collecting;
}

/**
 * V8 has no call that begins an incremental collection, but measureMemory() begins with one. Node.js emits a
 * warning for it, once in each thread; its figures are not used.
 */
function measureSilently(): Promise<unknown> {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return measureMemory({ mode: 'summary', execution: 'eager' });
  } finally {
    process.emitWarning = emitWarning;
  }
}
