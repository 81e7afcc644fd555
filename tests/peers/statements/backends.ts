import { createServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { freePort } from '../../support/free-port';
import { TestAuthority } from '../../support/test-certificates';
import { heldPath } from './situation';

export interface Backend {
  readonly port: number;
  /** Absent: nothing listens. */
  readonly server?: { close(): void };
}

/** It has issued the certificates of the backends `secure` and `mutual`, which are for `backendName`. */
export const backendAuthority = new TestAuthority();
export const backendName = 'backend.example';

type Answer = (url: string | undefined, response: Pick<ServerResponse, 'statusCode' | 'setHeader'>) => void;

const answers: Readonly<Record<string, Answer>> = {
  good: () => {},
  fine: () => {},
  sick: (url, response) => {
    if (url === '/healthz') response.statusCode = 500;
  },
  degraded: (url, response) => {
    if (url === '/healthz') response.setHeader('x-envoy-degraded', 'true');
  },
  bad: (_, response) => {
    response.statusCode = 500;
  },
};

/** See situations.ts for what each of them does. */
export async function startBackends(): Promise<Map<string, Backend>> {
  const backends = new Map<string, Backend>();
  for (const [name, answer] of Object.entries(answers)) backends.set(name, await startBackend(answer));
  const { certificate: cert, key } = backendAuthority.issue({ dns: backendName });
  const respond = (_: unknown, response: { end(): unknown }): void => void response.end();
  const ca = backendAuthority.certificate;
  const servers = {
    store: tcpServer((socket) => socket.write('+OK\r\n')),
    closing: tcpServer((socket) => socket.destroy()),
    modern: createHttp2Server(respond),
    secure: createHttpsServer({ cert, key }, respond),
    mutual: createHttpsServer({ cert, key, ca, requestCert: true, rejectUnauthorized: true }, respond),
  };
  for (const [name, server] of Object.entries(servers)) backends.set(name, await listening(server));
  for (const name of ['closed', 'shut']) backends.set(name, { port: await freePort() });
  return backends;
}

export function startBackend(answer: Answer): Promise<Backend & { readonly server: Server }> {
  return listening(
    createServer(({ url }, response) => {
      if (url === heldPath) return;
      answer(url, response);
      response.end();
    }),
  );
}

function tcpServer(answer: (socket: Socket) => void) {
  return createTcpServer((socket) => {
    socket.on('error', () => {}).on('data', () => answer(socket));
  });
}

type Listening = { close(): void; listen(port: number, host: string, listener: () => void): unknown };

async function listening<T extends Listening>(server: T): Promise<Backend & { readonly server: T }> {
  const port = await freePort();
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  return { port, server };
}
