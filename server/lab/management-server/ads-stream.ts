import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import { messageOf } from '@/lib/format/message-of';
import { InvalidRequest, RejectedRequest } from './discovery-messages';
import type { RequestEvent, StreamLogic } from './stream-logic';

export type ByteStream = ServerDuplexStream<Buffer, Buffer>;

interface StreamHooks {
  readonly onRequest: (event: RequestEvent) => void;
  readonly isSilent: () => boolean;
  readonly onEnd: () => void;
}

/** Connects the logic of one ADS stream to a grpc-js call. */
export class AdsStream {
  readonly #call: ByteStream;
  readonly #hooks: StreamHooks;
  #blocked = false;
  #ended = false;

  constructor(
    call: ByteStream,
    readonly logic: StreamLogic,
    hooks: StreamHooks,
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
