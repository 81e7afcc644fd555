import type { InteropRun } from '@/lib/interop/run-schema';
import recorded from './reference-runs.json';

/** The runs of the repository, as `npm run test:peers -- --interop --save-interop-runs` wrote them last. */
export const referenceRuns = recorded as readonly InteropRun[];
