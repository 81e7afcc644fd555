import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { freePort } from '../../support/free-port';

export interface EchoBackend {
  readonly port: number;
  /** Number of requests that were answered with OK. */
  answered(): number;
  /** Number of all requests. */
  received(): number;
  /** Every call ends with UNAVAILABLE, every other request with 503, until it is false again. */
  setFailing(isFailing: boolean): void;
  /** Listens on the same port again. */
  readonly start: () => Promise<void>;
  /** Ends all connections, and rejects new ones. */
  readonly stop: () => Promise<void>;
}

/** A gRPC server that answers every call with OK. */
export async function startEchoBackend(): Promise<EchoBackend> {
  let server: Http2Server | undefined;
  const sessions = new Set<ServerHttp2Session>();
  let isFailing = false;
  let answered = 0;
  let received = 0;
  const listen = async (port: number): Promise<number> => {
    const next = createServer((request, response) => {
      request.resume();
      const isGrpc = request.headers['content-type']?.startsWith('application/grpc') === true;
      response.writeHead(isFailing && !isGrpc ? 503 : 200, { 'content-type': 'application/grpc' });
      received += 1;
      if (!isFailing) answered += 1;
      if (!isFailing) response.write(Buffer.alloc(5));
      response.addTrailers({ 'grpc-status': isFailing ? '14' : '0' });
      response.end();
    });
    next.on('session', (session) => {
      sessions.add(session);
      session.once('close', () => sessions.delete(session));
    });
    server = next;
    await new Promise<void>((resolve) => next.listen(port, '127.0.0.1', resolve));
    return (next.address() as AddressInfo).port;
  };
  const port = await listen(await freePort());
  return {
    port,
    answered: () => answered,
    received: () => received,
    setFailing(failing) {
      isFailing = failing;
    },
    start: async () => void (await listen(port)),
    async stop() {
      const closing = server;
      server = undefined;
      if (closing === undefined) return;
      const closed = new Promise((resolve) => closing.close(resolve));
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}
