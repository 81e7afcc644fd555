import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { CaseBackend } from '@/lib/interop/interop-case';
import type { Clock } from '../../observe';
import { addTestServices } from '../backends/test-services';

interface CaseBackendsOptions {
  readonly clock: Clock;
  /** The number of backends of each group. */
  readonly groups: Readonly<Record<string, number>>;
  /** They listen on [::1] as well. */
  readonly dualStack?: true;
  /** Called after each change of health, as by a control plane with health checks. */
  readonly onHealth: () => void;
}

/** The servers of a case on loopback, named by group and number: "a1", "a2", "b1". */
export class CaseBackends {
  readonly #options: CaseBackendsOptions;
  readonly #groups: ReadonlyMap<string, readonly BackendServer[]>;

  constructor(options: CaseBackendsOptions) {
    this.#options = options;
    const { clock, groups, onHealth } = options;
    const group = ([name, count]: [string, number]) =>
      [
        name,
        Array.from({ length: count }, (_, index) => {
          return new BackendServer(`${name}${index + 1}`, clock, onHealth);
        }),
      ] as const;
    this.#groups = new Map(Object.entries(groups).map(group));
  }

  group(name: string): readonly CaseBackend[] {
    return this.#groups.get(name) ?? [];
  }

  async start(names = this.#all().map(({ name }) => name)): Promise<void> {
    const { dualStack, onHealth } = this.#options;
    const hosts = dualStack ? ['127.0.0.1', '[::1]'] : ['127.0.0.1'];
    await Promise.all(this.#find(names).map((backend) => backend.start(hosts)));
    onHealth();
  }

  /** Closes connections immediately, like processes that crash. */
  stop(names = this.#all().map(({ name }) => name)): void {
    for (const backend of this.#find(names)) backend.stop();
    this.#options.onHealth();
  }

  /** The health stays as it is: the backends still answer at the other address. */
  stopSecondAddress(names: readonly string[]): void {
    for (const backend of this.#find(names)) backend.stopAt('[::1]');
  }

  setServing(names: readonly string[], isServing: boolean): void {
    for (const backend of this.#find(names)) backend.isServing = isServing;
    this.#options.onHealth();
  }

  #all(): readonly BackendServer[] {
    return [...this.#groups.values()].flat();
  }

  #find(names: readonly string[]): readonly BackendServer[] {
    return names.map((name) => {
      const found = this.#all().find((each) => each.name === name);
      if (found !== undefined) return found;
      const known = this.#all().map((each) => each.name);
      throw new Error(`backend: expected one of ${known.join(', ')}, got "${name}"`);
    });
  }
}

/** It keeps its port when it stops and starts again. */
class BackendServer implements CaseBackend {
  readonly #clock: Clock;
  readonly #onHealth: () => void;
  port = 0;
  /** As a test driver sets it by XdsUpdateHealthService: the backend still answers. */
  isServing = true;
  readonly #servers = new Map<string, Server>();

  constructor(
    readonly name: string,
    clock: Clock,
    onHealth: () => void,
  ) {
    this.#clock = clock;
    this.#onHealth = onHealth;
  }

  get isHealthy(): boolean {
    return this.isServing && this.#servers.size > 0;
  }

  async start(hosts: readonly string[]): Promise<void> {
    for (const host of hosts) {
      if (this.#servers.has(host)) continue;
      const server = new Server();
      const onServing = (isServing: boolean): void => {
        this.isServing = isServing;
        this.#onHealth();
      };
      addTestServices(server, { name: this.name, clock: this.#clock, onServing });
      this.port = await listen(server, `${host}:${this.port}`);
      this.#servers.set(host, server);
    }
  }

  stop(): void {
    for (const host of [...this.#servers.keys()]) this.stopAt(host);
  }

  stopAt(host: string): void {
    this.#servers.get(host)?.forceShutdown();
    this.#servers.delete(host);
  }
}

function listen(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) resolve(port);
      else reject(new Error(`backend: expected ${address} to be free: ${error.message}`, { cause: error }));
    });
  });
}
