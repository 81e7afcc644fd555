import type { Problem } from '@/lib/observation/observation';
import type { DiscoveryMethod } from '@/lib/xds/discovery-methods';
import type { MessageSink } from '../../grpc/frame-reader';
import { decodeSplit } from '../response/decode-response';
import type { ResourceCodec } from '../response/resource-codec';
import type { ResponseEnvelope } from '../response/response-envelope';
import type { ResponseOrder } from '../response/response-order';
import { ResponseReader } from '../response/response-reader';
import type { SplitResponse } from '../response/split-response';
import { encodeRequest } from './encode-request';
import type { CancelReason, StreamEnd, Transport, TransportStream } from './transport';
import type { SentRequest } from './xds-channel';
import type { XdsNode } from './xds-node';

/** Upward: what a stream reports the lane that owns it. */
export interface XdsStreamHandler {
  /** First, once; never, where no connection comes about. What was sent until then goes out now. */
  onConnected(stream: XdsStream): void;
  /** What a response of that type may repeat, when one begins; undefined: nothing is known. */
  recall(typeUrl: string): ResponseOrder | undefined;
  /** The stream reads on when the promise has settled: the flow control of grpc-go. */
  onResponse(stream: XdsStream, response: ResponseEnvelope): Promise<void>;
  /** Last, and once. */
  onEnd(stream: XdsStream, end: StreamEnd): void;
}

export interface XdsStreamOptions {
  /** As observations name it. */
  readonly id: string;
  readonly method: DiscoveryMethod;
  readonly transport: Transport;
  readonly codec: ResourceCodec;
  readonly node: XdsNode;
}

/** One stream of any method: requests to bytes, bytes to responses. It knows neither versions nor names. */
export class XdsStream {
  readonly id: string;
  readonly #stream: TransportStream;
  isConnected = false;
  /** gRFC A57: a stream that ends before any response is a connectivity error. */
  hadResponse = false;
  /** Why we ended the stream ourselves, with a message that cannot be read; null in all other cases. */
  #fault: Problem | null = null;

  constructor(
    private readonly options: XdsStreamOptions,
    private readonly handler: XdsStreamHandler,
  ) {
    const { id, method, transport } = options;
    this.id = id;
    this.#stream = transport.openStream(method, {
      onConnected: () => this.#connect(),
      onMessage: (sizeBytes) => this.#begin(sizeBytes),
      onEnd: (end) => handler.onEnd(this, this.#explain(end)),
    });
  }

  send(request: SentRequest): void {
    const { node, codec, method } = this.options;
    this.#stream.send(encodeRequest(request, { node, codec, apiVersion: method.apiVersion }));
  }

  cancel(why: CancelReason): void {
    this.#stream.cancel(why);
  }

  #connect(): void {
    if (this.isConnected) return;
    this.isConnected = true;
    this.handler.onConnected(this);
  }

  get isFaulty(): boolean {
    return this.#fault !== null;
  }

  #begin(sizeBytes: number): MessageSink {
    const { isDelta } = this.options.method;
    const reader = new ResponseReader(sizeBytes, isDelta, (typeUrl) => this.handler.recall(typeUrl));
    return {
      write: (bytes) => reader.write(bytes),
      end: () => this.#receive(reader.finish(), sizeBytes),
    };
  }

  async #receive(split: SplitResponse | undefined, sizeBytes: number): Promise<void> {
    if (this.#fault !== null) return;
    this.#connect();
    const { isDelta, apiVersion, type } = this.options.method;
    const result = decodeSplit(split, sizeBytes, { isDelta, apiVersion, typeUrl: type?.typeUrl ?? null });
    if (result.kind === 'unreadable') {
      // Without a nonce there is nothing to NACK. gRPC fails such a stream, and so do we.
      this.#fail({
        code: 'NOT_XDS',
        message: result.reason,
        hint: 'Is this the port of an xDS management server (ADS)?',
      });
      return;
    }
    this.hadResponse = true;
    try {
      await this.handler.onResponse(this, result.envelope);
    } catch (error) {
      // A fault of our own. It costs this stream, and is shown like a fault of the peer's; nothing else stops.
      const reason = error instanceof Error ? error.message : String(error);
      this.#fail({ code: 'INTERNAL', message: `xdscope could not read a response: ${reason}`, hint: '' });
    }
  }

  #fail(problem: Problem): void {
    this.#fault = problem;
    this.#stream.cancel('not-wanted');
  }

  #explain(end: StreamEnd): StreamEnd {
    const problem = this.#fault;
    if (problem === null) return end;
    return { code: 'INTERNAL', details: problem.message, explain: async () => problem };
  }
}
