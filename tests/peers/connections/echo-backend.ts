import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';

export interface EchoBackend {
  readonly port: number;
  /** Listens on the same port again. */
  readonly start: () => Promise<void>;
  /** Ends all connections, and rejects new ones. */
  readonly stop: () => Promise<void>;
}

/** A gRPC server that answers every call with OK. */
export async function startEchoBackend(): Promise<EchoBackend> {
  let server: Http2Server | undefined;
  const sessions = new Set<ServerHttp2Session>();
  const listen = async (port: number): Promise<number> => {
    const next = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/grpc' });
      response.write(Buffer.alloc(5));
      response.addTrailers({ 'grpc-status': '0' });
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
  const port = await listen(0);
  return {
    port,
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
