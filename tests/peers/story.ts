import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../support/free-port';
import { waitUntil } from '../support/wait-until';
import type { Account } from './account';
import { startBackend } from './backend';
import { type Cell, compareRequests, compareRows, isEqual } from './compare';
import type { ControlPlane, ServerEvent } from './control-plane';
import { Mesh, type Part, type Service, services } from './mesh';
import type { ClientPeer, Flavor, Prepared, Protocol, RunningClient } from './peer';
import {
  findEntrances,
  type Servers,
  startXdscope,
  type Vantage,
  type Xdscope,
  type XdscopeOptions,
} from './xdscope';

export interface StoryOptions {
  readonly peer: ClientPeer;
  readonly prepared: Prepared;
  readonly protocol: Protocol;
  readonly workDir: string;
  /** The time in which nothing may change in the chapter `idle`. */
  readonly idleMs: number;
  /** Name of the control plane. */
  readonly server: string;
  startServer(options: { flavor: Flavor; workDir: string }): Promise<ControlPlane>;
  /** True if a difference is in the reviewed list: comparing does not wait for it to end. */
  isKnown(cell: Cell): boolean;
}

const vantagesOf: Record<Flavor, readonly Vantage[]> = {
  envoy: ['tap', 'admin', 'tap+admin'],
  grpc: ['csds', 'tap', 'tap+csds'],
};

/** A step takes this long at most; the timer of a resource that never comes has 15 s. */
const patienceMs = 120_000;
/** The time for which cells may differ before the difference counts. */
const settleMs = 30_000;
/** xdscope polls clients at least twice in this time. */
const quietMs = 1_200;
const pollMs = 300;

/** One client with its control plane, and an xdscope for each vantage. The taps stand one behind the other. */
export class Story {
  readonly #options: StoryOptions;
  readonly #observers: readonly Xdscope[];
  readonly #mesh: Mesh;
  readonly #closeOthers: () => Promise<void>;

  readonly flavor: Flavor;
  #version = 0;

  private constructor(
    options: StoryOptions,
    readonly nodeId: string,
    readonly server: ControlPlane,
    readonly fallback: ControlPlane | undefined,
    readonly client: RunningClient,
    observers: readonly Xdscope[],
    mesh: Mesh,
    closeOthers: () => Promise<void>,
  ) {
    this.#options = options;
    this.#observers = observers;
    this.#mesh = mesh;
    this.#closeOthers = closeOthers;

    this.flavor = options.peer.flavor;
  }

  static async start(
    options: StoryOptions,
    { name, first = [], serverFeatures = [], env = {}, hasFallback = false }: StoryStart,
  ): Promise<Story> {
    const { peer, prepared, protocol } = options;
    const { flavor } = peer;
    const workDir = path.join(options.workDir, name);
    mkdirSync(workDir, { recursive: true });
    const nodeId = `${peer.name}-${prepared.version}-${protocol}-${name}`;
    const backend = await startBackend(flavor);
    const listenerPorts = { 'svc-a': await freePort(), 'svc-b': await freePort() };
    const mesh = new Mesh({ flavor, backendPort: backend.port, listenerPorts });
    for (const [service, resource, change] of first) mesh.change(service, resource, change);
    const server = await options.startServer({ flavor, workDir });
    const fallback = hasFallback ? await options.startServer({ flavor, workDir }) : undefined;
    let entrances: Servers = [server.target, ...(fallback ? [fallback.target] : [])];
    const chain: XdscopeOptions[] = [];
    for (const vantage of vantagesOf[flavor]) {
      const servers = entrances;
      entrances = await findEntrances(vantage, servers);
      chain.push({ vantage, servers, entrances, workDir });
    }
    const observers = await Promise.all(chain.map(startXdscope));
    const hasSecrets = first.some(([service]) => service === 'SDS');
    for (const service of ['CDS', 'EDS', 'LDS', 'RDS', ...(hasSecrets ? (['SDS'] as const) : [])] as const) {
      await server.push(services[service].typeUrl, mesh.resources(service), 'v0');
      await fallback?.push(services[service].typeUrl, mesh.resources(service), 'fallback');
    }
    const client = await peer.start(prepared, {
      ...{ nodeId, servers: entrances, serverFeatures, env, protocol, workDir, listenerPorts },
    });
    for (const observer of observers) await observer.observe(client.adminTarget);
    for (const observer of observers) {
      const what = `xdscope (${observer.vantage}) reports ${nodeId}`;
      await waitUntil(what, () => observer.isReporting(nodeId), patienceMs);
    }
    const close = async (): Promise<void> => {
      await fallback?.close();
      backend.close();
    };
    return new Story(options, nodeId, server, fallback, client, observers, mesh, close);
  }

  part(service: Service, name: string): Part {
    return this.#mesh.part(service, name);
  }

