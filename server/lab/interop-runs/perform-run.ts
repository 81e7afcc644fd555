import os from 'node:os';
import type { InteropCase } from '@/lib/interop/interop-case';
import { findKnownResult } from '@/lib/interop/known-results';
import type { InteropRun } from '@/lib/interop/run-schema';
import { labServer } from './client-program';
import { type RunCaseOptions, runCase } from './run-case';

/** Runs a case, and returns what pages and reports show of it. */
export async function performRun(
  testCase: InteropCase,
  options: RunCaseOptions & { readonly id: string },
): Promise<InteropRun> {
  const { id, program, nodeId, clock, flagged, serverProgram = labServer() } = options;
  const { environment } = testCase.client ?? {};
  const startedAt = clock.now();
  const machine = describeMachine();
  const result = await runCase(testCase, options);
  const known = result.verdict === 'works' ? undefined : findKnownResult(testCase.name, program);
  return {
    ...{ id, nodeId, startedAt, case: testCase.name, state: 'ended', endedAt: clock.now() },
    client: { name: program.name, version: program.version },
    ...(testCase.isSecure && { backends: { name: serverProgram.name, version: serverProgram.version } }),
    ...result,
    machine,
    steps: [...result.steps],
    flags: [...result.flags],
    ...(flagged !== undefined && { environment }),
    of: testCase.steps.length + 1,
    ...(known?.verdict === result.verdict && { known: known.reason }),
  };
}

/** The machine now, on which a result can depend. */
function describeMachine(): InteropRun['machine'] {
  const [load = 0] = os.loadavg();
  return {
    platform: `${process.platform} ${process.arch}`,
    cores: os.availableParallelism(),
    load,
    node: process.version,
  };
}

/**
 * Runs a case, and again with the environment variables that switch its feature on if it does not work without them and the
 * result is not listed. `perform` gets the reason of the run without them, if there was one. Resolves to the last run.
 */
export async function runWithFlags(
  { client }: InteropCase,
  perform: (flagged?: string) => Promise<InteropRun>,
): Promise<InteropRun> {
  const run = await perform();
  const { verdict, known, reason } = run;
  const isDecided = verdict === 'works' || verdict === 'inconclusive' || known !== undefined;
  return isDecided || client?.environment === undefined ? run : perform(reason);
}
