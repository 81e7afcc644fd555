import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import { messageOf } from '@/lib/format/message-of';
import { InvalidRequest, RejectedRequest } from './discovery-messages';
import type { RequestEvent, StreamLogic } from './stream-logic';

export type ByteStream = ServerDuplexStream<Buffer, Buffer>;

/** Connects the logic of one ADS stream to a grpc-js call. */
export class AdsStream {
  readonly #call: ByteStream;
  readonly #hooks: {
    onRequest: (event: RequestEvent) => void;
    isSilent: () => boolean;
    onEnd: () => void;
  };
  #blocked = false;
  #ended = false;

  constructor(
    call: ByteStream,
    readonly logic: StreamLogic,
    hooks: {
      onRequest: (event: RequestEvent) => void;
      isSilent: () => boolean;
      onEnd: () => void;
    },
  ) {
    this.#call = call;
    this.#hooks = hooks;
    call.on('data', (bytes: Buffer) => this.#receive(bytes));
    call.on('drain', () => {
      this.#blocked = false;
      this.pump();
    });
    call.on('end', () => this.#end());
    call.on('cancelled', () => this.#forget());
    // The peer disconnected. grpc-js also reports this as 'cancelled'.
    call.on('error', () => this.#forget());
  }

  /** Sends every due response. None is queued for a slow peer: it is computed when the stream has drained. */
  pump(): void {
    while (!this.#blocked && !this.#ended && !this.#hooks.isSilent()) {
      const response = this.logic.takeResponse();
      if (response === undefined) return;
      this.write(response);
    }
  }

  /** Bypasses the delivery state; see ManagementServer.pushRaw. */
  write(bytes: Buffer): void {
    if (!this.#ended) this.#blocked = !this.#call.write(bytes);
  }

  stop(code: status, details: string): void {
    if (this.#ended) return;
    this.#forget();
    this.#call.emit('error', { code, details });
  }

  #receive(bytes: Buffer): void {
    if (this.#ended) return;
    try {
      this.#hooks.onRequest(this.logic.receive(bytes));
    } catch (error) {
      if (error instanceof RejectedRequest) this.stop(error.rejection.code, error.rejection.details);
      else if (error instanceof InvalidRequest) this.stop(status.INVALID_ARGUMENT, error.message);
      else this.stop(status.INTERNAL, messageOf(error));
      return;
    }
    this.pump();
  }

  #end(): void {
    if (this.#ended) return;
    this.#forget();
    this.#call.end();
  }

  #forget(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#hooks.onEnd();
  }
}
