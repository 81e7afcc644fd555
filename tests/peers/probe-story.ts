import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { SourcePage } from '@/lib/views/sources/schema';
import { waitUntil } from '../support/wait-until';
import { type ControlPlane, startScriptedServer } from './control-plane';
import { goControlPlane } from './go-control-plane/peer';
import { javaControlPlane } from './java-control-plane/peer';
import { Mesh, services } from './mesh';
import type { Prepared } from './peer';
import type { MomentOf, Results } from './results';
import { startXdscope, type Xdscope } from './xdscope';

export interface ProbeStoryOptions {
  readonly go: Prepared;
  readonly java: Prepared;
  readonly workDir: string;
  readonly results: Results;
  readonly print: (line: string) => void;
}

interface Server {
  readonly name: string;
  readonly controlPlane: ControlPlane;
}

/** Longer than a grpc-go server with default settings tolerates a ping every 5 s: 20 s. */
const lifeMs = 65_000;
const patienceMs = 120_000;

/**
 * Probes of both variants at every control plane that starts without Kubernetes: their streams live, and nothing is NACKed.
 * A probe with pings every 5 s is disconnected by gRPC-Go's default settings, and reports this.
 */
export async function runProbeStory(options: ProbeStoryOptions): Promise<void> {
  const { results, print } = options;
  const workDir = path.join(options.workDir, 'probe');
  let of: MomentOf = {
    ...{ flavor: 'grpc', peer: 'probe of xdscope', protocol: 'sotw', server: 'every control plane' },
    ...{ chapter: 'probe', moment: 'start' },
  };
  const stops: (() => Promise<void>)[] = [];
  try {
    const servers = await startServers(options, workDir);
    stops.push(
      ...servers.map(
        ({ controlPlane }) =>
          () =>
            controlPlane.close(),
      ),
    );
    const quiet = await startProbes('csds', servers, ['--ads-cross-check']);
    stops.unshift(() => quiet.stop());
    const [strict] = servers.filter(({ name }) => name === goName);
    const pinging = await startProbes('admin', strict ? [strict] : [], ['--keepalive', '5s']);
    stops.unshift(() => pinging.stop());

    of = { ...of, moment: 'the first responses are ACKed' };
    await waitUntil(
      of.moment,
      async () => (await sourcesOf(quiet)).every(({ state }) => state === 'up'),
      patienceMs,
    );
    pass();
    of = { ...of, moment: 'the server ends a connection with too many pings' };
    const tooMany = /"too_many_pings": pings were sent every 5 s; the next connection sends them every 10 s/;
    await waitUntil(
      of.moment,
      async () => (await pinging.recordedAfter(0)).some((event) => tooMany.test(event)),
      patienceMs,
    );
    pass();
    of = { ...of, moment: `streams live for ${lifeMs / 1_000} s` };
    await new Promise((resolve) => setTimeout(resolve, lifeMs));
    const ended = (await quiet.recordedAfter(0)).filter((event) => /stream.*ended/i.test(event));
    for (const { id, target, failures, notes } of await sourcesOf(quiet)) {
      const name = servers.find(({ controlPlane }) => controlPlane.target === target)?.name;
      const ends = ended.filter((event) => event.startsWith(`${id} `)).length;
      print(`probe at ${name}, ${id}: ${lifeMs / 1_000} s, ${ends} streams ended`);
      if (failures > 0 || notes.length > 0)
        throw new Error(`${id}: ${failures} failures, ${notes.join('; ')}`);
    }
    for (const { name, controlPlane } of servers) {
      // The probe with pings is another client of this server.
      const kinds = (await controlPlane.events()).map(({ kind }) => kind);
      const ends = kinds.filter((kind) => kind === 'end').length;
      const nacks = kinds.filter((kind) => kind === 'nack').length;
      if (nacks > 0 || (ends > 0 && name !== goName))
        throw new Error(`${name}: ${ends} streams ended, ${nacks} NACKs`);
    }
    if (ended.length > 0) throw new Error(ended.join('\n'));
    pass();
  } catch (error) {
    print(results.fail(of, error));
  } finally {
    for (const stop of stops) await stop();
  }

  function pass(): void {
    print(results.pass(of));
  }

  function startProbes(
    vantage: 'csds' | 'admin',
    servers: readonly Server[],
    args: readonly string[],
  ): Promise<Xdscope> {
    const targets = servers.flatMap(({ controlPlane }) => ['--ads', controlPlane.target]);
    const [first = ''] = servers.map(({ controlPlane }) => controlPlane.target);
    return startXdscope({
      ...{ vantage, servers: [first], entrances: [first], workDir },
      args: ['--no-lab', ...targets, ...args],
    });
  }
}

const goName = 'go-control-plane, default keepalive policy';

async function startServers({ go, java }: ProbeStoryOptions, workDir: string): Promise<Server[]> {
  const inFolder = (name: string) => {
    const dir = path.join(workDir, name);
    mkdirSync(dir, { recursive: true });
    return { flavor: 'grpc' as const, workDir: dir };
  };
  const started = [
    { name: 'scripted', starting: startScriptedServer() },
    { name: goName, starting: goControlPlane.start(go, inFolder('go')) },
    {
      name: 'go-control-plane, MinTime 15 s',
      starting: goControlPlane.start(go, { ...inFolder('go-15s'), minPingTime: '15s' }),
    },
    { name: 'java-control-plane', starting: javaControlPlane.start(java, inFolder('java')) },
  ];
  const mesh = new Mesh({ flavor: 'grpc', backendPort: 1, listenerPorts: {} });
  return Promise.all(
    started.map(async ({ name, starting }) => {
      const controlPlane = await starting;
      for (const service of ['CDS', 'EDS', 'LDS', 'RDS'] as const)
        await controlPlane.push(services[service].typeUrl, mesh.resources(service), 'v0');
      return { name, controlPlane };
    }),
  );
}

async function sourcesOf(xdscope: Xdscope): Promise<SourcePage['items']> {
  return (await xdscope.get<SourcePage>('sources')).items;
}
