import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import { messageOf } from '@/lib/format/message-of';
import type { LabProcess } from '@/lib/views/lab/schema';
import type { Clock } from '../../observe';
import { listenNear, portOffsets } from '../port-block';
import { type Random, seededRandom } from '../random';
import { type ShopBackend, shopBackends, shopMethods } from '../shop/shop-backends';
import { addTestServices, namedHeaders } from './test-services';

interface LabBackendsOptions {
  readonly clock: Clock;
  /** Seed of the random choice of calls that fail. */
  readonly seed: number;
  readonly emitEvent: (what: string, subject: string, text: string) => void;
  /** Called when a test driver sets whether a backend serves. */
  readonly onServing: (name: string) => void;
  /** Called when the control plane's health check detects that backends stopped or serve again. */
  readonly onHealth: (names: readonly string[], isHealthy: boolean) => void;
}

/** The backends of the shop. Each can be stopped, revived, and made to fail a share of its calls. */
export class LabBackends {
  readonly #options: LabBackendsOptions;
  readonly #servers: ReadonlyMap<string, BackendServer>;
  readonly #inTrouble = new Map<string, string>();
  #closed = false;

  constructor(options: LabBackendsOptions) {
    this.#options = options;
    const { clock, seed } = options;
    this.#servers = new Map(
      shopBackends.map((backend) => [
        backend.name,
        new BackendServer(backend, {
          clock,
          random: seededRandom(seed),
          onServing: (isServing) => this.#setServing(backend.name, isServing),
        }),
      ]),
    );
  }

  async start(firstPort: number): Promise<void> {
    await Promise.all(
      [...this.#servers.values()].map(async (server, index) => {
        await startNear(server, firstPort + portOffsets.firstBackend + index);
      }),
    );
  }

  portOf(name: string): number {
    return this.#serverOf(name).port;
  }

  /** Stops processes, which the health check then reports as unhealthy. Ignores backends that do not run. */
  stop(names: readonly string[]): void {
    const running = names.filter((name) => this.#serverOf(name).isRunning);
    if (running.length === 0) return;
    for (const name of running) this.#serverOf(name).stop();
    this.#options.onHealth(running, false);
    for (const name of running)
      this.#options.emitEvent('backend-stopped', name, `${name} stopped, its endpoint is UNHEALTHY`);
  }

  /** Starts backends that do not run. Never rejects: the status of a backend without a free port has the reason. */
  async revive(names: readonly string[]): Promise<void> {
    if (this.#closed) return;
    const dead = names.filter((name) => !this.#serverOf(name).isRunning);
    const revived = (await Promise.all(dead.map((name) => this.#tryToStart(name)))).flat();
    if (revived.length === 0) return;
    this.#options.onHealth(revived, true);
    for (const name of revived)
      this.#options.emitEvent('backend-started', name, `${name} is back, its endpoint is HEALTHY`);
  }

  /** As a backend reports it that a test driver sets to NOT_SERVING: it still answers. */
  #setServing(name: string, isServing: boolean): void {
    const { onServing, onHealth, emitEvent } = this.#options;
    onServing(name);
    onHealth([name], isServing);
    const [what, text] = isServing
      ? ['backend-serving', `${name} was set to SERVING, its endpoint is HEALTHY`]
      : ['backend-not-serving', `${name} was set to NOT_SERVING, its endpoint is UNHEALTHY`];
    emitEvent(what, name, text);
  }

  setFailPercent(names: readonly string[], percent: number): void {
    for (const name of names) {
      const server = this.#serverOf(name);
      const before = server.failPercent;
      if (before === percent) continue;
      server.failPercent = percent;
      const text = `${name} fails ${percent}% of its calls, before ${before}%`;
      this.#options.emitEvent('failure-rate-changed', name, text);
    }
  }

  processes(): LabProcess[] {
    return [...this.#servers.values()].map(({ backend, failPercent, isRunning, port }) => {
      const { name, locality, priority, latencyMs } = backend;
      const trouble = this.#inTrouble.get(name);
      const traits = [
        `priority ${priority}`,
        ...(latencyMs > 50 ? [`slow, ${latencyMs} ms`] : []),
        ...(failPercent > 0 ? [`fails ${failPercent}% of its calls`] : []),
      ];
      return {
        name,
        kind: 'backend',
        address: `127.0.0.1:${port}`,
        state: trouble !== undefined ? 'crashed' : isRunning ? 'running' : 'stopped',
        pid: process.pid,
        restarts: 0,
        locality,
        text: trouble ?? traits.join(', '),
        failPercent,
      };
    });
  }

  close(): void {
    this.#closed = true;
    for (const server of this.#servers.values()) server.stop();
  }

  /** Returns the name in a list if the backend runs now, else an empty list. */
  async #tryToStart(name: string): Promise<string[]> {
    const server = this.#serverOf(name);
    try {
      await startNear(server, server.port);
    } catch (error) {
      const reason = messageOf(error);
      this.#inTrouble.set(name, reason);
      this.#options.emitEvent('backend-failed', name, reason);
      return [];
    }
    this.#inTrouble.delete(name);
    return [name];
  }

  #serverOf(name: string): BackendServer {
    const found = this.#servers.get(name);
    if (found === undefined) throw new Error(`backend: expected the name of one, got "${name}"`);
    return found;
  }
}

/** Starts on its usual port, or on another one if that port is in use. EDS carries the actual port. */
async function startNear(server: BackendServer, usual: number): Promise<void> {
  await listenNear(usual, (port) => {
    server.port = port;
    return server.start();
  });
}

interface BackendServerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly onServing: (isServing: boolean) => void;
}

/** One endpoint of the shop on a real socket. It keeps its port when it is stopped and started again. */
class BackendServer {
  readonly #options: BackendServerOptions;

  /** The port on which it listens or will listen; 0 means any free port at the first start. */
  port = 0;
  /** Percentage of calls that it answers with UNAVAILABLE. */
  failPercent: number;
  #server: Server | undefined;
  #hooks: { close(): void } | undefined;

  constructor(
    readonly backend: ShopBackend,
    options: BackendServerOptions,
  ) {
    this.#options = options;
    this.failPercent = backend.failPercent;
  }

  get isRunning(): boolean {
    return this.#server !== undefined;
  }

  async start(): Promise<void> {
    if (this.#server !== undefined) return;
    const server = new Server();
    const asBytes = (bytes: Buffer): Buffer => bytes;
    for (const path of shopMethods) {
      server.register(
        path,
        (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) => this.#answer(call, answer),
        asBytes,
        asBytes,
        'unary',
      );
    }
    const { clock, onServing } = this.#options;
    this.#hooks = addTestServices(server, { name: this.backend.name, clock, onServing });
    this.#server = server;
    try {
      this.port = await new Promise<number>((resolve, reject) => {
        server.bindAsync(`127.0.0.1:${this.port}`, ServerCredentials.createInsecure(), (error, port) => {
          if (error === null) resolve(port);
          else reject(error);
        });
      });
    } catch (cause) {
      this.#server = undefined;
      throw new Error(`backend "${this.backend.name}": expected port ${this.port} to be free`, { cause });
    }
  }

  /** Closes connections immediately, like a process that crashes. */
  stop(): void {
    this.#hooks?.close();
    this.#server?.forceShutdown();
    this.#server = undefined;
  }

  #answer(call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>): void {
    const { name, latencyMs } = this.backend;
    const { failPercent } = this;
    const fails = this.#options.random() * 100 < failPercent;
    this.#options.clock.setTimeout(() => {
      if (fails) {
        answer({ code: status.UNAVAILABLE, details: `${name} fails ${failPercent}% of its calls` });
        return;
      }
      call.sendMetadata(namedHeaders(name));
      answer(null, Buffer.from(name));
    }, latencyMs);
  }
}
