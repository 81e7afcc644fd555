import { readFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { Clock } from '../observe';
import type { ServerConfig } from './server-config';

/** What a poll goes out with. */
export interface RestConnection {
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
}

/** A file that cannot be used, with its path and without what is in it. */
export class CredentialsError extends Error {}

const common = { keepAlive: true, timeout: 0 } as const;
const maxTokenBytes = 64 * 1024;

/**
 * The connections to one server, kept alive between polls. TLS files are read anew when their time has come (gRFC A65)
 * and the connections are renewed when they differ; a token is read for each poll, and leaves only over TLS (gRFC A97).
 */
export class RestConnections {
  #agent: Agent | null = null;
  /** Of the TLS files behind the agent. */
  #files: readonly (string | null)[] = [];
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly server: Pick<ServerConfig, 'credentials' | 'callCredentials'>,
    private readonly clock: Clock,
  ) {}

  get isTls(): boolean {
    return this.server.credentials.kind === 'tls';
  }

  /** Rejects with a CredentialsError. */
  async open(): Promise<RestConnection> {
    const agent = await this.#currentAgent();
    return { agent, headers: await this.#callHeaders() };
  }

  close(): void {
    this.#agent?.destroy();
    this.#agent = null;
    this.#readAt = Number.NEGATIVE_INFINITY;
  }

  async #currentAgent(): Promise<Agent> {
    const { credentials } = this.server;
    if (credentials.kind !== 'tls') {
      this.#agent ??= new Agent(common);
      return this.#agent;
    }
    const { caCertificateFile, certificateFile, privateKeyFile, refreshIntervalMs } = credentials;
    const isFresh = this.clock.now() - this.#readAt < refreshIntervalMs;
    if (this.#agent !== null && isFresh) return this.#agent;
    const files = await Promise.all([
      readCredential(caCertificateFile),
      readCredential(certificateFile),
      readCredential(privateKeyFile),
    ]);
    this.#readAt = this.clock.now();
    if (this.#agent !== null && files.every((text, index) => text === this.#files[index])) return this.#agent;
    const [ca, cert, key] = files.map((text) => text ?? undefined);
    // Polls that are under way end by themselves on the old connections.
    this.#agent = new TlsAgent({ ...common, ca, cert, key, ALPNProtocols: ['http/1.1'] });
    this.#files = files;
    return this.#agent;
  }

  async #callHeaders(): Promise<Record<string, string>> {
    const [call] = this.server.callCredentials;
    if (call === undefined) return {};
    if (!this.isTls) {
      throw new CredentialsError('call credentials need TLS: a token is not sent in plain text');
    }
    const token = (await readCredential(call.file))?.trim() ?? '';
    if (token === '' || token.length > maxTokenBytes || /[^\x21-\x7e]/.test(token)) {
      throw new CredentialsError(
        `"${call.file}": expected a token, got ${token.length} characters that are none`,
      );
    }
    return { authorization: `Bearer ${token}` };
  }
}

async function readCredential(file: string | null): Promise<string | null> {
  if (file === null) return null;
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw new CredentialsError(`"${file}": expected a file that can be read, got ${code}`);
  }
}
