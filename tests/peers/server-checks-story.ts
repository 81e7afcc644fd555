import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CheckResult } from '@/lib/server-checks/server-check';
import { type CheckRunJson, checkRun } from '@/lib/views/server-checks/schema';
import packageJson from '@/package.json';
import { plainServer } from '@/server/bootstrap/server-config';
import { systemClock } from '@/server/observe';
import type { ConfigAdapter } from '@/server/server-checks/check-run';
import { startLabServer } from '@/server/server-checks/lab-server';
import { runChecks } from '@/server/server-checks/run-checks';
import { parseTarget } from '@/server/targets/target';
import type { ControlPlane } from './control-plane';
import { goControlPlane } from './go-control-plane/peer';
import { javaControlPlane } from './java-control-plane/peer';
import type { Prepared } from './peer';
import type { Results } from './results';

interface ServerChecksOptions {
  /** The results replace those that ship with xdscope. */
  readonly isSaved: boolean;
  readonly go: Prepared;
  readonly java: Prepared;
  readonly workDir: string;
  readonly results: Results;
  readonly print: (line: string) => void;
}

/** What the programs of the two control planes do not serve. */
const notAsked = ['D17', 'D18', 'D19', 'T3'];

/** The checks that a control plane does not pass, by id. Measured; a check that passes again is reported as well. */
const missed: Readonly<Record<string, readonly string[]>> = {
  [`${goControlPlane.name} 0.14.0`]: [
    ...['S5', 'S10', 'S11', 'S24', 'S31', 'D5', 'D7', 'D16', 'T1', 'T2'],
    ...notAsked,
  ],
  [`${javaControlPlane.name} 1.0.49`]: [
    ...['S5', 'S9', 'S10', 'S11', 'S12', 'S17', 'S19', 'S23', 'S24', 'S29'],
    ...['D5', 'D10', 'D11', 'D12', 'D13', 'D14', 'D16', 'T1', 'T2'],
    ...notAsked,
  ],
};

const savedIn = 'server/server-checks/reference-runs.json';

interface CheckedServer {
  readonly server: string;
  readonly version: string;
  readonly start: (
    dir: string,
  ) => Promise<{ readonly target: string; readonly adapter: ConfigAdapter; close(): Promise<void> }>;
}

/** The rules of the protocol at servers whose config a story can change, compared with what is known of each. */
export async function runServerChecks({
  go,
  java,
  isSaved,
  workDir,
  results,
  print,
}: ServerChecksOptions): Promise<void> {
  const ofPeer = (peer: typeof goControlPlane, prepared: Prepared): CheckedServer => ({
    ...{ server: peer.name, version: prepared.version },
    start: async (dir) => {
      const server = await peer.start(prepared, { flavor: 'grpc', workDir: dir });
      return { target: server.target, adapter: adapterOf(server), close: () => server.close() };
    },
  });
  const lab: CheckedServer = {
    ...{ server: 'xdscope lab', version: packageJson.version },
    start: () => startLabServer(systemClock),
  };
  const servers = [lab, ofPeer(goControlPlane, go), ofPeer(javaControlPlane, java)];
  const runs = await Promise.all(
    servers.map(async ({ server, version, start }, index) => {
      const name = `${server} ${version}`;
      const dir = path.join(workDir, 'server-checks', String(index));
      mkdirSync(dir, { recursive: true });
      const opened = await start(dir);
      const startedAt = Date.now();
      const of = {
        ...({ flavor: 'grpc', peer: 'server checks', protocol: 'sotw' } as const),
        ...{ server: name, chapter: 'server-checks', moment: 'each rule of the protocol' },
      };
      try {
        const all = await checkServer(opened.target, opened.adapter);
        const notPassed = all.filter(({ verdict }) => verdict !== 'passes');
        print(`${name}: ${all.length - notPassed.length} of ${all.length} checks pass`);
        for (const { id, verdict, seen } of notPassed) print(`  ${id} ${verdict}: ${seen}`);
        const found = notPassed.map(({ id }) => id);
        const known = missed[name] ?? [];
        const others = [
          ...found.filter((id) => !known.includes(id)).map((id) => `${id} is not passed`),
          ...known.filter((id) => !found.includes(id)).map((id) => `${id} is passed`),
        ];
        if (others.length > 0) throw new Error(`differs from what is known: ${others.join(', ')}`);
        print(results.pass(of));
        return runOf({ server, version, startedAt }, all);
      } catch (error) {
        print(results.fail(of, error));
        return undefined;
      } finally {
        await opened.close();
      }
    }),
  );
  if (isSaved && runs.every((run) => run !== undefined)) {
    writeFileSync(savedIn, formatRuns(runs));
    print(`saved: ${savedIn}`);
  }
}

/** As the page shows it; the id is part of URLs. */
function runOf(
  { server, version, startedAt }: Pick<CheckRunJson, 'server' | 'version' | 'startedAt'>,
  results: readonly CheckResult[],
): CheckRunJson {
  return checkRun.parse({
    ...{ id: `${server}-${version}`.replaceAll(' ', '-'), server, version, origin: 'repository' },
    ...{ access: 'all', mayReject: true, startedAt, endedAt: Date.now(), state: 'done' },
    ...{ total: results.length, isShared: true, results },
    verdicts: Object.fromEntries(results.map(({ id, verdict }) => [id, verdict])),
  });
}

/** A line for each check, so that a change of one is seen. */
function formatRuns(runs: readonly CheckRunJson[]): string {
  const lines = runs.map(({ results, ...run }) => {
    const ofRun = results.map((result) => JSON.stringify(shortenMessages(result)));
    return `${JSON.stringify(run).slice(0, -1)},"results":[\n${ofRun.join(',\n')}\n]}`;
  });
  return `[\n${lines.join(',\n')}\n]\n`;
}

const mostSaved = 40;

/** Hundreds of responses to NACKs show no more than the first ones. */
function shortenMessages({ messages, moreMessages = 0, ...result }: CheckRunJson['results'][number]) {
  const more = moreMessages + Math.max(0, messages.length - mostSaved);
  return { ...result, messages: messages.slice(0, mostSaved), ...(more > 0 && { moreMessages: more }) };
}

function adapterOf(server: ControlPlane): ConfigAdapter {
  let pushes = 0;
  return {
    features: ['large'],
    replace: async (changes) => {
      for (const { type, resources } of changes) {
        pushes += 1;
        await server.push(type.typeUrl, resources, `v${pushes}`);
      }
    },
  };
}

function checkServer(target: string, adapter: ConfigAdapter): Promise<CheckResult[]> {
  const parsed = parseTarget(target);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return runChecks({
    ...{ server: plainServer(parsed.target), clock: systemClock, adapter, mayReject: true },
    nodeOf: () => ({ id: 'server-checks', cluster: 'server-checks' }),
  });
}
