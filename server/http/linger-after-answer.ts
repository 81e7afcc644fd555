import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';

/** Limits the bytes, and the time, of a body that are read and discarded after its request was answered. */
const lingerBytes = 512 * 1024 * 1024;
const lingerMs = 30_000;
const checkEveryMs = 100;

/**
 * Must be called for a request with a body before it is answered. An answer may be sent while the body is being
 * received (413, say). Closing the connection immediately would reset it, and the sender would receive the reset
 * instead of the answer. Therefore the answer is sent, our side is closed, and the body is read up to a limit (RFC 9112
 * 9.6).
 */
export function lingerAfterAnswer(request: IncomingMessage, response: ServerResponse): void {
  const endsConnection = !response.shouldKeepAlive;
  // Node destroys the socket of a response that ends its connection, without reading the rest of the body.
  response.shouldKeepAlive = true;
  response.once('finish', () => {
    const { socket } = request;
    if (endsConnection) socket.end();
    if (request.complete) return;
    const { bytesRead } = socket;
    const endsAt = Date.now() + lingerMs;
    const timer = setInterval(() => {
      if (socket.bytesRead - bytesRead > lingerBytes || Date.now() > endsAt) socket.destroy();
    }, checkEveryMs);
    finished(request, () => {
      clearInterval(timer);
      if (endsConnection) socket.destroy();
    });
    request.resume();
  });
}

/** RFC 9112 6: these headers announce a body. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
