import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CheckResult } from '@/lib/server-checks/server-check';
import { type CheckRunJson, checkRun } from '@/lib/views/server-checks/schema';
import type { ConfigAdapter } from '@/server/lab/server-checks/check-run';
import { runChecks } from '@/server/lab/server-checks/run-checks';
import { systemClock } from '@/server/observe';
import { projectRoot } from '@/server/project-root';
import { plainServer, type ServerConfig } from '@/server/transport/bootstrap/server-config';
import { parseTarget } from '@/server/transport/targets/target';

interface CheckedServer {
  readonly name: string;
  readonly version: string;
  readonly server: ServerConfig;
  /** envoy.config.core.v3.Node in proto3 JSON. Absent: a node for which the server has config is not needed. */
  readonly node?: Readonly<Record<string, unknown>>;
  /** Absent: the server is only read. */
  readonly adapter?: ConfigAdapter;
  /**
   * The checks that it does not pass, by id, without those that a server that is only read is not asked. Measured; a check that
   * passes again is reported as well.
   */
  readonly missed: readonly string[];
}

const savedIn = path.join(projectRoot, 'server/lab/server-checks/reference-runs.json');

/** "127.0.0.1:PORT", without TLS. */
export function plainServerAt(target: string): ServerConfig {
  const parsed = parseTarget(target);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return plainServer(parsed.target);
}

/** Runs every check, and throws if another one is missed than those that are known. */
export async function checkServer(
  { name, version, server, adapter, missed, node }: CheckedServer,
  print: (line: string) => void,
): Promise<CheckRunJson> {
  const startedAt = Date.now();
  const usual = { id: 'server-checks', cluster: 'server-checks' };
  const results = await runChecks({
    ...{ server, clock: systemClock, mayReject: true, nodeOf: () => node ?? usual },
    ...(adapter !== undefined && { adapter }),
  });
  const notPassed = results.filter(({ verdict }) => verdict !== 'passes');
  print(`${name} ${version}: ${results.length - notPassed.length} of ${results.length} checks pass`);
  const asked = notPassed.filter(({ changesConfig }) => adapter !== undefined || changesConfig !== true);
  for (const { id, verdict, seen } of asked) print(`  ${id} ${verdict}: ${seen}`);
  const found = asked.map(({ id }) => id);
  const others = [
    ...found.filter((id) => !missed.includes(id)).map((id) => `${id} is not passed`),
    ...missed.filter((id) => !found.includes(id)).map((id) => `${id} is passed`),
  ];
  if (others.length > 0) throw new Error(`differs from what is known: ${others.join(', ')}`);
  // As the page shows it; the id is part of URLs.
  return checkRun.parse({
    ...{ id: `${name}-${version}`.replaceAll(' ', '-'), server: name, version, origin: 'repository' },
    ...{
      access: adapter === undefined ? 'read-only' : 'all',
      mayReject: true,
      isShared: true,
      state: 'done',
    },
    ...{ startedAt, endedAt: Date.now(), total: results.length, results },
    verdicts: Object.fromEntries(results.map(({ id, verdict }: CheckResult) => [id, verdict])),
  });
}

/** The runs replace those of their servers among the runs that ship with xdscope. A line for each check shows what changed. */
export function saveCheckRuns(runs: readonly CheckRunJson[]): void {
  const earlier = JSON.parse(readFileSync(savedIn, 'utf8')) as CheckRunJson[];
  const others = earlier.filter(({ server }) => !runs.some((run) => run.server === server));
  const order = earlier.map(({ server }) => server);
  const placeOf = ({ server }: CheckRunJson): number =>
    order.includes(server) ? order.indexOf(server) : order.length;
  const all = [...others, ...runs].sort((a, b) => placeOf(a) - placeOf(b));
  const lines = all.map(({ results, ...run }) => {
    const ofRun = results.map((result) => JSON.stringify(shortenMessages(result)));
    return `${JSON.stringify(run).slice(0, -1)},"results":[\n${ofRun.join(',\n')}\n]}`;
  });
  writeFileSync(savedIn, `[\n${lines.join(',\n')}\n]\n`);
}

const mostSaved = 40;

/** Hundreds of responses to NACKs show no more than the first ones. */
function shortenMessages({ messages, moreMessages = 0, ...result }: CheckRunJson['results'][number]) {
  const more = moreMessages + Math.max(0, messages.length - mostSaved);
  return { ...result, messages: messages.slice(0, mostSaved), ...(more > 0 && { moreMessages: more }) };
}
