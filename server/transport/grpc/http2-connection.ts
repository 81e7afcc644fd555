import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { formatDuration } from '@/lib/format/duration';
import { dialOptions, type Resolve } from '../targets/dial-options';
import type { Target } from '../targets/target';
import type { ChannelSecurity } from './channel-security';

const pingTimeoutMs = 2_000;
/** The kernel finds a peer that vanished. Servers do not count its probes, as they count pings. */
const tcpKeepaliveMs = 60_000;
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
  /**
   * Milliseconds between two PING frames. Absent: none, because a grpc-go server with default settings closes connections
   * with pings more frequent than every 5 minutes (gRFC A8).
   */
  readonly keepaliveMs?: number | undefined;
  /** The system's resolver by default. */
  readonly resolve?: Resolve;
}

const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: tcpKeepaliveMs } as const;
const dropReasons = new WeakMap<ClientHttp2Session, string>();

/** Returns the reason for which the server ended the connection, if its GOAWAY frame states it. */
export function dropReasonOf(session: ClientHttp2Session): string | undefined {
  return dropReasons.get(session);
}

/** One HTTP/2 connection for all calls to a server. The first call opens it, and the first call after a failure opens a new one. */
export class Http2Connection {
  readonly #target: Target;
  readonly #security: ChannelSecurity;
  readonly #options: Http2ConnectionOptions;
  #attempt: Attempt | undefined;
  #keepaliveMs: number | undefined;
  #isClosed = false;

  constructor(target: Target, security: ChannelSecurity, options: Http2ConnectionOptions = {}) {
    this.#target = target;
    this.#security = security;
    this.#options = options;
    this.#keepaliveMs = options.keepaliveMs;
  }

  get authority(): string {
    return this.#serverName ?? this.#target.text;
  }

  /** A configured name takes precedence over the name of the target. */
  get #serverName(): string | undefined {
    return this.#security.tls?.serverName ?? this.#options.serverName;
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
        const isCurrent = this.#attempt === attempt && !this.#isClosed;
        if (attempt.users === 0 && !(attempt.isReady && isCurrent)) attempt.abandon();
      },
    };
  }

  /** Does not end the calls that are under way. The connection closes with the last of them. */
  close(): void {
    this.#isClosed = true;
    const attempt = this.#attempt;
    if (attempt !== undefined && attempt.users === 0) attempt.abandon();
  }

  /** The next call opens a new connection. The calls that are under way keep the present one. */
  replace(): void {
    const attempt = this.#attempt;
    this.#attempt = undefined;
    if (attempt?.users === 0) attempt.abandon();
  }

  #connect(): Attempt {
    let socket: Socket | undefined;
    let isAbandoned = false;
    const open = async (): Promise<ClientHttp2Session> => {
      await this.#security.whenRead();
      if (isAbandoned) throw new Error('the connection is not needed any more');
      socket = this.#dial();
      const session = await openSession(this.#target, socket).catch((error: unknown) => {
        throw reasonOf(error);
      });
      attempt.isReady = true;
      if (this.#keepaliveMs !== undefined) sendPings(session, this.#keepaliveMs);
      session.once('goaway', (code, _, data) => {
        this.#readGoaway(session, code, data);
        forget();
      });
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

  #readGoaway(session: ClientHttp2Session, code: number, data: Uint8Array | undefined): void {
    const reason = Buffer.from(data ?? []).toString('latin1');
    const intervalMs = this.#keepaliveMs;
    if (code !== constants.NGHTTP2_ENHANCE_YOUR_CALM || reason !== 'too_many_pings') return;
    if (intervalMs === undefined) return;
    this.#keepaliveMs = 2 * intervalMs;
    const [sent, next] = [intervalMs, this.#keepaliveMs].map(formatDuration);
    dropReasons.set(
      session,
      `GOAWAY ENHANCE_YOUR_CALM "too_many_pings": pings were sent every ${sent}; the next connection sends them every ${next}`,
    );
  }

  #dial(): Socket {
    const where = dialOptions(this.#target, this.#options.resolve);
    const { tls } = this.#security;
    if (tls === undefined) return connectTcp({ ...where, ...socketOptions });
    if (tls.material === undefined) throw new Error('Failed to load credentials');
    const servername = this.#serverName;
    const named = servername === undefined ? {} : { servername };
    const socket = connectTls({ ...where, ALPNProtocols: ['h2'], ...named, ...tls.material });
    socket.setNoDelay(true);
    socket.setKeepAlive(true, tcpKeepaliveMs);
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

function sendPings(session: ClientHttp2Session, intervalMs: number): void {
  let timer: NodeJS.Timeout;
  const wait = (run: () => void, delayMs: number): void => {
    timer = setTimeout(run, delayMs).unref();
  };
  const ping = (): void => {
    // 'close' is emitted one turn after destroy().
    if (session.destroyed) return;
    wait(() => session.destroy(), pingTimeoutMs);
    session.ping((error) => {
      clearTimeout(timer);
      if (error === null && !session.destroyed) wait(ping, intervalMs);
      else session.destroy();
    });
  };
  wait(ping, intervalMs);
  session.once('close', () => clearTimeout(timer));
}
