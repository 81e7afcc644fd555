import type { LabProcess } from '@/lib/api/lab';
import type { Clock } from '../../observe';
import { listenNear, portOffsets } from '../port-block';
import { seededRandom } from '../random';
import { shopBackends } from '../shop/shop-backends';
import { BackendServer } from './backend-server';

interface LabBackendsOptions {
  readonly clock: Clock;
  /** Of the calls that fail. */
  readonly seed: number;
  readonly emitEvent: (what: string, subject: string, text: string) => void;
  /** The control plane's health check has found these dead, or alive again. */
  readonly onHealth: (names: readonly string[], isHealthy: boolean) => void;
}

/** The shop's backends: each may die, live again, and fail a share of its calls. Names must be known ones. */
export class LabBackends {
  private readonly servers: ReadonlyMap<string, BackendServer>;
  private readonly inTrouble = new Map<string, string>();
  private closed = false;

  constructor(private readonly options: LabBackendsOptions) {
    const { clock, seed } = options;
    this.servers = new Map(
      shopBackends.map((backend) => [
        backend.name,
        new BackendServer(backend, { clock, random: seededRandom(seed) }),
      ]),
    );
  }

  async start(firstPort: number): Promise<void> {
    await Promise.all(
      [...this.servers.values()].map(async (server, index) => {
        await startNear(server, firstPort + portOffsets.firstBackend + index);
      }),
    );
  }

  portOf(name: string): number {
    return this.serverOf(name).port;
  }

  /** The processes die, and the health check finds them dead. Those that do not run are left alone. */
  stop(names: readonly string[]): void {
    const running = names.filter((name) => this.serverOf(name).isRunning);
    if (running.length === 0) return;
    for (const name of running) this.serverOf(name).stop();
    this.options.onHealth(running, false);
    for (const name of running)
      this.options.emitEvent('backend-stopped', name, `${name} stopped, its endpoint is UNHEALTHY`);
  }

  /** Never rejects: a backend that finds no port at all is a fact about it. Those that run are left alone. */
  async revive(names: readonly string[]): Promise<void> {
    if (this.closed) return;
    const dead = names.filter((name) => !this.serverOf(name).isRunning);
    const revived = (await Promise.all(dead.map((name) => this.tryToStart(name)))).flat();
    if (revived.length === 0) return;
    this.options.onHealth(revived, true);
    for (const name of revived)
      this.options.emitEvent('backend-started', name, `${name} is back, its endpoint is HEALTHY`);
  }

  /** Of its calls, answered with UNAVAILABLE. */
  setFailPercent(names: readonly string[], percent: number): void {
    for (const name of names) {
      const server = this.serverOf(name);
      const before = server.failPercent;
      if (before === percent) continue;
      server.failPercent = percent;
      const text = `${name} fails ${percent} % of its calls, before ${before} %`;
      this.options.emitEvent('failure-rate-changed', name, text);
    }
  }

  processes(): LabProcess[] {
    return [...this.servers.values()].map(({ backend, failPercent, isRunning, port }) => {
      const { name, locality, priority, latencyMs } = backend;
      const trouble = this.inTrouble.get(name);
      const traits = [
        `priority ${priority}`,
        ...(latencyMs > 50 ? [`slow, ${latencyMs} ms`] : []),
        ...(failPercent > 0 ? [`fails ${failPercent} % of its calls`] : []),
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
    this.closed = true;
    for (const server of this.servers.values()) server.stop();
  }

  /** Its name, if it runs now. */
  private async tryToStart(name: string): Promise<string[]> {
    const server = this.serverOf(name);
    try {
      await startNear(server, server.port);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.inTrouble.set(name, reason);
      this.options.emitEvent('backend-failed', name, reason);
      return [];
    }
    this.inTrouble.delete(name);
    return [name];
  }

  private serverOf(name: string): BackendServer {
    const found = this.servers.get(name);
    if (found === undefined) throw new Error(`backend: expected the name of one, got "${name}"`);
    return found;
  }
}

/** On its port, or on another one if somebody has it: EDS reports clients where. */
async function startNear(server: BackendServer, usual: number): Promise<void> {
  await listenNear(usual, (port) => {
    server.port = port;
    return server.start();
  });
}
