import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { interopCases } from '@/lib/interop/cases/interop-cases';
import { formatRun, formatRunCounts } from '@/lib/interop/format-runs';
import type { InteropCase } from '@/lib/interop/interop-case';
import { findKnownResult } from '@/lib/interop/known-results';
import type { InteropRun } from '@/lib/interop/run-schema';
import type { ClientProgram, ServerProgram } from '@/server/lab/interop-runs/client-program';
import { serverProgramsOf } from '@/server/lab/interop-runs/find-client-programs';
import { performRun, runWithFlags } from '@/server/lab/interop-runs/perform-run';
import { systemClock } from '@/server/observe';
import { projectRoot } from '@/server/project-root';
import type { Results } from '../results';

interface InteropStoryOptions {
  readonly programs: readonly ClientProgram[];
  /** All cases instead of those of every run. */
  readonly isWhole: boolean;
  /** The runs replace those of their clients and versions among the runs that ship with xdscope. */
  readonly isSaved: boolean;
  readonly workDir: string;
  readonly results: Results;
  readonly print: (line: string) => void;
}

/**
 * Cases of every run: one for each of balancing, failover, targets, outliers, faults and retries, all short. `path_matching` is not
 * among them: gRPC-Go 1.85.0 fails a waiting RPC now and then when a route first names a cluster, measured in 2 of 24 runs.
 */
const usualCases = [
  'ping_pong',
  'gentle_failover',
  'forwarding_rule_port_match',
  'outlier_detection',
  'fault_always_abort',
  'retry_4_of_4',
];

const savedIn = 'server/lab/interop-runs/reference-runs.json';

/**
 * Runs cases with each client, and compares the verdicts with `works` or with what is listed. A whole run also has the cases of
 * xDS-enabled servers with those of other programs than the lab's.
 */
export async function runInteropCases(options: InteropStoryOptions): Promise<void> {
  const { programs, isWhole, isSaved, workDir } = options;
  mkdirSync(path.join(workDir, 'interop'), { recursive: true });
  const cases = interopCases.filter(({ name }) => isWhole || usualCases.includes(name));
  const all = await Promise.all(programs.map((program) => runCases(options, program, cases)));
  if (isSaved) save(all.flat());
  const [lab] = programs;
  if (!isWhole || lab === undefined) return;
  const secure = interopCases.filter(({ isSecure }) => isSecure);
  for (const server of serverProgramsOf(programs).slice(1)) await runCases(options, lab, secure, server);
}

/** `server`: the program of the xDS-enabled servers. Absent: that of the lab. */
async function runCases(
  { workDir, results, print }: InteropStoryOptions,
  program: ClientProgram,
  cases: readonly InteropCase[],
  server?: ServerProgram,
): Promise<readonly InteropRun[]> {
  const title = `${program.name} ${program.version}`;
  const who = server === undefined ? title : `${title} to ${server.name} ${server.version}`;
  const runs: InteropRun[] = [];
  for (const testCase of cases) {
    const run = await decide(testCase, program, server);
    runs.push(run);
    print(`${who}: ${formatRun(run)}`);
    const of = {
      ...({ flavor: 'grpc', peer: title, protocol: 'sotw', server: 'xdscope' } as const),
      ...{
        chapter: 'interop',
        moment: testCase.name + (server === undefined ? '' : ` to ${server.name} ${server.version}`),
      },
    };
    const expected = findKnownResult(testCase.name, program)?.verdict ?? 'works';
    const isFlaky = expected === 'flaky' && (run.verdict === 'works' || run.verdict === 'fails');
    if (run.verdict === expected || isFlaky) print(results.pass(of));
    else print(results.fail(of, new Error(`expected ${expected}, got ${run.verdict}: ${run.reason}`)));
  }
  print(`${who}: ${formatRunCounts(runs)}`);
  writeFileSync(
    path.join(workDir, 'interop', `${who.replaceAll(' ', '-')}.json`),
    JSON.stringify(runs, null, 2),
  );
  return runs;
}

/** The file has one run in a line. A program that runs well writes nothing of interest. */
function save(runs: readonly InteropRun[]): void {
  const file = path.join(projectRoot, savedIn);
  const keyOf = ({ client }: InteropRun): string => `${client.name}@${client.version}`;
  const replaced = new Set(runs.map(keyOf));
  const earlier = JSON.parse(readFileSync(file, 'utf8')) as InteropRun[];
  const kept = earlier.filter((run) => !replaced.has(keyOf(run)));
  const lines = [...runs, ...kept].map((run) =>
    JSON.stringify(run.verdict === 'works' ? { ...run, stderr: '' } : run),
  );
  writeFileSync(file, `[\n${lines.join(',\n')}\n]\n`);
}

/** A run that proves nothing, as on a busy machine, is repeated once. */
async function decide(
  testCase: InteropCase,
  program: ClientProgram,
  serverProgram: ServerProgram | undefined,
): Promise<InteropRun> {
  const perform = (): Promise<InteropRun> =>
    runWithFlags(testCase, (flagged) => {
      const id = randomUUID();
      const nodeId = `interop-${program.name}-${testCase.name}-${id.slice(0, 8)}`;
      return performRun(testCase, {
        ...{ id, program, nodeId, clock: systemClock },
        ...(serverProgram && { serverProgram }),
        ...(flagged !== undefined && { flagged }),
      });
    });
  const run = await perform();
  return run.verdict === 'inconclusive' ? perform() : run;
}
