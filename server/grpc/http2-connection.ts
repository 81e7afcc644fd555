import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { dialOptions, type Resolve } from '../dial/dial-options';
import type { Target } from '../dial/target';
import type { ChannelSecurity } from './channel-security';

/** A half-open connection is closed within 7 s, also when it is idle. */
const defaultKeepaliveMs = 5_000;
const keepaliveTimeoutMs = 2_000;
/** The flow-control window. With the default of 64 KiB, a server 20 ms away sends at most 3 MB a second. */
const windowBytes = 1024 * 1024;

interface Attempt {
  readonly session: Promise<ClientHttp2Session>;
  /** Ends the connection, or the attempt to make it. */
  abandon(): void;
  users: number;
  isReady: boolean;
}

export interface Http2ConnectionOptions {
  /** The name that the server's certificate must contain and that calls send as `:authority`; the target by default. */
  readonly serverName?: string | undefined;
  /** The time between two PING frames, 5 s by default. */
  readonly keepaliveMs?: number | undefined;
  /** The system's resolver by default. */
  readonly resolve?: Resolve;
}

/** One HTTP/2 connection for all calls to a server. The first call opens it, and the first call after a failure opens a new one. */
export class Http2Connection {
  #attempt: Attempt | undefined;
  #isClosed = false;

  constructor(
    private readonly target: Target,
    private readonly security: ChannelSecurity,
    private readonly options: Http2ConnectionOptions = {},
  ) {}

  get authority(): string {
    return this.#serverName ?? this.target.text;
  }

  /** A configured name takes precedence over the name of the target. */
  get #serverName(): string | undefined {
    return this.security.tls?.serverName ?? this.options.serverName;
  }

  get isConnected(): boolean {
    return this.#attempt?.isReady === true;
  }

  /** `session` rejects with the reason if the connection fails. The caller calls `release` once, in either case. */
  use(): { readonly session: Promise<ClientHttp2Session>; release(): void } {
    this.#attempt ??= this.#connect();
    const attempt = this.#attempt;
    attempt.users += 1;
    return {
      session: attempt.session,
      release: () => {
        attempt.users -= 1;
        if (attempt.users === 0 && (!attempt.isReady || this.#isClosed)) attempt.abandon();
      },
    };
  }

  /** Does not end the calls that are under way. The connection closes with the last of them. */
  close(): void {
    this.#isClosed = true;
    const attempt = this.#attempt;
    if (attempt !== undefined && attempt.users === 0) attempt.abandon();
  }

  #connect(): Attempt {
    let socket: Socket | undefined;
    let isAbandoned = false;
    const open = async (): Promise<ClientHttp2Session> => {
      await this.security.whenRead();
      if (isAbandoned) throw new Error('the connection is not needed any more');
      socket = this.#dial();
      const session = await openSession(this.target, socket).catch((error: unknown) => {
        throw reasonOf(error);
      });
      attempt.isReady = true;
      keepAlive(session, this.options.keepaliveMs ?? defaultKeepaliveMs);
      session.once('goaway', forget);
      session.once('close', forget);
      return session;
    };
    const forget = (): void => {
      if (this.#attempt === attempt) this.#attempt = undefined;
    };
    const attempt: Attempt = {
      session: open(),
      abandon: () => {
        isAbandoned = true;
        forget();
        socket?.destroy();
      },
      users: 0,
      isReady: false,
    };
    attempt.session.catch(forget);
    return attempt;
  }

  #dial(): Socket {
    const where = dialOptions(this.target, this.options.resolve);
    const { tls } = this.security;
    if (tls === undefined) return connectTcp({ ...where, noDelay: true });
    if (tls.material === undefined) throw new Error('Failed to load credentials');
    const servername = this.#serverName;
    const named = servername === undefined ? {} : { servername };
    const socket = connectTls({ ...where, ALPNProtocols: ['h2'], ...named, ...tls.material });
    socket.setNoDelay(true);
    return socket;
  }
}

/** Resolves when the server's SETTINGS frame has arrived. */
function openSession({ text }: Target, socket: Socket): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = connect(`http://${text}`, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: windowBytes },
      maxSendHeaderBlockLength: Number.MAX_SAFE_INTEGER,
      maxSessionMemory: Number.MAX_SAFE_INTEGER,
    });
    // The session emits no error if the peer rejects the handshake at its end.
    socket.once('error', (error) => {
      reject(error);
      session.destroy();
    });
    // Once the session is ready, its calls report its errors.
    session.on('error', reject);
    session.once('close', () => reject(new Error('Failed to connect')));
    session.once('remoteSettings', () => {
      session.setLocalWindowSize(windowBytes);
      resolve(session);
    });
  });
}

/** For a host with several addresses, Node reports one error for each of them. */
function reasonOf(error: unknown): unknown {
  return error instanceof AggregateError ? (error.errors.at(-1) ?? error) : error;
}

function keepAlive(session: ClientHttp2Session, intervalMs: number): void {
  let timer: NodeJS.Timeout;
  const wait = (run: () => void, delayMs: number): void => {
    timer = setTimeout(run, delayMs).unref();
  };
  const ping = (): void => {
    // 'close' is emitted one turn after destroy().
    if (session.destroyed) return;
    wait(() => session.destroy(), keepaliveTimeoutMs);
    session.ping((error) => {
      clearTimeout(timer);
      if (error === null && !session.destroyed) wait(ping, intervalMs);
      else session.destroy();
    });
  };
  wait(ping, intervalMs);
  session.once('close', () => clearTimeout(timer));
}
