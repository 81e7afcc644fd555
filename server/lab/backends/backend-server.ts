import { Server, ServerCredentials, type sendUnaryData, status } from '@grpc/grpc-js';
import type { Clock } from '../../observe';
import type { Random } from '../random';
import { type ShopBackend, shopMethods } from '../shop/shop-backends';

/** One endpoint of the shop on a real socket. It keeps its port when it is stopped and started again. */
export class BackendServer {
  readonly #options: { clock: Clock; random: Random };

  /** The port on which it listens or will listen; 0 means any free port at the first start. */
  port = 0;
  /** Percentage of calls that it answers with UNAVAILABLE. */
  failPercent: number;
  #server: Server | undefined;

  constructor(
    readonly backend: ShopBackend,
    options: { clock: Clock; random: Random },
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
        (_: unknown, answer: sendUnaryData<Buffer>) => this.#answer(answer),
        asBytes,
        asBytes,
        'unary',
      );
    }
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
    this.#server?.forceShutdown();
    this.#server = undefined;
  }

  #answer(answer: sendUnaryData<Buffer>): void {
    const { name, latencyMs } = this.backend;
    const { failPercent } = this;
    const fails = this.#options.random() * 100 < failPercent;
    this.#options.clock.setTimeout(() => {
      if (fails) answer({ code: status.UNAVAILABLE, details: `${name} fails ${failPercent}% of its calls` });
      else answer(null, Buffer.from(name));
    }, latencyMs);
  }
}
