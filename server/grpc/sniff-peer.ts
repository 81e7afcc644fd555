import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { dialOptions } from '../dial/dial-options';
import type { Target } from '../dial/target';

/** What answers on a port, reported by its first bytes. */
export type PeerKind =
  | { readonly kind: 'http2' }
  | { readonly kind: 'tls' }
  | { readonly kind: 'http1' }
  | { readonly kind: 'ssh' }
  | { readonly kind: 'other'; readonly firstBytes: string }
  | { readonly kind: 'closes' }
  | { readonly kind: 'silent' }
  | { readonly kind: 'unreachable' };

/** RFC 9113 3.4: the client's preface, then an empty SETTINGS frame. */
const http2Preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0', 'latin1');

/**
 * After a failure that gRPC cannot put in words: connects once more, says what an HTTP/2 client says, and looks at
 * what comes back; and beside it, whether a TLS handshake gets an answer. Ends within `timeoutMs`. Rejects with a
 * DialRejectedError where the dial policy rejects the address.
 */
export async function sniffPeer(target: Target, timeoutMs = 2_000): Promise<PeerKind> {
  // A TLS server closes on plain text without a word, or waits: only a handshake reports.
  const [plain, isTls] = await Promise.all([readFirstBytes(target, timeoutMs), speaksTls(target, timeoutMs)]);
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

function readFirstBytes(target: Target, timeoutMs: number): Promise<FirstBytes | 'unreachable'> {
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
    // The reason of a failed connection is known from gRPC already; 'close' follows.
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

function speaksTls(target: Target, timeoutMs: number): Promise<boolean> {
  const where = dialOptions(target);
  return new Promise((resolve) => {
    // No certificate is checked: nothing is sent over this connection, it is asked only whether there is TLS.
    const socket = connectTls({ ...where, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    const finish = (answer: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => finish(false), timeoutMs);
    socket.on('secureConnect', () => finish(true));
    // An alert is TLS too: "handshake failure", "certificate required".
    socket.on('error', (error: NodeJS.ErrnoException) => finish(/ALERT/.test(error.code ?? '')));
    socket.on('close', () => finish(false));
  });
}
