import { setFlagsFromString } from 'node:v8';
import { measureMemory, runInNewContext } from 'node:vm';

let collect: ((options?: { readonly type: 'minor' }) => void) | undefined;

/**
 * Collects garbage now. Takes some 50 ms for each 100 MB of objects: call it only in threads that serve nobody, or for
 * small heaps; see collectInSteps(). `young`: only new objects, in less than a millisecond.
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
let isWantedAgain = false;

/**
 * Frees what is not used any more, step by step beside what the thread does; resolves when that is done. Asked for
 * meanwhile, it is done once more, as a collection leaves what becomes garbage after its beginning.
 *
 * A thread that waits for the next message collects nothing by itself: of a response of 107 MB the message and its pieces
 * stayed until the next one came, and were 200 MB. Collected all at once it holds up the main thread: V8 lets one thread
 * of the process at a time end a collection (cppgc's g_process_mutex), so that one who is about to end its own waits
 * until 100 MB of another thread are gone through (70 to 90 ms seen, asleep). In steps that end takes few milliseconds.
 */
export function collectInSteps(): Promise<void> {
  isWantedAgain = collecting !== undefined;
  collecting ??= (async () => {
    do {
      isWantedAgain = false;
      await measureSilently();
    } while (isWantedAgain);
    collecting = undefined;
  })();
  return collecting;
}

/**
 * V8 has no call that begins an incremental collection, but measureMemory() begins with one. Node.js emits a warning
 * for it, once in each thread; its figures are not used.
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
