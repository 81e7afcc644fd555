import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import tls from 'node:tls';
import { serverListenerTemplate } from '@/lib/interop/cases/case-resources';
import type { ConnectionSecurity } from '@/lib/interop/expectation';
import type { CaseBackend } from '@/lib/interop/interop-case';
import type { Clock } from '../../observe';
import { findPort } from '../port-block';
import { type ServerProgram, startProgram } from './client-program';

interface XdsBackendsOptions {
  readonly clock: Clock;
  /** The number of backends of each group. */
  readonly groups: Readonly<Record<string, number>>;
  readonly program: ServerProgram;
}

/** Node.js and the first config take seconds on a busy machine. */
const startMs = 30_000;
const inspectMs = 5_000;
const stderrTailChars = 4_000;

/** The xDS-enabled servers (gRFC A36) of a case: a process each, because a process has one bootstrap. */
export class XdsBackends {
  readonly #options: XdsBackendsOptions;
  #groups: ReadonlyMap<string, readonly CaseBackend[]> = new Map();
  readonly #children: ChildProcess[] = [];

  constructor(options: XdsBackendsOptions) {
    this.#options = options;
  }

  group(name: string): readonly CaseBackend[] {
    return this.#groups.get(name) ?? [];
  }

  /** Chooses the ports, which listeners name before the servers start. */
  async reserve(): Promise<void> {
    const reserved = Object.entries(this.#options.groups).map(async ([group, count]) => {
      const names = Array.from({ length: count }, (_, index) => `${group}${index + 1}`);
      const backends = names.map(async (name) => ({ name, port: await findPort(0), isHealthy: true }));
      return [group, await Promise.all(backends)] as const;
    });
    this.#groups = new Map(await Promise.all(reserved));
  }

  /** Resolves when each server has its config and serves. `bootstrapOf`: without the template of listeners. */
  async start(bootstrapOf: (backend: string) => object): Promise<void> {
    await Promise.all(this.#all().map((backend) => this.#start(backend, bootstrapOf(backend.name))));
  }

  /** What the servers demand of connections. `authority`: the certificate of their CA, as PEM. */
  inspect(authority: string) {
    const { clock } = this.#options;
    return Promise.all(
      this.#all().map(async ({ name, port }) => {
        return { name, security: await findRequiredSecurity(port, authority, clock) };
      }),
    );
  }

  close(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }

  #all(): readonly CaseBackend[] {
    return [...this.#groups.values()].flat();
  }

  #start({ name, port }: CaseBackend, bootstrap: object): Promise<void> {
    const { program, clock } = this.#options;
    const child = startProgram(program, {
      args: [`--serve_as=${name}`, `--port=${port}`],
      bootstrap: JSON.stringify({
        ...bootstrap,
        server_listener_resource_name_template: serverListenerTemplate,
      }),
      environment: {},
    });
    this.#children.push(child);
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-stderrTailChars);
    });
    return new Promise((resolve, reject) => {
      const fail = (what: string): void =>
        reject(new Error(`backend "${name}": expected it to serve, ${what}: ${stderr.trim()}`));
      const timer = clock.setTimeout(() => fail(`it does not after ${startMs} ms`), startMs);
      const { stdout } = child;
      if (stdout === null) throw new Error('expected the output of the server, got none');
      createInterface({ input: stdout }).on('line', (line) => {
        if (line !== 'SERVING') return;
        timer.cancel();
        resolve();
      });
      child.once('error', ({ message }) => fail(message));
      child.once('exit', (code, signal) => fail(`it ended with ${signal ?? `exit code ${code}`}`));
    });
  }
}

/**
 * Connects without a certificate. A server with TLS that needs none sends its HTTP/2 settings; one that needs a certificate
 * closes the connection (TLS 1.3: after the handshake); one without TLS fails the handshake.
 */
function findRequiredSecurity(port: number, ca: string, clock: Clock): Promise<ConnectionSecurity> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({
      ...{ host: '127.0.0.1', port, ca, ALPNProtocols: ['h2'] },
      checkServerIdentity: () => undefined,
    });
    let isHandshakeDone = false;
    const timer = clock.setTimeout(
      () => end(new Error(`port ${port}: expected an answer to TLS within ${inspectMs} ms`)),
      inspectMs,
    );
    const end = (found: ConnectionSecurity | Error): void => {
      timer.cancel();
      socket.destroy();
      if (found instanceof Error) reject(found);
      else resolve(found);
    };
    socket.once('secureConnect', () => {
      isHandshakeDone = true;
    });
    socket.once('data', () => end('tls'));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_SSL_WRONG_VERSION_NUMBER') end('plaintext');
      else if (error.code?.startsWith('ERR_SSL_') || isHandshakeDone) end('mtls');
      else end(error);
    });
    socket.once('close', () => {
      if (isHandshakeDone) end('mtls');
      else end(new Error(`port ${port}: expected a TLS handshake, the connection was closed`));
    });
  });
}
