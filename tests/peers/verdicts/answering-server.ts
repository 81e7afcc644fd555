import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { normaliseTypeUrl } from '@/lib/xds/resource-type';
import { messageType } from '@/server/codec/root';

/** What a client does with the one resource of a response. `silent`: it neither answers nor ends. */
export type Answer = 'ACK' | 'NACK' | 'silent' | 'ended';

export interface Answered {
  readonly answer: Answer;
  /** The error_detail of a NACK, or why the client ended. */
  readonly text: string;
}

interface Request {
  readonly typeUrl: string;
  readonly responseNonce: string;
  readonly errorDetail: { readonly message: string } | null;
}

type Stream = ServerDuplexStream<Buffer, Buffer>;

interface Asked {
  readonly nonce: string;
  readonly settle: (answered: Answered) => void;
}

/** Clients answer within milliseconds. */
const answerMs = 2_000;
const method = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';
const unchanged = (bytes: Buffer): Buffer => bytes;

/**
 * A management server whose responses of one type have one resource each, the next of which follows the answer to the one
 * before. The first request of any other type is answered with its fixed resources.
 */
export class AnsweringServer {
  readonly #server = new Server();
  readonly #streams = new Set<Stream>();
  #stream: Stream | undefined;
  #asked: Asked | undefined;
  #whenReady: (() => void) | undefined;
  #nonces = 0;

  /** `fixed`: the payloads by type URL; a type without an entry is not answered. */
  constructor(
    private readonly typeUrl: string,
    private readonly fixed: ReadonlyMap<string, readonly Uint8Array[]>,
  ) {
    this.#server.addService(
      {
        stream: {
          ...{ path: method, requestStream: true, responseStream: true, originalName: 'stream' },
          ...{ requestSerialize: unchanged, requestDeserialize: unchanged },
          ...{ responseSerialize: unchanged, responseDeserialize: unchanged },
        },
      },
      { stream: (stream: Stream) => this.#serve(stream) },
    );
  }

  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
        if (error === null) resolve(port);
        else reject(error);
      });
    });
  }

  close(): void {
    for (const stream of this.#streams) stream.end();
    this.#server.forceShutdown();
  }

  /** Resolves when a client has requested the type. */
  ready(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#stream === undefined) this.#whenReady = resolve;
      else resolve();
    });
  }

  /** Sends a response with the resource, and waits for its answer. `ended` is why the client has ended, if it has. */
  async ask(bytes: Uint8Array, ended: () => string | undefined): Promise<Answered> {
    const stream = this.#stream;
    if (stream === undefined) throw new Error('expected a client that has requested the type, got none');
    let timer: NodeJS.Timeout | undefined;
    const answered = new Promise<Answered>((settle) => {
      this.#asked = { nonce: this.#send(stream, this.typeUrl, [bytes]), settle };
      const begin = Date.now();
      timer = setInterval(() => {
        const reason = ended();
        if (reason !== undefined) settle({ answer: 'ended', text: reason });
        else if (Date.now() - begin > answerMs) settle({ answer: 'silent', text: '' });
      }, 20);
    });
    try {
      return await answered;
    } finally {
      clearInterval(timer);
      this.#asked = undefined;
    }
  }

  #serve(stream: Stream): void {
    this.#streams.add(stream);
    const answered = new Set<string>();
    stream.on('error', () => stream.end());
    stream.on('end', () => stream.end());
    stream.on('close', () => {
      this.#streams.delete(stream);
      if (this.#stream === stream) this.#stream = undefined;
    });
    stream.on('data', (bytes: Buffer) => {
      const { typeUrl, responseNonce, errorDetail } = readRequest(bytes);
      if (typeUrl === this.typeUrl) {
        this.#stream = stream;
        this.#whenReady?.();
        if (responseNonce !== '' && responseNonce === this.#asked?.nonce)
          this.#asked.settle({
            answer: errorDetail === null ? 'ACK' : 'NACK',
            text: errorDetail?.message ?? '',
          });
        return;
      }
      const resources = this.fixed.get(typeUrl);
      if (resources === undefined || answered.has(typeUrl)) return;
      answered.add(typeUrl);
      this.#send(stream, typeUrl, resources);
    });
  }

  #send(stream: Stream, typeUrl: string, resources: readonly Uint8Array[]): string {
    const nonce = String(++this.#nonces);
    const response = {
      ...{ typeUrl, nonce, versionInfo: nonce },
      resources: resources.map((value) => ({ type_url: typeUrl, value })),
    };
    const type = messageType('envoy.service.discovery.v3.DiscoveryResponse');
    stream.write(Buffer.from(type.encode(type.fromObject(response)).finish()));
    return nonce;
  }
}

function readRequest(bytes: Buffer): Request {
  const type = messageType('envoy.service.discovery.v3.DiscoveryRequest');
  const { typeUrl, responseNonce, errorDetail } = type.toObject(type.decode(bytes), {
    defaults: true,
  }) as Request;
  return { typeUrl: normaliseTypeUrl(typeUrl), responseNonce, errorDetail };
}
