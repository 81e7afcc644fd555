import { type ClientRequest, request as httpRequest } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, isIPv6, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { messageOf } from '@/lib/format/message-of';
import type { ExplainConnection, ExplainRequest } from '@/lib/requests/request';
import { type Certificate, loopback } from '@/lib/twin/twin';

/** What the caller got: a status, or why there is none. */
export interface CallerView {
  readonly status?: number;
  readonly grpcStatus?: string;
  readonly location?: string;
  readonly error?: string;
}

interface SendOptions {
  readonly port: number;
  /** Where the client's listener is, for the PROXY protocol. */
  readonly listenerAddress: string;
  /** What the caller presents where the listener demands a certificate. */
  readonly certificate: Certificate;
  readonly signal: AbortSignal;
}

/** Fields of a connection or of the frame of the message, which the sender sets. */
const ofSender =
  /^(?::.*|host|connection|keep-alive|proxy-connection|transfer-encoding|upgrade|content-length)$/i;

/** Sends the request once, on a connection of its own. An error of the connection is part of the result. */
export async function sendRequest(request: ExplainRequest, options: SendOptions): Promise<CallerView> {
  const { signal } = options;
  let socket: Socket | undefined;
  try {
    const raw = await openSocket(options, request, signal);
    socket = raw;
    if (request.scheme === 'http')
      return isGrpc(request) ? await sendHttp2(request, raw, signal) : await sendHttp1(request, raw, signal);
    const secure = await secureSocket(raw, request, options);
    socket = secure;
    return secure.alpnProtocol === 'h2'
      ? await sendHttp2(request, secure, signal)
      : await sendHttp1(request, secure, signal);
  } catch (error) {
    signal.throwIfAborted();
    return { error: messageOf(error) };
  } finally {
    socket?.destroy();
  }
}

export function isGrpc({ headers }: Pick<ExplainRequest, 'headers'>): boolean {
  return headers.some(([name, value]) => /^content-type$/i.test(name) && /^application\/grpc/i.test(value));
}

function openSocket(options: SendOptions, request: ExplainRequest, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp({ host: loopback, port: options.port, signal });
    socket.once('error', reject);
    socket.once('connect', () => {
      const header = proxyHeader(request.connection, options.listenerAddress);
      if (header !== undefined) socket.write(header);
      resolve(socket);
    });
  });
}

/**
 * The header of the PROXY protocol, version 1, with the addresses of which the request or the listener states something.
 * Undefined if nothing is stated, or if the two addresses are of different families.
 */
export function proxyHeader(connection: ExplainConnection = {}, listenerAddress: string): string | undefined {
  const [, host = '', port = ''] = /^\[?([^\]]*?)\]?:(\d+)$/.exec(listenerAddress) ?? [];
  const destination = connection.destinationAddress ?? (/^[\d.]+$|:/.test(host) ? host : '');
  const destinationPort = connection.destinationPort ?? Number(port);
  const isVersion6 = isIPv6(connection.sourceAddress ?? destination);
  const [any, here] = isVersion6 ? ['::', '::1'] : ['0.0.0.0', loopback];
  const to = destination === '' || destination === any ? here : destination;
  const from = connection.sourceAddress ?? here;
  if (isIPv6(to) !== isVersion6 || destinationPort === 0) return undefined;
  const family = isVersion6 ? 'TCP6' : 'TCP4';
  return `PROXY ${family} ${from} ${to} ${connection.sourcePort ?? 50_000} ${destinationPort}\r\n`;
}

function secureSocket(socket: Socket, request: ExplainRequest, { certificate }: SendOptions) {
  const { serverName, applicationProtocols } = request.connection ?? {};
  const host = serverName ?? request.authority.replace(/:\d+$/, '');
  const isName = /[a-z]/i.test(host) && !host.includes(':');
  return new Promise<ReturnType<typeof connectTls>>((resolve, reject) => {
    const secure = connectTls({
      socket,
      ...(isName && { servername: host }),
      ALPNProtocols: [...(applicationProtocols ?? (isGrpc(request) ? ['h2'] : ['http/1.1']))],
      cert: certificate.certificate,
      key: certificate.key,
      // The certificates of the twin are throw-away ones.
      rejectUnauthorized: false,
    });
    secure.once('error', reject);
    secure.once('close', () => reject(new Error('the connection was closed during the TLS handshake')));
    secure.once('secureConnect', () => resolve(secure));
  });
}

function sendHttp1(request: ExplainRequest, socket: Socket, signal: AbortSignal): Promise<CallerView> {
  return new Promise((resolve, reject) => {
    const headers: Record<string, string | string[]> = { host: request.authority };
    for (const [name, value] of sentHeaders(request)) {
      const before = headers[name];
      headers[name] = before === undefined ? value : [before, value].flat();
    }
    const { method, path } = request;
    // The option agent would replace createConnection.
    const sent: ClientRequest = httpRequest({
      ...{ method, path, headers, signal },
      createConnection: () => socket,
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      const { location } = response.headers;
      const view = { status: response.statusCode ?? 0, ...(location !== undefined && { location }) };
      // Envoy logs a request whose caller leaves before the end of the response as another outcome.
      response
        .once('error', reject)
        .once('end', () => resolve(view))
        .resume();
    });
    sent.once('upgrade', (response) => resolve({ status: response.statusCode ?? 0 }));
    sent.end();
  });
}

function sendHttp2(request: ExplainRequest, socket: Socket, signal: AbortSignal): Promise<CallerView> {
  const session: ClientHttp2Session = connectHttp2(`${request.scheme}://${request.authority}`, {
    createConnection: () => socket,
  });
  return new Promise<CallerView>((resolve, reject) => {
    session.once('error', reject);
    const headers: Record<string, string | string[]> = {};
    for (const [name, value] of sentHeaders(request)) {
      const before = headers[name];
      headers[name] = before === undefined ? value : [before, value].flat();
    }
    const stream = session.request(
      {
        ':method': request.method,
        ':scheme': request.scheme,
        ':authority': request.authority,
        ':path': request.path,
        ...headers,
        ...(isGrpc(request) && { te: 'trailers' }),
      },
      { signal },
    );
    let view: CallerView = {};
    stream.once('error', reject);
    stream.once('response', (fields) => {
      const grpcStatus = fields['grpc-status'];
      view = {
        status: Number(fields[':status']),
        ...(fields.location !== undefined && { location: fields.location }),
        ...(grpcStatus !== undefined && { grpcStatus: String(grpcStatus) }),
      };
    });
    stream.once('trailers', (fields) => {
      const grpcStatus = fields['grpc-status'];
      if (grpcStatus !== undefined) view = { ...view, grpcStatus: String(grpcStatus) };
    });
    stream.once('close', () => resolve(view));
    stream.resume();
    if (isGrpc(request)) stream.end(Buffer.alloc(5));
    else stream.end();
  }).finally(() => session.destroy());
}

function sentHeaders({ headers }: ExplainRequest): (readonly [name: string, value: string])[] {
  return headers.filter(([name]) => !ofSender.test(name)).map(([name, value]) => [name.toLowerCase(), value]);
}
