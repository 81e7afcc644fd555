import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { messageOf } from '@/lib/format/message-of';
import type { Clock } from '../../../observe';
import type { ServerConfig } from '../../../transport/bootstrap/server-config';
import type { TlsMaterial } from '../../../transport/grpc/certificate-watcher';
import {
  type ChannelSecurity,
  type ChannelTls,
  openChannelSecurity,
} from '../../../transport/grpc/channel-security';

interface RestConnection {
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
}

/** Credential files are unusable. The message contains neither their paths nor their content. */
export class CredentialsError extends Error {}

export interface RestConnectionsOptions {
  readonly server: Pick<ServerConfig, 'credentials' | 'callCredentials'>;
  readonly clock: Clock;
  /** Called with the problems of the credential files whenever they change. */
  readonly onCredentialProblems?: ((problems: readonly string[]) => void) | undefined;
}

const agentOptions = { keepAlive: true } as const;

/** The connections to one server, which remain open between polls and are renewed when the TLS files change. */
export class RestConnections {
  readonly #options: RestConnectionsOptions;
  #security: ChannelSecurity | undefined;
  #agent: Agent | undefined;
  #material: TlsMaterial | undefined;

  constructor(options: RestConnectionsOptions) {
    this.#options = options;
  }

  get isTls(): boolean {
    return this.#options.server.credentials.kind === 'tls';
  }

  /** The TLS settings for the explanation of an error, or undefined for plain text. */
  get tls(): ChannelTls | undefined {
    return this.#security?.tls;
  }

  /** Rejects with a CredentialsError. */
  async open(): Promise<RestConnection> {
    const { server, clock, onCredentialProblems } = this.#options;
    this.#security ??= openChannelSecurity(server, clock, onCredentialProblems);
    const security = this.#security;
    await security.whenRead();
    const agent = this.#currentAgent(security.tls);
    try {
      return { agent, headers: await security.readHeaders() };
    } catch (cause) {
      throw new CredentialsError(messageOf(cause), { cause });
    }
  }

  /** Closes the connections and stops watching files. open() may be called again. */
  close(): void {
    this.#security?.close();
    this.#security = undefined;
    this.#agent?.destroy();
    this.#agent = undefined;
    this.#material = undefined;
  }

  #currentAgent(tls: ChannelTls | undefined): Agent {
    if (tls === undefined) {
      this.#agent ??= new Agent(agentOptions);
      return this.#agent;
    }
    const { material, serverName: servername, problems } = tls;
    if (material === undefined) throw new CredentialsError(problems.join('; '));
    if (this.#agent !== undefined && isSame(material, this.#material)) return this.#agent;
    if (this.#agent !== undefined) retire(this.#agent);
    const named = servername === undefined ? {} : { servername };
    this.#agent = new TlsAgent({ ...agentOptions, ...named, ...material, ALPNProtocols: ['http/1.1'] });
    this.#material = material;
    return this.#agent;
  }
}

/** Closes idle connections immediately, and the others after their answer. */
function retire(agent: Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) socket.destroy();
}

function isSame(a: TlsMaterial, b: TlsMaterial | undefined): boolean {
  return b !== undefined && isEqual(a.ca, b.ca) && isEqual(a.cert, b.cert) && isEqual(a.key, b.key);
}

function isEqual(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b);
}
