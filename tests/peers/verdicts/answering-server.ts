import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { normaliseTypeUrl } from '@/lib/xds/resource-type';
import { messageType } from '@/server/codec/root';
import type { Answered } from './answer';

interface Request {
  readonly typeUrl: string;
  readonly resourceNames: readonly string[];
  readonly responseNonce: string;
  readonly errorDetail: { readonly message: string } | null;
}

type Stream = ServerDuplexStream<Buffer, Buffer>;

interface Asked {
  readonly nonce: string;
  readonly settle: (answered: Answered) => void;
}

export interface OtherResource {
  readonly typeUrl: string;
  readonly value: Uint8Array;
}

/** Clients answer within milliseconds. */
const answerMs = 2_000;
const method = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';
const unchanged = (bytes: Buffer): Buffer => bytes;

/** The payloads of a type for a subscription to names. Undefined: the type is not answered. */
export type FixedResources = (typeUrl: string, names: readonly string[]) => Uint8Array[] | undefined;

/**
 * A management server whose responses of one type have one resource each, the next of which follows the answer to the one
 * before. Each new subscription of another type is answered with the fixed resources for its names.
 */
export class AnsweringServer {
  readonly #typeUrl: string;
  readonly #fixed: FixedResources;
  readonly #repeated: readonly string[];

  readonly #server = new Server();
  readonly #streams = new Set<Stream>();
  /** The names of the newest stream, by type. */
  #subscribed = new Map<string, readonly string[]>();
  #stream: Stream | undefined;
  #asked: Asked | undefined;
  #requested: readonly string[] = [];
  #whenReady: (() => void) | undefined;
  #nonces = 0;

  /** `repeated`: types whose fixed resources are sent again after each resource. */
  constructor(typeUrl: string, fixed: FixedResources, repeated: readonly string[] = []) {
    this.#typeUrl = typeUrl;
    this.#fixed = fixed;
    this.#repeated = repeated;

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

  /** Resolves with the requested names when a client has requested the type. */
  ready(): Promise<readonly string[]> {
    return new Promise((resolve) => {
      if (this.#stream === undefined) this.#whenReady = () => resolve(this.#requested);
      else resolve(this.#requested);
    });
  }

  /**
   * Sends a response with the resource, and waits for its answer. `ended` is why the client has ended, if it has. `beside` are
   * resources of other types in the same response.
   */
  async ask(
    bytes: Uint8Array,
    ended: () => string | undefined,
    beside: readonly OtherResource[] = [],
  ): Promise<Answered> {
    const stream = this.#stream;
    // A client whose channel has failed closes its stream.
    if (stream === undefined) return { answer: 'silent', text: '' };
    let timer: NodeJS.Timeout | undefined;
    const answered = new Promise<Answered>((settle) => {
      this.#asked = { nonce: this.#send(stream, this.#typeUrl, [bytes], beside), settle };
      for (const typeUrl of this.#repeated) this.#sendFixed(stream, typeUrl);
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
    const subscribed = new Map<string, readonly string[]>();
    this.#subscribed = subscribed;
    stream.on('error', () => stream.end());
    stream.on('end', () => stream.end());
    stream.on('close', () => {
      this.#streams.delete(stream);
      if (this.#stream === stream) this.#stream = undefined;
    });
    stream.on('data', (bytes: Buffer) => {
      const { typeUrl, resourceNames, responseNonce, errorDetail } = readRequest(bytes);
      if (typeUrl === this.#typeUrl) {
        this.#stream = stream;
        this.#requested = resourceNames;
        this.#whenReady?.();
        if (responseNonce !== '' && responseNonce === this.#asked?.nonce)
          this.#asked.settle({
            answer: errorDetail === null ? 'ACK' : 'NACK',
            text: errorDetail?.message ?? '',
          });
        return;
      }
      if (String(subscribed.get(typeUrl)) === String(resourceNames) && subscribed.has(typeUrl)) return;
      subscribed.set(typeUrl, resourceNames);
      this.#sendFixed(stream, typeUrl);
    });
  }

  #sendFixed(stream: Stream, typeUrl: string): void {
    const names = this.#subscribed.get(typeUrl);
    const resources = names && this.#fixed(typeUrl, names);
    if (resources !== undefined) this.#send(stream, typeUrl, resources);
  }

  #send(
    stream: Stream,
    typeUrl: string,
    resources: readonly Uint8Array[],
    beside: readonly OtherResource[] = [],
  ): string {
    const nonce = String(++this.#nonces);
    const response = {
      ...{ typeUrl, nonce, versionInfo: nonce },
      resources: [...resources.map((value) => ({ typeUrl, value })), ...beside].map((each) => ({
        type_url: each.typeUrl,
        value: each.value,
      })),
    };
    const type = messageType('envoy.service.discovery.v3.DiscoveryResponse');
    stream.write(Buffer.from(type.encode(type.fromObject(response)).finish()));
    return nonce;
  }
}

function readRequest(bytes: Buffer): Request {
  const type = messageType('envoy.service.discovery.v3.DiscoveryRequest');
  const { typeUrl, resourceNames, responseNonce, errorDetail } = type.toObject(type.decode(bytes), {
    defaults: true,
    arrays: true,
  }) as Request;
  return { typeUrl: normaliseTypeUrl(typeUrl), resourceNames, responseNonce, errorDetail };
}
