import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/**
 * Frees what is not used any more, now. A thread that waits for the next message collects nothing by itself: of a
 * response of 107 MB the message and its pieces stayed until the next one came, and were 200 MB. Takes some 50 ms for
 * each 100 MB of objects; for a thread that serves nobody.
 */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}
