import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { dialOptions } from '../targets/dial-options';
import type { Target } from '../targets/target';
import type { ChannelTls } from './channel-security';

/** The protocol of a server, by the first bytes that it sends. */
export type PeerKind =
  | { readonly kind: 'http2' }
  | { readonly kind: 'tls' }
  | { readonly kind: 'http1' }
  | { readonly kind: 'ssh' }
  | { readonly kind: 'other'; readonly firstBytes: string }
  | { readonly kind: 'closes' }
  | { readonly kind: 'silent' }
  | { readonly kind: 'unreachable' };

const timeoutMs = 2_000;
/** RFC 9113 3.4: the client's connection preface, then an empty SETTINGS frame. */
const http2Preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0', 'latin1');

/**
 * Finds out why a connection failed if gRPC reports no cause: connects twice, once with the HTTP/2 preface and once with a
 * TLS handshake, and classifies what the server sends. Resolves within two seconds; rejects with a DialRejectedError if the
 * dial policy rejects the address.
 */
export async function sniffPeer(target: Target): Promise<PeerKind> {
  // A TLS server closes a plain-text connection or waits; only a handshake distinguishes it.
  const [plain, isTls] = await Promise.all([readFirstBytes(target), hasTls(target)]);
  if (plain === 'unreachable') return { kind: 'unreachable' };
  if (plain.length > 0) return classify(plain);
  if (isTls) return { kind: 'tls' };
  return plain.closed ? { kind: 'closes' } : { kind: 'silent' };
}

function classify(bytes: Buffer): PeerKind {
  // TLS record types: 0x15 alert, 0x16 handshake; the next byte is the major version 3.
  if ((bytes[0] === 0x15 || bytes[0] === 0x16) && bytes[1] === 3) return { kind: 'tls' };
  const text = bytes.toString('latin1');
  if (text.startsWith('HTTP/1.') || /^<!doctype|^<html/i.test(text)) return { kind: 'http1' };
  if (text.startsWith('SSH-')) return { kind: 'ssh' };
  // A SETTINGS frame (type 4) on stream 0 is how every HTTP/2 server begins.
  if (bytes.length >= 9 && bytes[3] === 4 && bytes.readUInt32BE(5) === 0) return { kind: 'http2' };
  return { kind: 'other', firstBytes: text.slice(0, 16) };
}

type FirstBytes = Buffer & { closed?: boolean };

function readFirstBytes(target: Target): Promise<FirstBytes | 'unreachable'> {
  const where = dialOptions(target);
  return new Promise((resolve) => {
    let isConnected = false;
    let received: FirstBytes = Buffer.alloc(0);
    const socket = connect(where, () => {
      isConnected = true;
      socket.write(http2Preface);
    });
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    let isLate = true;
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 9) return;
      isLate = false;
      socket.destroy();
    });
    socket.on('end', () => {
      isLate = false;
    });
    // 'close' follows. gRPC has reported the reason of a failed connection already.
    socket.on('error', () => {
      isLate = false;
    });
    socket.on('close', () => {
      clearTimeout(timer);
      received.closed = !isLate;
      resolve(isConnected ? received : 'unreachable');
    });
  });
}

function hasTls(target: Target): Promise<boolean> {
  const where = dialOptions(target);
  return new Promise((resolve) => {
    // The certificate is not verified, because nothing is sent over this connection.
    const socket = connectTls({ ...where, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    const finish = (answer: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => finish(false), timeoutMs);
    socket.on('secureConnect', () => finish(true));
    // A TLS alert, such as "handshake failure", proves that the server uses TLS.
    socket.on('error', (error: NodeJS.ErrnoException) => finish(/ALERT/.test(error.code ?? '')));
    socket.on('close', () => finish(false));
  });
}

/** Servers of Node, for example, reject a client's certificate by closing the connection without an alert. */
export const closedAfterHandshake = 'the connection was closed after the handshake';

/**
 * In TLS 1.3 a server rejects a client's certificate after the client has finished the handshake, and the reason gets lost.
 * Connects once more and resolves to the error; to undefined if the server sends data or nothing for two seconds. Throws a
 * DialRejectedError if the dial policy rejects the address.
 */
export function readTlsAlert(
  target: Target,
  { material, serverName: servername }: ChannelTls,
): Promise<string | undefined> {
  const where = dialOptions(target);
  return new Promise((resolve) => {
    const named = servername === undefined ? {} : { servername };
    const socket = connectTls({ ...where, ALPNProtocols: ['h2'], ...named, ...material });
    let isHandshakeDone = false;
    const finish = (alert: string | undefined): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(alert);
    };
    const timer = setTimeout(() => finish(undefined), timeoutMs);
    socket.on('secureConnect', () => {
      isHandshakeDone = true;
    });
    socket.on('error', (error) => finish(error.message));
    socket.on('data', () => finish(undefined));
    socket.on('close', () => finish(isHandshakeDone ? closedAfterHandshake : undefined));
  });
}
