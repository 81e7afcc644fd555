import type { AdsRequest } from './ads-stream-state';
import { decodeEnvelope, type ResponseEnvelope } from './decode-response';
import type { ResourceCodec } from './resource-codec';
import type { CancelReason, StreamEnd, Transport, TransportStream } from './transport';
import { nodeJson, type XdsNode } from './xds-node';

/** Upward: what a stream tells the channel that owns it. */
export interface AdsStreamHandler {
  onConnected(stream: AdsStream): void;
  /** The stream reads on when the promise has settled: the flow control of grpc-go. */
  onResponse(stream: AdsStream, response: ResponseEnvelope): Promise<void>;
  /** Last, and once. */
  onEnd(stream: AdsStream, end: StreamEnd): void;
}

export const adsMethod = 'StreamAggregatedResources';

/** google.rpc.Code. Any would do ("do not interpret"); C-core and Go send this one. */
const invalidArgument = 3;

/** One state-of-the-world ADS stream: requests to bytes, bytes to responses. It knows neither versions nor names. */
export class AdsStream {
  readonly #stream: TransportStream;
  /** gRFC A57: a stream that ends before any response is a connectivity error. */
  hadResponse = false;
  /** Set when the peer sent something that is no DiscoveryResponse; the stream is ended for it. */
  #unreadable: string | null = null;

  constructor(
    /** As observations name it. */
    readonly id: string,
    transport: Transport,
    private readonly codec: ResourceCodec,
    private readonly handler: AdsStreamHandler,
  ) {
    this.#stream = transport.openStream(adsMethod, {
      onConnected: () => handler.onConnected(this),
      onMessage: (message) => this.#receive(message),
      onEnd: (end) => handler.onEnd(this, this.#explain(end)),
    });
  }

  send(request: AdsRequest, node: XdsNode): void {
    const { typeUrl, versionInfo, responseNonce, resourceNames, reason, errorDetail } = request;
    const json = {
      typeUrl,
      versionInfo,
      responseNonce,
      resourceNames,
      ...(request.withNode ? { node: nodeJson(node) } : {}),
      ...(reason === 'nack' ? { errorDetail: { code: invalidArgument, message: errorDetail } } : {}),
    };
    this.#stream.send(this.codec.encode('envoy.service.discovery.v3.DiscoveryRequest', json));
  }

  cancel(why: CancelReason): void {
    this.#stream.cancel(why);
  }

  async #receive(message: Uint8Array): Promise<void> {
    if (this.#unreadable !== null) return;
    const result = decodeEnvelope(message);
    if (result.kind === 'unreadable') {
      // Without a nonce there is nothing to NACK. gRPC fails such a stream, and so do we.
      this.#unreadable = result.reason;
      this.#stream.cancel('not-wanted');
      return;
    }
    this.hadResponse = true;
    await this.handler.onResponse(this, result.envelope);
  }

  #explain(end: StreamEnd): StreamEnd {
    if (this.#unreadable === null) return end;
    const details = this.#unreadable;
    const problem = {
      code: 'NOT_XDS',
      message: details,
      hint: 'Is this the port of an xDS management server (ADS)?',
    };
    return { code: 'INTERNAL', details, explain: async () => problem };
  }
}
