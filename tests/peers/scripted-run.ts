import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { CDS, EDS, LDS, RDS, type ResourceType } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import type { MeshResource } from '../support/builders/topology-mesh';
import { type ControlPlane, startScriptedServer } from './control-plane';
import { MomentRun, runMoments } from './moment-run';
import type { ClientOptions, ClientPeer, Prepared, RunningClient } from './peer';
import type { Results } from './results';
import { startXdscope, type Vantage, type Xdscope } from './xdscope';

export interface ScriptedRunOptions {
  readonly peer: ClientPeer;
  readonly prepared: Prepared;
  readonly workDir: string;
  readonly results: Results;
  readonly print: (line: string) => void;
}

/**
 * Runs a chapter of one peer with the scripted management server. An error fails the moment in which it is thrown; at the
 * end everything that was started is stopped, the latest first.
 */
export async function runScripted(
  chapter: string,
  options: ScriptedRunOptions,
  steps: (run: ScriptedRun) => Promise<void>,
): Promise<void> {
  await runMoments(new ScriptedRun(chapter, options, await startScriptedServer()), steps);
}

/** Pushes the resources of one type. */
export async function pushType(
  server: ControlPlane,
  { typeUrl }: ResourceType,
  resources: readonly MeshResource[],
  version: string,
): Promise<void> {
  const ofType = resources.filter((each) => each.typeUrl === typeUrl);
  const encoded = ofType.map(({ name, body }) => ({ typeUrl, name, bytes: encodeBody(typeUrl, body) }));
  await server.push(typeUrl, encoded, version);
}

export class ScriptedRun extends MomentRun {
  readonly #chapter: string;
  readonly #options: ScriptedRunOptions;
  #version = 0;

  readonly isEnvoy: boolean;
  readonly server: ControlPlane;

  constructor(chapter: string, options: ScriptedRunOptions, server: ControlPlane) {
    const { peer, prepared, workDir } = options;
    const { name, flavor } = peer;
    super(
      { ...{ flavor, peer: `${name} ${prepared.version}`, server: 'scripted', chapter }, protocol: 'sotw' },
      path.join(workDir, `${name}-${prepared.version}-${chapter}`),
      options,
    );
    this.#chapter = chapter;
    this.#options = options;
    this.isEnvoy = flavor === 'envoy';
    this.server = server;
    this.stopAtEnd(() => server.close());
  }

  /** Pushes exactly these resources, each time under a new version. */
  async serve(resources: readonly MeshResource[]): Promise<void> {
    this.#version += 1;
    for (const type of [CDS, EDS, RDS, LDS])
      await pushType(this.server, type, resources, `v${this.#version}`);
  }

  /** Starts a client of the management server. Its node id is the name of the chapter. */
  async startClient(options: Partial<ClientOptions>): Promise<RunningClient> {
    const { peer, prepared } = this.#options;
    const client = await peer.start(prepared, {
      ...{ nodeId: this.#chapter, servers: [this.server.target], serverFeatures: [], protocol: 'sotw' },
      ...{ listenerPorts: {}, workDir: this.workDir, ...options },
    });
    this.stopAtEnd(() => client.stop());
    return client;
  }

  /** `name`: of one of several in the chapter. */
  async startXdscope(name = ''): Promise<Xdscope> {
    const workDir = path.join(this.workDir, name);
    mkdirSync(workDir, { recursive: true });
    const vantage: Vantage = this.isEnvoy ? 'admin' : 'csds';
    const servers = [this.server.target] as const;
    const xdscope = await startXdscope({ vantage, servers, entrances: servers, workDir });
    this.stopAtEnd(() => xdscope.stop());
    return xdscope;
  }
}
