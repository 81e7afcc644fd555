import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Target } from '@/server/transport/targets/target';

export interface Peer {
  readonly target: Target;
  close(): Promise<void>;
}

export function targetOfPort(port: number): Target {
  return { host: '127.0.0.1', port, text: `127.0.0.1:${port}` };
}

/** Listens on a free port; close() ends its connections too. */
export async function listen(server: Server): Promise<Peer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    target: targetOfPort(port),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

export function listenHttp1(): Promise<Peer> {
  return listen(createHttpServer((_, response) => response.end('<html>metrics</html>')));
}

/** A TLS server without a certificate: every handshake ends with an alert. */
export function listenTls(): Promise<Peer> {
  const server = createTlsServer({});
  server.on('tlsClientError', () => {});
  return listen(server);
}

export function listenHttp2(httpStatus: number, contentType: string, body: string): Promise<Peer> {
  const server = createHttp2Server((_, response) => {
    response.writeHead(httpStatus, { 'content-type': contentType });
    response.end(body);
  });
  return listen(server);
}

/** A server of another protocol that sends `greeting` first; it sends nothing if `greeting` is empty. */
export function listenRaw(greeting: string, thenClose = false): Promise<Peer> {
  return listen(
    createServer((socket) => {
      if (greeting !== '') socket.write(greeting, 'latin1');
      if (thenClose) socket.destroy();
    }),
  );
}