  /** Changes resources of one type and serves them under a new version, which it returns. */
  async push(service: Service, ...changes: readonly (readonly [name: string, change: Partial<Part>])[]) {
    for (const [name, change] of changes) this.#mesh.change(service, name, change);
    this.#version += 1;
    const version = `v${this.#version}`;
    await this.server.push(services[service].typeUrl, this.#mesh.resources(service), version);
    return version;
  }

  /** Envoy warms a changed cluster until its endpoints come again. */
  async pushClusters(
    ...changes: readonly (readonly [name: string, change: Partial<Part>])[]
  ): Promise<string> {
    const version = await this.push('CDS', ...changes);
    if (this.flavor === 'envoy') await this.push('EDS');
    return version;
  }

  until<T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T> {
    return waitUntil(what, ask, patienceMs);
  }

  /** Waits until the control plane has received this answer to a version. */
  async answered(kind: 'ack' | 'nack', service: Service, version: string): Promise<ServerEvent> {
    const { typeUrl } = services[service];
    return this.until(`${service} ${version} has an answer: ${kind}`, async () =>
      (await this.server.events()).find(
        (event) => event.kind === kind && event.typeUrl === typeUrl && event.version === version,
      ),
    );
  }

  /** Does what the taps relay and do not record. */
  async unrecorded(run: () => Promise<unknown>): Promise<void> {
    await Promise.all(this.#observers.map((observer) => observer.pauseTaps(true)));
    await run();
    await Promise.all(this.#observers.map((observer) => observer.pauseTaps(false)));
  }

  /** Waits until the xdscope with this vantage states what a resource waits for, and for how long. */
  async showsWaiting(vantage: Vantage, text: RegExp): Promise<void> {
    const observer = this.#observers.find((each) => each.vantage === vantage);
    await this.until(`xdscope (${vantage}) shows ${text}`, async () =>
      (await observer?.waiting(this.nodeId))?.some((each) => text.test(each)),
    );
  }

  /** Polls the client this often, after the first polls, and throws if anything is recorded meanwhile. */
  async staysIdle(): Promise<void> {
    const { idleMs } = this.#options;
    await Promise.all(
      this.#observers.map(async (observer) => {
        const before = await observer.polls();
        await this.until('the first polls have ended', async () => (await observer.polls()) >= before + 20);
        const newestSeq = await observer.newestSeq();
        const first = await observer.polls();
        await new Promise((resolve) => setTimeout(resolve, idleMs));
        const recorded = await observer.recordedAfter(newestSeq);
        if (recorded.length > 0)
          throw new Error(`xdscope (${observer.vantage}) recorded of an idle client: ${recorded.join('; ')}`);
        const polls = (await observer.polls()) - first;
        if (polls < idleMs / 1_000)
          throw new Error(`xdscope (${observer.vantage}): expected a poll a second, got ${polls} in all`);
      }),
    );
  }

  /** Waits until the client reports that calls of svc-a, or of another target, succeed. */
  async succeeds(name = 'svc-a'): Promise<void> {
    await this.until(`calls of ${name} succeed`, async () => {
      const { calls } = await this.client.account(this.server);
      return (calls[name] ?? calls[`xds:///${name}`] ?? '').startsWith('ok');
    });
  }

  /**
   * Compares until only reviewed differences remain, or the rest does not end. Rows that are right while the client
   * still changes do not count: the first comparison begins after a while.
   */
  async compare(): Promise<{ readonly cells: readonly Cell[]; readonly account: Account }> {
    const begin = Date.now();
    for (let pauseMs = quietMs; ; pauseMs = pollMs) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      const account = await this.client.account(this.server);
      const targets = Object.keys(account.calls);
      const compared = this.#observers.map(async (observer) => [
        ...compareRows(observer.vantage, account, await observer.rows(this.nodeId)),
        ...compareRequests(observer.vantage, account, await observer.requests(this.nodeId, targets)),
      ]);
      const cells = (await Promise.all(compared)).flat();
      const after = await this.client.account(this.server);
      const isStable = JSON.stringify(account.rows) === JSON.stringify(after.rows);
      const open = cells.filter((cell) => !isEqual(cell) && !this.#options.isKnown(cell));
      const tookMs = Date.now() - begin;
      if (isStable && (open.length === 0 || tookMs >= settleMs)) return { cells, account };
      if (tookMs >= patienceMs) throw new Error(`the client's own report changes for ${tookMs} ms`);
    }
  }

  /** Waits until each tap states that these servers, by their places in the list, delivered the resources of the target. */
  async delivers(
    target: string,
    readExpected: () => Promise<Readonly<Record<string, number>>>,
  ): Promise<void> {
    const text = (found: object) => JSON.stringify(Object.entries(found).sort());
    let last = '';
    let wanted = '';
    for (const observer of this.#observers.filter(({ vantage }) => vantage.startsWith('tap'))) {
      try {
        await this.until(`xdscope (${observer.vantage}) states who delivered ${target}`, async () => {
          const expected = Object.entries(await readExpected());
          wanted = text(Object.fromEntries(expected.map(([service, at]) => [service, [at]])));
          last = text(await observer.deliveries(this.nodeId, target));
          return last === wanted;
        });
      } catch (error) {
        throw new Error(`expected ${wanted}, got ${last}`, { cause: error });
      }
    }
  }

  /** The known bugs of the client that any xdscope states. */
  async bugs(): Promise<string[]> {
    return (await Promise.all(this.#observers.map((observer) => observer.bugs(this.nodeId)))).flat();
  }

  async close(): Promise<void> {
    await this.client.stop();
    await Promise.all(this.#observers.map((observer) => observer.stop()));
    await this.server.close();
    await this.#closeOthers();
  }
}

/** The state in which a client and its control plane begin. */
export interface StoryStart {
  readonly name: string;
  /** The changes of the usual mesh with which the client starts. */
  readonly first?: readonly Change[];
  /** server_features of the bootstrap of gRPC clients. */
  readonly serverFeatures?: readonly string[];
  /** Environment variables of gRPC clients. */
  readonly env?: Readonly<Record<string, string>>;
  /** A second, less preferred management server serves the same resources as version "fallback". */
  readonly hasFallback?: boolean;
}

export type Change = readonly [service: Service, name: string, change: Partial<Part>];
