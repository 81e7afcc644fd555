import { mkdirSync } from 'node:fs';
import path from 'node:path';
import packageJson from '@/package.json';
import type { ConfigAdapter } from '@/server/lab/server-checks/check-run';
import { startLabServer } from '@/server/lab/server-checks/lab-server';
import { systemClock } from '@/server/observe';
import { checkServer, plainServerAt, saveCheckRuns } from './check-server';
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

interface ChangeableServer {
  readonly name: string;
  readonly version: string;
  readonly missed: readonly string[];
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
  const ofPeer = (
    peer: typeof goControlPlane,
    prepared: Prepared,
    missed: readonly string[],
  ): ChangeableServer => ({
    ...{ name: peer.name, version: prepared.version, missed: [...missed, ...notAsked] },
    start: async (dir) => {
      const server = await peer.start(prepared, { flavor: 'grpc', workDir: dir });
      return { target: server.target, adapter: adapterOf(server), close: () => server.close() };
    },
  });
  const lab: ChangeableServer = {
    ...{ name: 'xdscope lab', version: packageJson.version, missed: [] },
    start: () => startLabServer(systemClock),
  };
  const servers = [
    lab,
    ofPeer(goControlPlane, go, ['S5', 'S10', 'S11', 'S24', 'S31', 'D5', 'D7', 'D16', 'T1', 'T2']),
    ofPeer(javaControlPlane, java, [
      ...['S5', 'S9', 'S10', 'S11', 'S12', 'S17', 'S19', 'S23', 'S24', 'S29'],
      ...['D5', 'D10', 'D11', 'D12', 'D13', 'D14', 'D16', 'T1', 'T2'],
    ]),
  ];
  const runs = await Promise.all(
    servers.map(async ({ name, version, missed, start }, index) => {
      const dir = path.join(workDir, 'server-checks', String(index));
      mkdirSync(dir, { recursive: true });
      const { target, adapter, close } = await start(dir);
      const of = {
        ...({
          flavor: 'grpc',
          peer: 'server checks',
          protocol: 'sotw',
          server: `${name} ${version}`,
        } as const),
        ...{ chapter: 'server-checks', moment: 'each rule of the protocol' },
      };
      try {
        const server = plainServerAt(target);
        const run = await checkServer({ name, version, server, adapter, missed }, print);
        print(results.pass(of));
        return run;
      } catch (error) {
        print(results.fail(of, error));
        return undefined;
      } finally {
        await close();
      }
    }),
  );
  if (isSaved) saveCheckRuns(runs.filter((run) => run !== undefined));
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
