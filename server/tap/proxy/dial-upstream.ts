import { type ClientHttp2Session, connect, type Settings } from 'node:http2';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { dialOptions } from '../../dial/dial-options';
import type { Target } from '../../dial/target';
import type { TlsMaterial } from '../../grpc/certificate-watcher';

export interface Dialled {
  readonly session: ClientHttp2Session;
  /** The server's settings, which are sent to the client unchanged. */
  readonly settings: Settings;
}

export interface DialOptions {
  readonly target: Target;
  /** undefined: in plain text. */
  readonly tls: TlsMaterial | undefined;
  readonly timeoutMs: number;
  /** Of a session that belongs to this end alone: large, so that one round trip brings much. */
  readonly windows: Windows;
  readonly signal: AbortSignal;
}

export interface Windows {
  readonly streamBytes: number;
  readonly connectionBytes: number;
}

/** What both ends of the tap are made with; a peer's own limits are in its settings. */
export const sessionLimits = {
  maxHeaderListPairs: 2_000,
  maxSendHeaderBlockLength: 1024 * 1024,
  /** In MB: the windows bound it, not this. */
  maxSessionMemory: 1_000,
  maxOutstandingPings: 100,
};

/** Connected means that the server has spoken HTTP/2: its settings are there. Rejects with the reason in plain words. */
export async function dialUpstream(options: DialOptions): Promise<Dialled> {
  const { target, tls, timeoutMs, windows, signal } = options;
  const socket = open(target, tls);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 60_000);
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
      fail(timeout.aborted ? `no HTTP/2 settings within ${timeoutMs / 1000} s` : 'nobody waits any more');
    either.addEventListener('abort', onAbort, { once: true });
    session.once('error', (error) => fail(error.message));
    session.once('close', () => fail('the connection was closed before any HTTP/2 settings came'));
    session.once('goaway', (code) => fail(`the server sent GOAWAY ${code} at once`));
    session.once('remoteSettings', (settings) => {
      either.removeEventListener('abort', onAbort);
      session.removeAllListeners('error').removeAllListeners('close').removeAllListeners('goaway');
      session.setLocalWindowSize(windows.connectionBytes);
      resolve({ session, settings });
    });
  });
}

function open(target: Target, tls: TlsMaterial | undefined): Socket {
  const where = dialOptions(target);
  if (tls === undefined) return connectTcp(where);
  const { ca, cert, key } = tls;
  // SNI (RFC 6066) is for names alone.
  const servername = isIP(target.host) === 0 ? { servername: target.host } : {};
  return connectTls({ ...where, ca, cert, key, ALPNProtocols: ['h2'], ...servername });
}
