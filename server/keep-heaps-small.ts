import { setFlagsFromString } from 'node:v8';

/**
 * V8 lets garbage grow to the size of what is in use before it collects, in each of our threads. Here a tenth of that is
 * enough, and 2 MB for what is new in threads that begin from now on. (Of the main thread that is told at its start, by
 * `npm start`.)
 */
export function keepHeapsSmall(): void {
  setFlagsFromString('--heap-growing-percent=10');
  setFlagsFromString('--max-semi-space-size=2');
}
