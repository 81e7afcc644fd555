import fc from 'fast-check';
import { runs } from './runs';

/**
 * In `npm test` properties run over the same examples everywhere: a red build is a fault of its change, never bad luck.
 * `npm run test:long` chooses another seed each time, and gives each property this long.
 */
const longMs = 10_000;

fc.configureGlobal({
  seed: Number(process.env.XDSCOPE_SEED ?? 20_261_121),
  numRuns: runs(100),
  ...(process.env.XDSCOPE_LONG === '1' && { interruptAfterTimeLimit: longMs }),
});
