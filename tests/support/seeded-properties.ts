import fc from 'fast-check';
import { isLong, runs } from './runs';

/**
 * `npm test` uses the same examples everywhere, so that a failure is caused by the change and never by chance.
 * `npm run test:long` chooses another seed each time, and stops each property after `longMs`.
 */
const longMs = 10_000;

fc.configureGlobal({
  seed: Number(process.env.XDSCOPE_SEED ?? 20_261_121),
  numRuns: runs(100),
  ...(isLong && { interruptAfterTimeLimit: longMs }),
});
