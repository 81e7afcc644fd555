import { createServer, type Server as HttpServer, type RequestListener } from 'node:http';
import {
  type MethodDefinition,
  Server,
  ServerCredentials,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { clusterOfStub, type ServiceStub, serviceStubs } from '@/lib/twin/service-stubs';
import { loopback, type ServiceAnswer } from '@/lib/twin/twin';
import { encodeBody } from '../../codec/encode-body';
import { messageType } from '../../codec/root';

interface Stub {
  readonly port: number;
  readonly close: () => void;
}

/** A stub that listens, and the name of its cluster. */
export interface StubAddress extends ServiceStub {
  readonly cluster: string;
  readonly port: number;
}

/**
 * Servers on loopback in place of external authorization and processing (gRPC and HTTP) and rate limit services. Each
 * answers every request alike.
 */
export class ServiceStubs {
  readonly #stubs: Stub[] = [];

  async listen(): Promise<StubAddress[]> {
    const addresses: StubAddress[] = [];
    for (const { protocol, answer } of serviceStubs) {
      const stub = await listeners[protocol](answer);
      this.#stubs.push(stub);
      addresses.push({ protocol, answer, cluster: clusterOfStub({ protocol, answer }), port: stub.port });
    }
    return addresses;
  }

  close(): void {
    for (const stub of this.#stubs) stub.close();
  }
}

const listeners: Readonly<Record<ServiceStub['protocol'], (answer: ServiceAnswer) => Promise<Stub>>> = {
  grpc: listenGrpc,
  http: listenAuthorizer,
  'http-processor': listenProcessor,
};

const forbidden = 403;

/** "200 OK: the request is allowed"; any other status denies it, and is the status of the answer. */
function listenAuthorizer(answer: ServiceAnswer): Promise<Stub> {
  return listenHttp((request, response) => {
    request.resume();
    response.statusCode = answer === 'allow' ? 200 : forbidden;
    response.end();
  });
}

/** Messages of ext_proc in JSON, one of which has the headers of a request or response. */
function listenProcessor(answer: ServiceAnswer): Promise<Stub> {
  return listenHttp((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.length > mostProcessedChars) request.destroy();
    });
    request.on('end', () => {
      const part = /"(requestHeaders|responseHeaders)"/.exec(text)?.[1] ?? 'requestHeaders';
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answer === 'allow' ? { [part]: {} } : denial));
    });
  });
}

/** Envoy limits the headers of a request to 60 KiB by default; JSON may double them. */
const mostProcessedChars = 1024 * 1024;

function listenHttp(listener: RequestListener): Promise<Stub> {
  const server: HttpServer = createServer(listener);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, loopback, () => {
      const address = server.address();
      const close = (): void => {
        server.close();
        server.closeAllConnections();
      };
      if (typeof address === 'object' && address !== null) resolve({ port: address.port, close });
    });
  });
}

async function listenGrpc(answer: ServiceAnswer): Promise<Stub> {
  const server = new Server();
  const isAllowed = answer === 'allow';
  addUnary(server, '/envoy.service.auth.v3.Authorization/Check', 'envoy.service.auth.v3.CheckResponse', {
    // google.rpc.Code: OK, PERMISSION_DENIED.
    ...(isAllowed
      ? { status: { code: 0 }, okResponse: {} }
      : { status: { code: 7 }, deniedResponse: { status: { code: 'Forbidden' } } }),
  });
  addUnary(
    server,
    '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit',
    'envoy.service.ratelimit.v3.RateLimitResponse',
    { overallCode: isAllowed ? 'OK' : 'OVER_LIMIT' },
  );
  addProcessor(server, isAllowed);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${loopback}:0`, ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  return { port, close: () => server.forceShutdown() };
}

const raw = {
  requestSerialize: (bytes: Buffer) => bytes,
  requestDeserialize: (bytes: Buffer) => bytes,
  responseSerialize: (bytes: Buffer) => bytes,
  responseDeserialize: (bytes: Buffer) => bytes,
};

function addMethod(server: Server, path: string, isStream: boolean, implementation: object): void {
  const method: MethodDefinition<Buffer, Buffer> = {
    ...raw,
    path,
    requestStream: isStream,
    responseStream: isStream,
  };
  server.addService({ method }, implementation as UntypedServiceImplementation);
}

function addUnary(server: Server, path: string, type: string, json: object): void {
  const answer = Buffer.from(encodeBody(type, json));
  const method = (_: unknown, send: (error: null, answer: Buffer) => void): void => send(null, answer);
  addMethod(server, path, false, { method });
}

/** The answer of a processor that ends the request. */
const denial = { immediateResponse: { status: { code: 'Forbidden' } } };

interface ProcessorStream {
  on(event: 'data', listener: (message: Buffer) => void): unknown;
  on(event: 'end' | 'error', listener: () => void): unknown;
  write(message: Buffer): unknown;
  end(): unknown;
}

/** Each part of a request or response is answered with an empty part of the same name, or the first one with a denial. */
function addProcessor(server: Server, isAllowed: boolean): void {
  const service = 'envoy.service.ext_proc.v3';
  const request = messageType(`${service}.ProcessingRequest`);
  const method = (stream: ProcessorStream): void => {
    stream.on('data', (message) => {
      const part = Reflect.get(request.decode(message), 'request');
      const answer = isAllowed ? { [String(part)]: {} } : denial;
      stream.write(Buffer.from(encodeBody(`${service}.ProcessingResponse`, answer)));
    });
    stream.on('end', () => stream.end());
    // Envoy leaves when the request has ended.
    stream.on('error', () => undefined);
  };
  addMethod(server, `/${service}.ExternalProcessor/Process`, true, { method });
}
