import { messageOf } from '@/lib/format/message-of';
import type { Problem } from '@/lib/observation/observation';
import type { DiscoveryMethod } from '@/lib/xds/discovery-methods';
import type { MessageSink } from '../../../transport/grpc/frame-reader';
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

interface XdsStreamHandler {
  /** Called first and at most once. Requests that were sent before are transmitted now. */
  onConnected(stream: XdsStream): void;
  /** Called at the start of a response. Returns the resources that it may repeat, or undefined. */
  recall(typeUrl: string): ResponseOrder | undefined;
  /** As in grpc-go, the stream reads no further until the promise has settled. */
  onResponse(stream: XdsStream, response: ResponseEnvelope): Promise<void>;
  /** Called exactly once, and last. */
  onEnd(stream: XdsStream, end: StreamEnd): void;
}

interface XdsStreamOptions {
  readonly id: string;
  readonly method: DiscoveryMethod;
  readonly transport: Transport;
  readonly codec: ResourceCodec;
  readonly node: XdsNode;
}

/** One stream of any method. Encodes requests and decodes responses, without any state of the protocol. */
export class XdsStream {
  readonly #options: XdsStreamOptions;
  readonly #handler: XdsStreamHandler;
  readonly id: string;
  readonly #stream: TransportStream;
  isConnected = false;
  /** gRFC A57: a stream that ends before any response is a connectivity error. */
  hadResponse = false;
  /** The problem of an unreadable message, because of which the stream was cancelled. */
  #fault: Problem | null = null;

  constructor(options: XdsStreamOptions, handler: XdsStreamHandler) {
    this.#options = options;
    this.#handler = handler;
    const { id, method, transport } = options;
    this.id = id;
    this.#stream = transport.openStream(method, {
      onConnected: () => this.#connect(),
      onMessage: (sizeBytes) => this.#begin(sizeBytes),
      onEnd: (end) => handler.onEnd(this, this.#explain(end)),
    });
  }

  send(request: SentRequest): void {
    const { node, codec, method } = this.#options;
    this.#stream.send(encodeRequest(request, { node, codec, apiVersion: method.apiVersion }));
  }

  cancel(why: CancelReason): void {
    this.#stream.cancel(why);
  }

  #connect(): void {
    if (this.isConnected) return;
    this.isConnected = true;
    this.#handler.onConnected(this);
  }

  get isFaulty(): boolean {
    return this.#fault !== null;
  }

  #begin(sizeBytes: number): MessageSink {
    const { isDelta } = this.#options.method;
    const reader = new ResponseReader(sizeBytes, isDelta, (typeUrl) => this.#handler.recall(typeUrl));
    return {
      write: (bytes) => reader.write(bytes),
      end: () => this.#receive(reader.finish(), sizeBytes),
    };
  }

  async #receive(split: SplitResponse | undefined, sizeBytes: number): Promise<void> {
    if (this.#fault !== null) return;
    this.#connect();
    const { isDelta, apiVersion, type } = this.#options.method;
    const result = decodeSplit(split, sizeBytes, { isDelta, apiVersion, typeUrl: type?.typeUrl ?? null });
    if (result.kind === 'unreadable') {
      // A response without a nonce cannot be NACKed. As in gRPC, the stream fails.
      this.#fail({
        code: 'NOT_XDS',
        message: result.reason,
        hint: 'Is this the port of an xDS management server (ADS)?',
      });
      return;
    }
    this.hadResponse = true;
    try {
      await this.#handler.onResponse(this, result.envelope);
    } catch (error) {
      // A defect of xdscope ends only this stream and is reported like a fault of the server.
      this.#fail({
        code: 'INTERNAL',
        message: `xdscope could not read a response: ${messageOf(error)}`,
        hint: '',
      });
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
