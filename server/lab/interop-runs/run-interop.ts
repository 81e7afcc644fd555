/**
 * `npm run interop -- --client NAME`: runs cases of the gRPC xDS interop tests with a client, on a management server and
 * backends of its own. Ends with 0 if every case works, or does by flag, 1 if one does not, and 2 if no case could run.
 */
import { randomUUID } from 'node:crypto';
import { Option } from 'commander';
import { interopCases } from '@/lib/interop/cases/interop-cases';
import { formatRun, formatRunCounts, formatRunsAsJunit } from '@/lib/interop/format-runs';
import type { InteropRun } from '@/lib/interop/run-schema';
import { interopCommand, runCommand, UsageError, valueOption } from '../../command-line';
import { systemClock } from '../../observe';
import { type ClientProgram, ownProgram } from './client-program';
import { findClientPrograms, serverProgramsOf } from './find-client-programs';
import { chooseCases, findProgram, listPrograms } from './interop-runs';
import { performRun, runWithFlags } from './perform-run';

interface Options {
  readonly client?: string;
  readonly case?: readonly string[];
  readonly command?: readonly string[];
  readonly backends?: string;
  readonly list?: true;
  readonly format: 'text' | 'json' | 'junit';
}

const command = interopCommand('Runs cases of the gRPC xDS interop tests with a client, on loopback.')
  .addOption(valueOption('--client <name>', 'the client, as in grpc-js, grpc-go or grpc-go@1.85.0'))
  .addOption(
    valueOption(
      '--command <word...>',
      'the command of a client that is not listed: it gets the flags of the gRPC test description; --client names it',
    ),
  )
  .addOption(valueOption('--case <name...>', 'only these cases, as in gentle_failover (default: all)'))
  .addOption(
    valueOption(
      '--backends <name>',
      'the program of the xDS-enabled servers, which cases of security and authorization have (default: grpc-js)',
    ),
  )
  .option('--list', 'list clients and cases')
  .addOption(
    new Option('--format <format>', 'of the results').choices(['text', 'json', 'junit']).default('text'),
  );

async function main(): Promise<number> {
  const { client, command: words, case: names, backends, list, format }: Options = command.parse().opts();
  const programs = await findClientPrograms();
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  if (list) {
    for (const { name, version } of programs) print(`client  ${name}@${version}`);
    for (const { name, title } of interopCases) print(`case    ${name}: ${title}`);
    return 0;
  }
  const program = words === undefined ? findProgram(programs, client) : describeProgram(client, words);
  if (program === undefined)
    throw new UsageError(`--client: expected one of ${listPrograms(programs)}, got ${client ?? 'none'}`);
  const servers = serverProgramsOf(programs);
  const serverProgram = backends === undefined ? undefined : findProgram(servers, backends);
  if (backends !== undefined && serverProgram === undefined)
    throw new UsageError(`--backends: expected one of ${listPrograms(servers)}, got ${backends}`);
  const { cases, unknown } = chooseCases(names);
  if (unknown !== undefined) {
    const known = interopCases.map(({ name }) => name).join(', ');
    throw new UsageError(`--case: expected one of ${known}, got ${unknown}`);
  }
  const runs: InteropRun[] = [];
  for (const testCase of cases) {
    const run = await runWithFlags(testCase, (flagged) => {
      const id = randomUUID();
      const nodeId = `interop-${program.name}-${testCase.name}-${id.slice(0, 8)}`;
      return performRun(testCase, {
        ...{ id, program, nodeId, clock: systemClock },
        ...(serverProgram && { serverProgram }),
        ...(flagged !== undefined && { flagged }),
      });
    });
    runs.push(run);
    if (format === 'text') print(formatRun(run));
  }
  if (format === 'json') print(JSON.stringify({ runs }, null, 2));
  if (format === 'junit') print(formatRunsAsJunit(runs));
  const to = serverProgram === undefined ? '' : ` to ${serverProgram.name} ${serverProgram.version}`;
  if (format === 'text') print(`${program.name} ${program.version}${to}: ${formatRunCounts(runs)}`);
  if (runs.every(({ verdict }) => verdict === 'inconclusive')) return 2;
  return runs.every(({ verdict }) => verdict === 'works' || verdict === 'by-flag') ? 0 : 1;
}

/** The folder of the user: npm starts this program in another one. */
const startedIn = process.env.XDSCOPE_CWD ?? process.cwd();

/** `stated`: "NAME" or "NAME@VERSION". */
function describeProgram(stated: string | undefined, words: readonly string[]): ClientProgram {
  const [name = '', version = 'unknown'] = stated?.split('@') ?? [];
  if (name === '') throw new UsageError('--command: expected --client NAME@VERSION beside it, got none');
  const program = ownProgram({ name, version, command: words }, startedIn);
  if (program.unavailable !== undefined) throw new UsageError(`--command: ${program.unavailable}`);
  return program;
}

runCommand(main);
