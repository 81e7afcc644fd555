import { type ClientHttp2Session, connect, type Settings } from 'node:http2';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { TlsMaterial } from '../../../transport/grpc/certificate-watcher';
import { dialOptions } from '../../../transport/targets/dial-options';
import type { Target } from '../../../transport/targets/target';

interface Dialled {
  readonly session: ClientHttp2Session;
  /** The server's settings, which are sent to the client unchanged. */
  readonly settings: Settings;
}

interface DialOptions {
  readonly target: Target;
  /** Undefined for plain text. */
  readonly tls: TlsMaterial | undefined;
  /** The name that the server's certificate must contain, by default the target's host. */
  readonly serverName: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface Windows {
  readonly streamBytes: number;
  readonly connectionBytes: number;
}

/** The limits of both sessions. The limits of a peer are in its settings. */
export const sessionLimits = {
  maxHeaderListPairs: 2_000,
  maxSendHeaderBlockLength: 1024 * 1024,
  /** The unit is megabytes. The windows set the effective limit. */
  maxSessionMemory: 1_000,
  maxOutstandingPings: 100,
};

/** Resolves when the server's HTTP/2 settings have arrived. Rejects with the reason. Destroys the socket then. */
export async function openHttp2(
  socket: Socket,
  options: DialOptions & { readonly windows: Windows },
): Promise<Dialled> {
  const { target, tls, timeoutMs, windows, signal } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, timeout]);
  const session = connect(`${tls === undefined ? 'http' : 'https'}://${target.text}`, {
    ...sessionLimits,
    createConnection: () => socket,
    settings: {
      enablePush: false,
      initialWindowSize: windows.streamBytes,
      maxHeaderListSize: 1024 * 1024,
    },
  });
  return new Promise<Dialled>((resolve, reject) => {
    const fail = (reason: string): void => {
      either.removeEventListener('abort', onAbort);
      session.destroy();
      socket.destroy();
      reject(new Error(reason));
    };
    const onAbort = (): void =>
      fail(
        timeout.aborted ? `no HTTP/2 settings within ${timeoutMs / 1000} s` : 'the client has disconnected',
      );
    either.addEventListener('abort', onAbort, { once: true });
    session.once('error', (error) => fail(error.message));
    session.once('close', () => fail('the connection was closed before any HTTP/2 settings arrived'));
    session.once('goaway', (code) => fail(`the server sent GOAWAY ${code} immediately`));
    session.once('remoteSettings', (settings) => {
      either.removeEventListener('abort', onAbort);
      session.removeAllListeners('error').removeAllListeners('close').removeAllListeners('goaway');
      session.setLocalWindowSize(windows.connectionBytes);
      resolve({ session, settings });
    });
  });
}

/**
 * Resolves when the connection is established, with TLS if there is any. Rejects with the reason. `protocols` are offered to
 * the server (ALPN); without any, none is negotiated.
 */
export function dialUpstream(options: DialOptions, protocols: readonly string[]): Promise<Socket> {
  const { tls, timeoutMs, signal } = options;
  const socket = open(options, protocols);
  const either = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => {
      either.removeEventListener('abort', onAbort);
      socket.destroy();
      reject(new Error(reason));
    };
    const onAbort = (): void => fail(`no connection within ${timeoutMs / 1000} s`);
    const onError = (error: Error): void => fail(error.message);
    either.addEventListener('abort', onAbort, { once: true });
    const onClose = (): void => fail('the server closed the connection before it was established');
    socket.once('error', onError);
    socket.once('close', onClose);
    socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
      either.removeEventListener('abort', onAbort);
      socket.off('error', onError).off('close', onClose);
      resolve(socket);
    });
  });
}

function open(
  { target, tls, serverName }: Pick<DialOptions, 'target' | 'tls' | 'serverName'>,
  protocols: readonly string[],
): Socket {
  const socket = openSocket();
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 60_000);
  // 'close' follows.
  socket.on('error', () => socket.destroy());
  return socket;

  function openSocket(): Socket {
    const where = dialOptions(target);
    if (tls === undefined) return connectTcp(where);
    // SNI (RFC 6066) contains only names.
    const servername = serverName ?? (isIP(target.host) === 0 ? target.host : undefined);
    const alpn = protocols.length === 0 ? {} : { ALPNProtocols: [...protocols] };
    return connectTls({ ...where, ...tls, ...alpn, ...(servername && { servername }) });
  }
}
