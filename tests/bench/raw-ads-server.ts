import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';

/** Of this machine, to be compared between processes. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

/**
 * gRPC by hand: sends responses that were made before, whole, and says when the last byte of each left for the socket.
 * What the client answers is not looked at.
 */
export class RawAdsServer {
  readonly #server = createServer();
  #stream: ServerHttp2Stream | undefined;

  /** The first one is sent to whoever asks for anything. */
  constructor(first: Buffer, onSent: (atMs: number) => void) {
    this.#server.on('stream', (stream) => {
      this.#stream = stream;
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
      stream.on('error', () => undefined);
      stream.once('data', () => this.send(first).then(onSent));
      stream.resume();
    });
  }

  listen(): Promise<number> {
    return new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  /** Resolves with the time when all of it was written. */
  send(message: Buffer): Promise<number> {
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(message.length, 1);
    return new Promise((resolve) => {
      this.#stream?.write(prefix);
      this.#stream?.write(message, () => resolve(nowMs()));
    });
  }
}
