/**
 * `npm run interop -- --server HOST:PORT`: checks a management server by the rules of the xDS transport protocol, without
 * changing it. Ends with 0 if no rule of the level `must` is broken, 1 if one is, and 2 if the checks could not run.
 */
import path from 'node:path';
import { Option } from 'commander';
import { formatCounts, formatJunit, formatNotAsked, formatResult } from '@/lib/server-checks/format-results';
import { clientFeatures } from '../../collect/xds/stream/xds-node';
import { interopCommand, runCommand, UsageError, valueOption } from '../../command-line';
import { systemClock } from '../../observe';
import { BootstrapError } from '../../transport/bootstrap/bootstrap-error';
import { readBootstrap } from '../../transport/bootstrap/read-bootstrap';
import { plainServer, type ServerConfig } from '../../transport/bootstrap/server-config';
import { parseTarget } from '../../transport/targets/target';
import { CheckError } from './check-run';
import { runChecks, serverChecks } from './run-checks';

interface Options {
  readonly server?: string;
  readonly bootstrap?: string;
  readonly nodeId?: string;
  readonly check?: readonly string[];
  readonly allowNack?: true;
  readonly format: 'text' | 'json' | 'junit';
}

interface Peer {
  readonly server: ServerConfig;
  /** Absent: each check has a node of its own. */
  readonly node?: Readonly<Record<string, unknown>>;
}

const program = interopCommand(
  'Checks a management server by the rules of the xDS transport protocol. The server is only read.',
)
  .addOption(valueOption('--server <host:port>', 'the management server, in plain text'))
  .addOption(
    valueOption(
      '--bootstrap <file>',
      'a bootstrap of gRPC or Envoy: its first server, with its credentials, and its node',
    ),
  )
  .addOption(
    valueOption(
      '--node-id <id>',
      'the node id of all streams; by default each check has its own, as in xdscope-check-S1',
    ),
  )
  .addOption(valueOption('--check <id...>', 'only these checks, as in S1 D5'))
  .option('--allow-nack', 'run the checks that reject a response, which the server reports')
  .addOption(
    new Option('--format <format>', 'of the results').choices(['text', 'json', 'junit']).default('text'),
  );

async function main(): Promise<number> {
  const options: Options = program.parse().opts();
  const { server, node } = readPeer(options);
  const unknown = options.check?.filter((id) => !serverChecks.some((each) => each.id === id)) ?? [];
  if (unknown.length > 0)
    throw new UsageError(`--check: expected ids of checks, as in S1 or D5, got ${unknown.join(', ')}`);
  const checks = serverChecks.filter(({ id }) => options.check === undefined || options.check.includes(id));
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  const { format } = options;
  const results = await runChecks(
    {
      ...{ server, clock: systemClock, mayReject: options.allowNack === true },
      nodeOf: (id) => node ?? { ...client, id: options.nodeId ?? `xdscope-check-${id}` },
    },
    checks,
    (result) => {
      const line = format === 'text' ? formatResult(result) : undefined;
      if (line !== undefined) print(line);
    },
  );
  const { text: target } = server.target;
  if (format === 'json') print(JSON.stringify({ target, results }, null, 2));
  if (format === 'junit') print(formatJunit(target, results));
  if (format === 'text') for (const line of formatNotAsked(results)) print(line);
  if (format === 'text') print(`${target}: ${formatCounts(results)}`);
  return results.some(({ verdict }) => verdict === 'fails') ? 1 : 0;
}

const client = { cluster: 'xdscope-checks', userAgentName: 'xdscope', clientFeatures };

function readPeer({ server, bootstrap, nodeId }: Options): Peer {
  if (bootstrap !== undefined) {
    const { servers, node } = readBootstrap({ file: path.resolve(startedIn, bootstrap) }, startedIn);
    const { locality, ...fields } = node;
    const ofNode = { ...client, ...fields, ...(locality && { locality }), ...(nodeId && { id: nodeId }) };
    if (server === undefined) return { server: servers[0], node: ofNode };
    return { server: { ...servers[0], target: targetOf(server) }, node: ofNode };
  }
  if (server === undefined)
    throw new UsageError('expected --server HOST:PORT, --bootstrap FILE or --client NAME, got none of them');
  return { server: plainServer(targetOf(server)) };
}

function targetOf(text: string) {
  const parsed = parseTarget(text);
  if (!parsed.ok) throw new UsageError(`--server: ${parsed.problem.message}`);
  return { ...parsed.target, isNamed: true };
}

/** The launcher changes the working directory. */
const startedIn = process.env.XDSCOPE_CWD ?? process.cwd();

runCommand(main, (error) => error instanceof BootstrapError || error instanceof CheckError);
