import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, createServer as createTlsServer } from 'node:tls';
import { loopback, type SubjectName } from '@/lib/twin/twin';
import type { CertificateAuthority } from '../certificates/certificate-authority';

const tlsHandshake = 0x16;
/** "PRI * HTTP/2.0" begins every connection of HTTP/2 with prior knowledge. */
const http2Preface = 'PRI ';

/** The header of a response to an RPC that states the port of the backend. Not every gRPC client shows the address of its peer. */
const backendHeader = 'xdscope-backend';

/**
 * Servers on loopback that answer every request with 200, and RPCs of gRPC with OK. The first bytes of a connection decide
 * between TLS, HTTP/2 and HTTP/1, each of which has a server of its own behind them.
 */
export class EchoBackends {
  readonly #authority: CertificateAuthority;
  readonly #fronts = new Map<number, Server>();
  readonly #inner: Server[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #namesByPort = new Map<number, readonly SubjectName[]>();
  /** The ports of the servers that end TLS, by the names of their certificates. */
  readonly #tlsPorts = new Map<string, Promise<number>>();
  /** The ports of the backends, by the local port of the relayed connection. */
  readonly #backendOf = new Map<number, number>();
  #http1Port = 0;
  #http2Port = 0;
  #isClosed = false;

  constructor(authority: CertificateAuthority) {
    this.#authority = authority;
  }

  /** Resolves to the ports of as many servers. */
  async listen(count: number): Promise<number[]> {
    this.#http1Port = await this.#listenInner(createHttpServer(this.#answer));
    this.#http2Port = await this.#listenInner(createHttp2Server(this.#answer));
    const ports: number[] = [];
    for (let index = 0; index < count; index++) {
      const server = createServer((socket) => this.#accept(socket, socket.localPort ?? 0));
      const port = await listenOn(server);
      this.#fronts.set(port, server);
      ports.push(port);
    }
    return ports;
  }

  /** From now on the certificate of the server on this port carries these names. */
  setNames(port: number, names: readonly SubjectName[]): void {
    this.#namesByPort.set(port, names);
  }

  /** Frees ports on which nobody has connected. */
  async release(ports: readonly number[]): Promise<void> {
    const servers = ports.flatMap((port) => this.#fronts.get(port) ?? []);
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  close(): void {
    this.#isClosed = true;
    for (const server of [...this.#fronts.values(), ...this.#inner]) server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #listenInner(server: Server): Promise<number> {
    this.#inner.push(server);
    server.on('connection', (socket) => this.#track(socket));
    return listenOn(server);
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    // Envoy closes connections when it ends.
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#sockets.delete(socket));
  }

  #accept(socket: Socket, port: number): void {
    this.#track(socket);
    socket.once('data', (first: Buffer) => {
      socket.pause();
      const relay = (innerPort: number): void => {
        if (this.#isClosed || socket.destroyed) return;
        const inner = connect(innerPort, loopback);
        this.#track(inner);
        inner.once('connect', () => {
          const { localPort = 0 } = inner;
          this.#backendOf.set(localPort, port);
          inner.once('close', () => this.#backendOf.delete(localPort));
        });
        inner.write(first);
        socket.once('close', () => inner.destroy());
        inner.once('close', () => socket.destroy());
        socket.pipe(inner);
        inner.pipe(socket);
      };
      if (first[0] !== tlsHandshake) {
        const isHttp2 = first.toString('latin1', 0, http2Preface.length) === http2Preface;
        relay(isHttp2 ? this.#http2Port : this.#http1Port);
        return;
      }
      this.#tlsPort(port).then(relay, (error: Error) => socket.destroy(error));
    });
  }

  readonly #answer = (
    request: IncomingMessage | Http2ServerRequest,
    response: ServerResponse | Http2ServerResponse,
  ): void => {
    const backend = this.#backendOf.get(request.socket.remotePort ?? 0);
    request.on('error', () => undefined).resume();
    response.on('error', () => undefined);
    response.statusCode = 200;
    if (request.headers['content-type']?.startsWith('application/grpc') !== true) {
      response.setHeader('content-type', 'text/plain');
      response.end('xdscope twin\n');
      return;
    }
    response.setHeader('content-type', 'application/grpc');
    response.setHeader('trailer', 'grpc-status');
    if (backend !== undefined) response.setHeader(backendHeader, String(backend));
    response.addTrailers({ 'grpc-status': '0' });
    // One empty message: its flag and its length.
    response.end(Buffer.alloc(5));
  };

  #tlsPort(port: number): Promise<number> {
    const names = this.#namesByPort.get(port) ?? [];
    const key = JSON.stringify(names);
    const known = this.#tlsPorts.get(key);
    if (known !== undefined) return known;
    const contextOf = (more: readonly SubjectName[]) => {
      const { certificate, key: privateKey } = this.#authority.issue({
        commonName: 'backend',
        names: [...names, ...more],
      });
      return createSecureContext({ cert: certificate, key: privateKey });
    };
    const { certificate, key: privateKey } = this.#authority.issue({ commonName: 'backend', names });
    const server = createTlsServer({
      cert: certificate,
      key: privateKey,
      ALPNCallback: ({ protocols }) =>
        ['h2', 'http/1.1'].find((each) => protocols.includes(each)) ?? protocols[0],
      // Envoy may compare the name of the certificate with the one that it has requested.
      SNICallback: (name, callback) => callback(null, contextOf([{ kind: 'dns', value: name }])),
    });
    server.on('secureConnection', (secure) => this.#accept(secure, port));
    server.on('tlsClientError', (_, socket) => socket.destroy());
    const listening = this.#listenInner(server);
    this.#tlsPorts.set(key, listening);
    return listening;
  }
}

function listenOn(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, loopback, () => {
      const address = server.address();
      if (typeof address === 'object' && address !== null) resolve(address.port);
    });
  });
}
