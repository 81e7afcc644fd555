import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { CertificateWatcher, type TlsMaterial } from '../../grpc/certificate-watcher';
import type { ChannelTls } from '../../grpc/channel-security';
import { createTokenReader } from '../../grpc/token-file';
import type { Clock } from '../../observe';
import type { ServerConfig } from '../stream/server-config';

/** What a poll goes out with. */
export interface RestConnection {
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
}

/** Files that cannot be used, by name and without what is in them. */
export class CredentialsError extends Error {}

export interface RestConnectionsOptions {
  readonly server: Pick<ServerConfig, 'credentials' | 'callCredentials'>;
  readonly clock: Clock;
  /** What is wrong with the files of the server's credentials, whenever that changes; empty: nothing. */
  readonly onCredentialProblems?: ((problems: readonly string[]) => void) | undefined;
}

const kept = { keepAlive: true } as const;

/**
 * The connections to one server, kept alive between polls. TLS files are watched (gRFC A65), and connections renewed
 * when they differ. A token goes with each poll, over TLS only (gRFC A97).
 */
export class RestConnections {
  #agent: Agent | null = null;
  /** What the agent was made with. */
  #material: TlsMaterial | null = null;
  /** Resolves when the files were read once, good or bad. */
  #watcher: Promise<CertificateWatcher> | null = null;
  #problems: readonly string[] = [];
  readonly #readToken: (() => Promise<string>) | undefined;

  constructor(private readonly options: RestConnectionsOptions) {
    const [call] = options.server.callCredentials;
    if (call !== undefined && this.isTls) this.#readToken = createTokenReader(call.file, options.clock);
  }

  get isTls(): boolean {
    return this.options.server.credentials.kind === 'tls';
  }

  /** For the words of an error; undefined: plain text. */
  get tls(): ChannelTls | undefined {
    return this.isTls ? { problems: this.#problems, material: this.#material ?? undefined } : undefined;
  }

  /** Rejects with a CredentialsError. */
  async open(): Promise<RestConnection> {
    const agent = this.isTls ? await this.#tlsAgent() : this.#plainAgent();
    if (this.#readToken === undefined) return { agent, headers: {} };
    try {
      return { agent, headers: { authorization: `Bearer ${await this.#readToken()}` } };
    } catch (cause) {
      throw new CredentialsError(cause instanceof Error ? cause.message : String(cause), { cause });
    }
  }

  /** Ends connections and watching; open() begins anew. */
  close(): void {
    void this.#watcher?.then((watcher) => watcher.close());
    this.#watcher = null;
    this.#agent?.destroy();
    this.#agent = null;
    this.#material = null;
  }

  #plainAgent(): Agent {
    this.#agent ??= new Agent(kept);
    return this.#agent;
  }

  async #tlsAgent(): Promise<Agent> {
    const { ca, cert, key } = await this.#currentMaterial();
    const isSame = [ca, cert, key].every((part, index) => isEqual(part, this.#parts[index]));
    if (this.#agent !== null && isSame) return this.#agent;
    if (this.#agent !== null) retire(this.#agent);
    const { credentials } = this.options.server;
    const servername = credentials.kind === 'tls' ? credentials.serverName : undefined;
    const named = servername === undefined ? {} : { servername };
    this.#agent = new TlsAgent({ ...kept, ...named, ca, cert, key, ALPNProtocols: ['http/1.1'] });
    this.#material = { ca, cert, key };
    return this.#agent;
  }

  get #parts(): readonly (Buffer | undefined)[] {
    return [this.#material?.ca, this.#material?.cert, this.#material?.key];
  }

  async #currentMaterial(): Promise<TlsMaterial> {
    this.#watcher ??= this.#watch();
    const { material } = await this.#watcher;
    if (material !== undefined) return material;
    throw new CredentialsError(this.#problems.join('; '));
  }

  #watch(): Promise<CertificateWatcher> {
    const { server, clock, onCredentialProblems } = this.options;
    if (server.credentials.kind !== 'tls') throw new Error('watching the files of plain text');
    const watcher = new CertificateWatcher({
      config: server.credentials,
      clock,
      onProblems: (problems) => {
        this.#problems = problems;
        onCredentialProblems?.(problems);
      },
    });
    return new Promise((resolve) => {
      const onRead = (): void => {
        watcher.removeCaCertificateListener(onRead);
        resolve(watcher);
      };
      watcher.addCaCertificateListener(onRead);
    });
  }
}

/** Idle connections end now, those of polls that are under way with their answer. */
function retire(agent: Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) socket.destroy();
}

function isEqual(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === undefined || b === undefined ? a === b : Buffer.compare(a, b) === 0;
}
