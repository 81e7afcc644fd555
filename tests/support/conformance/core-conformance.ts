import type { ChildProcess } from 'node:child_process';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { systemClock } from '@/server/observe';
import { endConformance, isAlive, launchConformance } from './conformance-child';
import { conformanceGraph } from './conformance-graph';

/** The answer of a client to a response. crash: the client ended. silence: there was no answer in time. */
export interface Testimony {
  readonly verdict: 'ACK' | 'NACK' | 'crash' | 'silence';
  /** The client's text, or "" after an ACK. */
  readonly error: string;
}

const patienceMs = 10_000;

/**
 * Validates one resource at a time with the real C-core of Debian's python3-grpcio: a real management server serves the
 * resource, and the next request of the client is the verdict.
 *
 *     const conformance = new CoreConformance(python, ['p']);
 *     await conformance.start();
 *     const { verdict, error } = await conformance.validate(typeUrl, 'case-1', bytes);
 *     await conformance.close();
 */
export class CoreConformance {
  readonly #python: string;
  readonly #certificateProviders: readonly string[];

  readonly #server = new ManagementServer({ clock: systemClock });
  #target = '';
  #child: ChildProcess | undefined;

  constructor(
    python: string,
    /** Names under certificate_providers in its bootstrap. */
    certificateProviders: readonly string[],
  ) {
    this.#python = python;
    this.#certificateProviders = certificateProviders;
  }

  async start(): Promise<void> {
    this.#target = await this.#server.listen();
  }

  /** No other case uses `name`. */
  validate(typeUrl: string, name: string, bytes: Uint8Array): Promise<Testimony> {
    this.#server.setResources('*', conformanceGraph(typeUrl, name, bytes));
    const child = this.#child !== undefined && isAlive(this.#child) ? this.#child : this.#launch();
    this.#child = child;
    return new Promise<Testimony>((resolve) => {
      const end = (verdict: Testimony['verdict'], error = ''): void => {
        stop();
        clearTimeout(timer);
        child.off('exit', onExit);
        resolve({ verdict, error });
      };
      const onExit = (): void => end('crash');
      const timer = setTimeout(() => end('silence'), patienceMs);
      const stop = this.#server.onRequest((request) => {
        if (request.typeUrl !== typeUrl || !request.resourceNames.includes(name)) return;
        if (request.reading === 'ack') end('ACK');
        if (request.reading === 'nack') end('NACK', request.errorDetail ?? '');
      });
      child.once('exit', onExit);
      child.stdin?.write(`${name}\n`);
    });
  }

  async close(): Promise<void> {
    if (this.#child !== undefined) await endConformance(this.#child);
    await this.#server.close();
  }

  #launch(): ChildProcess {
    return launchConformance(
      { kind: 'core', python: this.#python },
      this.#target,
      this.#certificateProviders,
    );
  }
}
