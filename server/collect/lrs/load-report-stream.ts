import { status } from '@grpc/grpc-js';
import { messageOf } from '@/lib/format/message-of';
import type { ClusterLoad, NodeInfo } from '@/lib/observation/observation';
import { readNodeInfo } from '../../codec/node-info';
import type { ServedCall, ServedCallHandler } from '../../transport/grpc/stream-call';
import { decodeLoadReport } from './decode-load-report';

interface LoadReportStreamHandler {
  /** Called first, unless the stream ends before. Returns the reason why the node may not report, or null if it may. */
  onNode(stream: LoadReportStream, node: NodeInfo): string | null;
  onReport(stream: LoadReportStream, clusters: readonly ClusterLoad[], sizeBytes: number): void;
  /** Called if the stream is closed because of an invalid message. onEnd follows. */
  onRejected(stream: LoadReportStream, reason: string): void;
  /** Called once, and last. */
  onEnd(stream: LoadReportStream, end: { readonly code: string; readonly details: string }): void;
}

export interface LoadReportStreamOptions {
  /** Returns the answer to the first message, a LoadStatsResponse, after onNode. */
  readonly responseTo: (stream: LoadReportStream) => Buffer;
  readonly redactNode: <T>(json: T) => T;
  readonly handler: LoadReportStreamHandler;
  readonly whenSent: () => Promise<void> | undefined;
}

/** One StreamLoadStats call of one client. */
export class LoadReportStream implements ServedCallHandler {
  readonly #call: ServedCall;
  readonly #options: LoadReportStreamOptions;
  #isFirst = true;
  #isOver = false;

  constructor(
    readonly id: string,
    call: ServedCall,
    options: LoadReportStreamOptions,
  ) {
    this.#call = call;
    this.#options = options;
  }

  onMessage(message: Uint8Array): Promise<void> | undefined {
    try {
      this.#receive(message);
    } catch (error) {
      // A defect of xdscope ends this stream only, and is counted and shown like a rejected report.
      this.#reject(messageOf(error), status.INTERNAL);
    }
    return this.#options.whenSent();
  }

  /** grpc-js often reports a reset, as of a killed process, like a normal end. */
  onEnd(): void {
    this.#call.end(status.OK, '');
    this.#finish('OK', 'the client ended the stream');
  }

  onCancelled(): void {
    this.#finish('CANCELLED', 'the client broke the stream off');
  }

  stop(code: status, details: string): void {
    if (this.#isOver) return;
    this.#call.end(code, details);
    this.#finish(status[code] ?? String(code), details);
  }

  /** The client's address, and the server as the client names it: any text, of limited length. */
  get ends(): { readonly peer: string; readonly server: string } {
    return { peer: this.#call.peer, server: this.#call.host.slice(0, 253) };
  }

  #receive(message: Uint8Array): void {
    if (this.#isOver) return;
    const { handler, redactNode, responseTo } = this.#options;
    const result = decodeLoadReport(message);
    if (result.kind === 'malformed') {
      this.#reject(result.reason);
      return;
    }
    if (this.#isFirst) {
      // Only the first message contains the node: later messages need not repeat it, and cannot change it.
      if (result.node === null) {
        this.#reject('expected a node in the first LoadStatsRequest of the stream, got none');
        return;
      }
      this.#isFirst = false;
      const rejection = handler.onNode(this, readNodeInfo(result.node, redactNode));
      if (rejection !== null) {
        this.#reject(rejection, status.RESOURCE_EXHAUSTED);
        return;
      }
      this.#call.send(responseTo(this));
    }
    if (result.clusters.length > 0) handler.onReport(this, result.clusters, message.length);
  }

  #reject(reason: string, code = status.INVALID_ARGUMENT): void {
    this.#options.handler.onRejected(this, reason);
    this.stop(code, reason);
  }

  #finish(code: string, details: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.handler.onEnd(this, { code, details });
  }
}
