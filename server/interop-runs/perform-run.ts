import type { InteropCase } from '@/lib/interop/interop-case';
import { findKnownResult } from '@/lib/interop/known-results';
import type { InteropRun } from '@/lib/interop/run-schema';
import { type RunCaseOptions, runCase } from './run-case';

/** Runs a case, and returns what pages and reports show of it. */
export async function performRun(
  testCase: InteropCase,
  options: RunCaseOptions & { readonly id: string },
): Promise<InteropRun> {
  const { id, program, nodeId, clock } = options;
  const startedAt = clock.now();
  const result = await runCase(testCase, options);
  const known = result.verdict === 'works' ? undefined : findKnownResult(testCase.name, program);
  return {
    ...{ id, nodeId, startedAt, case: testCase.name, state: 'ended', endedAt: clock.now() },
    client: { name: program.name, version: program.version },
    ...result,
    steps: [...result.steps],
    flags: [...result.flags],
    of: testCase.steps.length + 1,
    ...(known?.verdict === result.verdict && { known: known.reason }),
  };
}
