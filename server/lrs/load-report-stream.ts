import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import type { ClusterLoad, NodeInfo } from '@/lib/observation/observation';
import { readNodeInfo } from '../codec/node-info';
import { decodeLoadReport } from './decode-load-report';

export interface LoadReportStreamHandler {
  /** First, unless the stream ends before: who reports. Answers why it may not, or null. */
  onNode(stream: LoadReportStream, node: NodeInfo): string | null;
  onReport(stream: LoadReportStream, clusters: readonly ClusterLoad[], sizeBytes: number): void;
  /** The stream is closed for a message that it must not have sent. onEnd follows. */
  onRefused(stream: LoadReportStream, reason: string): void;
  /** Last, and once. */
  onEnd(stream: LoadReportStream, end: { readonly code: string; readonly details: string }): void;
}

/** One StreamLoadStats call of one client. */
export class LoadReportStream {
  #isFirst = true;
  #isOver = false;

  constructor(
    readonly id: string,
    private readonly call: ServerDuplexStream<Buffer, Buffer>,
    private readonly options: {
      /** Answer to the first message, after onNode: LoadStatsResponse. */
      readonly responseTo: (stream: LoadReportStream) => Buffer;
      readonly redactNode: <T>(json: T) => T;
      readonly handler: LoadReportStreamHandler;
    },
  ) {
    call.on('data', (message: Buffer) => {
      // One message of a stream per turn: a client that floods holds up its own stream, and nobody else.
      call.pause();
      try {
        this.#receive(message);
      } catch (error) {
        // A fault of our own: it costs this stream, and is counted and shown like a refusal.
        this.#refuse(error instanceof Error ? error.message : String(error), status.INTERNAL);
      }
      setImmediate(() => call.resume());
    });
    // A reset, as of a process that was killed, often looks like a good end here.
    call.on('end', () => {
      call.end();
      this.#finish('OK', 'the client ended the stream');
    });
    call.on('cancelled', () => this.#finish('CANCELLED', 'the client broke the stream off'));
    // The peer is gone: nobody is left to tell, and it comes as 'cancelled' too.
    call.on('error', () => {});
  }

  /** Ends the stream from our side. */
  stop(code: status, details: string): void {
    if (this.#isOver) return;
    this.call.emit('error', { code, details });
    this.#finish(status[code] ?? String(code), details);
  }

  /** The client's end of the connection, and the server as the client names it: of any text, of limited length. */
  get ends(): { readonly peer: string; readonly server: string } {
    return { peer: this.call.getPeer(), server: this.call.getHost().slice(0, 253) };
  }

  #receive(message: Buffer): void {
    if (this.#isOver) return;
    const { handler, redactNode, responseTo } = this.options;
    const result = decodeLoadReport(message);
    if (result.kind === 'malformed') {
      this.#refuse(result.reason);
      return;
    }
    if (this.#isFirst) {
      // Told in the first message only: later ones need not repeat it, and cannot change it.
      if (result.node === null) {
        this.#refuse('expected a node in the first LoadStatsRequest of the stream, got none');
        return;
      }
      this.#isFirst = false;
      const refusal = handler.onNode(this, readNodeInfo(result.node, redactNode));
      if (refusal !== null) {
        this.#refuse(refusal, status.RESOURCE_EXHAUSTED);
        return;
      }
      this.call.write(responseTo(this));
    }
    if (result.clusters.length > 0) handler.onReport(this, result.clusters, message.length);
  }

  #refuse(reason: string, code = status.INVALID_ARGUMENT): void {
    this.options.handler.onRefused(this, reason);
    this.stop(code, reason);
  }

  #finish(code: string, details: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.options.handler.onEnd(this, { code, details });
  }
}
