import { type ClientDuplexStream, connectivityState, type StatusObject, status } from '@grpc/grpc-js';
import type { Problem } from '@/lib/observation/observation';
import { formatDiscoveryMethod } from '@/lib/xds/discovery-methods';
import { dial } from '../grpc/channel';
import { openChannelSecurity } from '../grpc/channel-security';
import { type CallFailure, explainError } from '../grpc/explain-error';
import { plainDetails } from '../grpc/plain-details';
import type { Clock } from '../observe';
import type { ServerConfig } from './server-config';
import type {
  CancelReason,
  StreamEnd,
  Transport,
  TransportStream,
  TransportStreamHandler,
} from './transport';

export interface GrpcTransportOptions {
  readonly server: ServerConfig;
  readonly clock: Clock;
  /** What is wrong with the files of the server's credentials, whenever that changes; empty: nothing. */
  readonly onCredentialProblems?: ((problems: readonly string[]) => void) | undefined;
  /** A message above it ends its stream with RESOURCE_EXHAUSTED. */
  readonly maxMessageBytes?: number;
  /** For the words of an error: how long a connection may take. */
  readonly connectTimeoutMs: number;
}

/** Streams over a connection of its own. */
export function grpcTransport({
  server,
  clock,
  onCredentialProblems,
  maxMessageBytes,
  connectTimeoutMs,
}: GrpcTransportOptions): Transport {
  const { target } = server;
  const security = openChannelSecurity(server, clock, onCredentialProblems);
  const client = dial(target, { credentials: security.credentials, maxMessageBytes });
  return {
    openStream(method, handler) {
      const call = client.makeBidiStreamRequest(`/${method.path}`, asIs, asIs);
      const stream = new GrpcStream(call, handler, (end) =>
        explainError(end, {
          target,
          service: formatDiscoveryMethod(method),
          deadlineMs: connectTimeoutMs,
          tls: security.tls,
        }),
      );
      const channel = client.getChannel();
      // No deadline, and so no timer. The end of the stream ends the watch at the next change at the latest.
      const watch = (error?: Error): void => {
        if (error !== undefined || stream.isOver) return;
        const state = channel.getConnectivityState(false);
        if (state === connectivityState.READY) handler.onConnected();
        else channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, watch);
      };
      setImmediate(watch);
      return stream;
    },
    close() {
      client.close();
      security.close();
    },
  };
}

class GrpcStream implements TransportStream {
  /** Set when the call has ended, though its last messages may still be read. */
  #status: StatusObject | null = null;
  #cancelled: CancelReason | null = null;
  /** All messages were handed over. */
  #isDrained = false;
  #reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly call: ClientDuplexStream<Buffer, Buffer>,
    private readonly handler: TransportStreamHandler,
    private readonly explain: (failure: CallFailure) => Promise<Problem>,
  ) {
    call.on('data', (message: Buffer) => {
      call.pause();
      this.#reading = handler.onMessage(message).then(() => {
        call.resume();
      });
    });
    // Every end, good or bad, comes as 'status' too; without a listener 'error' would end the process.
    call.on('error', () => {});
    call.on('status', (status: StatusObject) => {
      this.#status = status;
      this.#endWhenRead();
    });
    call.on('end', () => {
      this.#isDrained = true;
      this.#endWhenRead();
    });
  }

  get isOver(): boolean {
    return this.#status !== null || this.#cancelled !== null;
  }

  send(message: Uint8Array): void {
    if (!this.isOver) this.call.write(asBuffer(message));
  }

  cancel(why: CancelReason): void {
    this.#cancelled ??= why;
    this.call.cancel();
  }

  /** The status may overtake messages that are still buffered, or being worked on. */
  async #endWhenRead(): Promise<void> {
    const ended = this.#status;
    if (ended === null || !this.#isDrained) return;
    await this.#reading;
    this.handler.onEnd(this.#cancelled === 'not-connected' ? this.#notConnected() : this.#ended(ended));
  }

  #ended(ended: StatusObject): StreamEnd {
    const isGood = ended.code === status.OK || this.#cancelled === 'not-wanted';
    return {
      code: status[ended.code] ?? String(ended.code),
      details: plainDetails(ended.details),
      explain: async () => (isGood ? null : this.explain(ended)),
    };
  }

  #notConnected(): StreamEnd {
    // The words with which grpc-js says the same at a deadline.
    const details = 'Waiting for LB pick';
    return {
      code: 'DEADLINE_EXCEEDED',
      details: 'no connection in time',
      explain: () => this.explain({ code: status.DEADLINE_EXCEEDED, details }),
    };
  }
}

/** Messages pass as bytes in both directions. */
function asIs(message: Buffer): Buffer {
  return message;
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
