import type { Socket } from 'node:net';

/** The connection preface of HTTP/2 begins with it (RFC 9113, section 3.4), and no request of HTTP/1.1 does. */
const prefaceStart = Buffer.from('PRI');

/**
 * Whether a client begins with HTTP/2. The bytes stay readable. A client that sends nothing for `withinMs` counts as one
 * of HTTP/2, and so does one that disconnects.
 */
export function beginsHttp2(socket: Socket, withinMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (isHttp2: boolean): void => {
      clearTimeout(timer);
      socket.off('readable', onReadable).off('close', onClose);
      resolve(isHttp2);
    };
    const onReadable = (): void => {
      const bytes: Buffer | null = socket.read();
      if (bytes === null) return;
      socket.unshift(bytes);
      const { length } = prefaceStart;
      finish(bytes.subarray(0, length).equals(prefaceStart.subarray(0, bytes.length)));
    };
    const onClose = (): void => finish(true);
    const timer = setTimeout(finish, withinMs, true);
    socket.on('readable', onReadable).on('close', onClose);
  });
}
