import type { Socket } from 'node:net';
import { readOfferedProtocols } from './client-hello';

/** The connection preface of HTTP/2 begins with it (RFC 9113, section 3.4), and no request of HTTP/1.1 does. */
const prefaceStart = Buffer.from('PRI');

/**
 * Whether a client begins with HTTP/2. The bytes stay readable. A client that sends nothing for `withinMs` counts as one
 * of HTTP/2, and so does one that disconnects.
 */
export async function beginsHttp2(socket: Socket, withinMs: number): Promise<boolean> {
  const begins = await peek(socket, withinMs, (bytes) =>
    bytes.subarray(0, prefaceStart.length).equals(prefaceStart.subarray(0, bytes.length)),
  );
  return begins ?? true;
}

/** The protocols that a client offers with TLS. One that sends no ClientHello within the time counts as one of HTTP/2. */
export async function offeredProtocols(socket: Socket, withinMs: number): Promise<readonly string[]> {
  const offered = await peek(socket, withinMs, (bytes) => {
    const read = readOfferedProtocols(bytes);
    return read === 'more' ? undefined : (read ?? ['h2']);
  });
  return offered ?? ['h2'];
}

/** Reads first bytes until `read` returns a value. They stay readable. Resolves to undefined if it never does. */
function peek<T>(
  socket: Socket,
  withinMs: number,
  read: (bytes: Buffer) => T | undefined,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const finish = (value: T | undefined): void => {
      clearTimeout(timer);
      socket.off('readable', onReadable).off('close', onClose);
      resolve(value);
    };
    const onReadable = (): void => {
      const bytes: Buffer | null = socket.read();
      if (bytes === null) return;
      socket.unshift(bytes);
      const value = read(bytes);
      if (value !== undefined) finish(value);
    };
    const onClose = (): void => finish(undefined);
    const timer = setTimeout(finish, withinMs, undefined);
    socket.on('readable', onReadable).on('close', onClose);
  });
}
