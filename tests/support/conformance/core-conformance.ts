import type { ChildProcess } from 'node:child_process';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { systemClock } from '@/server/observe';
import { endConformance, isAlive, launchConformance } from './conformance-child';
import { conformanceGraph } from './conformance-graph';

/** What a client answered to one response. crash: it ended. silence: no answer in time. */
export interface Testimony {
  readonly verdict: 'ACK' | 'NACK' | 'crash' | 'silence';
  /** As the client worded it; "" when it is content. */
  readonly error: string;
}

const patienceMs = 10_000;

/**
 * The real C-core, in Debian's python3-grpcio, validating one resource at a time: it is served the resource by a real
 * management server, and its next request is the verdict.
 *
 *     const conformance = new CoreConformance(python, ['p']);
 *     await conformance.start();
 *     const { verdict, error } = await conformance.validate(typeUrl, 'case-1', bytes);
 *     await conformance.close();
 */
export class CoreConformance {
  private readonly server = new ManagementServer({ clock: systemClock });
  private target = '';
  private child: ChildProcess | undefined;

  constructor(
    private readonly python: string,
    /** Names under certificate_providers in its bootstrap. */
    private readonly certificateProviders: readonly string[],
  ) {}

  async start(): Promise<void> {
    this.target = await this.server.listen();
  }

  /** `name` is asked for by no other case. */
  validate(typeUrl: string, name: string, bytes: Uint8Array): Promise<Testimony> {
    this.server.setResources('*', conformanceGraph(typeUrl, name, bytes));
    const child = this.child !== undefined && isAlive(this.child) ? this.child : this.launch();
    this.child = child;
    return new Promise<Testimony>((resolve) => {
      const end = (verdict: Testimony['verdict'], error = ''): void => {
        stop();
        clearTimeout(timer);
        child.off('exit', onExit);
        resolve({ verdict, error });
      };
      const onExit = (): void => end('crash');
      const timer = setTimeout(() => end('silence'), patienceMs);
      const stop = this.server.onRequest((request) => {
        if (request.typeUrl !== typeUrl || !request.resourceNames.includes(name)) return;
        if (request.reading === 'ack') end('ACK');
        if (request.reading === 'nack') end('NACK', request.errorDetail ?? '');
      });
      child.once('exit', onExit);
      child.stdin?.write(`${name}\n`);
    });
  }

  async close(): Promise<void> {
    if (this.child !== undefined) await endConformance(this.child);
    await this.server.close();
  }

  private launch(): ChildProcess {
    return launchConformance({ kind: 'core', python: this.python }, this.target, this.certificateProviders);
  }
}
