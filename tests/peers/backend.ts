import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Flavor } from './peer';

/** Answers every request, or every RPC of a gRPC client, with its port. */
export async function startBackend(flavor: Flavor): Promise<{ readonly port: number; close(): void }> {
  let port = 0;
  const server =
    flavor === 'envoy'
      ? createServer((_, response) => response.end(String(port)))
      : createHttp2Server((request, response) => {
          request.resume();
          response.writeHead(200, { 'content-type': 'application/grpc' });
          const text = Buffer.from(String(port));
          const head = Buffer.alloc(5);
          head.writeUInt32BE(text.length, 1);
          response.write(Buffer.concat([head, text]));
          response.addTrailers({ 'grpc-status': '0' });
          response.end();
        });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  const close = (): void => {
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
  };
  return { port, close };
}
