import { status } from '@grpc/grpc-js';
import type { Problem } from '@/lib/observation/observation';
import { formatDiscoveryMethod } from '@/lib/xds/discovery-methods';
import type { Clock } from '../../../observe';
import type { ServerConfig } from '../../../transport/bootstrap/server-config';
import type { CallStatus } from '../../../transport/grpc/call-status';
import { openChannelSecurity } from '../../../transport/grpc/channel-security';
import { type CallFailure, explainError, plainDetails } from '../../../transport/grpc/explain-error';
import { GrpcCall, type GrpcCallOptions, maxAnswerBytes } from '../../../transport/grpc/grpc-call';
import { Http2Connection } from '../../../transport/grpc/http2-connection';
import type {
  CancelReason,
  StreamEnd,
  Transport,
  TransportStream,
  TransportStreamHandler,
} from './transport';

interface GrpcTransportOptions {
  readonly server: ServerConfig;
  readonly clock: Clock;
  /** Called with the problems of the credential files whenever they change. */
  readonly onCredentialProblems?: ((problems: readonly string[]) => void) | undefined;
  /** A larger message ends its stream with RESOURCE_EXHAUSTED. */
  readonly maxMessageBytes?: number;
  /** The time limit of a connection, for the text of an error. */
  readonly connectTimeoutMs: number;
  /** See Http2ConnectionOptions. */
  readonly keepaliveMs?: number | undefined;
}

/** Opens streams over a connection of its own. */
export function grpcTransport({
  server,
  clock,
  onCredentialProblems,
  maxMessageBytes = maxAnswerBytes,
  connectTimeoutMs,
  keepaliveMs,
}: GrpcTransportOptions): Transport {
  const { target } = server;
  const security = openChannelSecurity(server, clock, onCredentialProblems);
  const connection = new Http2Connection(target, security, { keepaliveMs });
  return {
    openStream(method, handler) {
      const call = { connection, security, path: `/${method.path}`, maxMessageBytes };
      return new GrpcStream(call, handler, (end) =>
        explainError(end, {
          target,
          service: formatDiscoveryMethod(method),
          deadlineMs: connectTimeoutMs,
          tls: security.tls,
        }),
      );
    },
    close() {
      connection.close();
      security.close();
    },
  };
}

class GrpcStream implements TransportStream {
  readonly #explain: (failure: CallFailure) => Promise<Problem>;
  readonly #call: GrpcCall;
  #cancelled: CancelReason | null = null;

  constructor(
    call: GrpcCallOptions,
    handler: TransportStreamHandler,
    explain: (failure: CallFailure) => Promise<Problem>,
  ) {
    this.#explain = explain;
    this.#call = new GrpcCall(call, {
      onConnected: () => handler.onConnected(),
      onMessage: (sizeBytes) => handler.onMessage(sizeBytes),
      onEnd: (ended) =>
        handler.onEnd(this.#cancelled === 'not-connected' ? this.#notConnected() : this.#ended(ended)),
    });
  }

  send(message: Uint8Array): void {
    this.#call.write(message);
  }

  cancel(why: CancelReason): void {
    if (!this.#call.isOver) this.#cancelled ??= why;
    this.#call.cancel();
  }

  #ended(ended: CallStatus): StreamEnd {
    const isGood = ended.code === status.OK || this.#cancelled === 'not-wanted';
    return {
      code: status[ended.code] ?? String(ended.code),
      details: plainDetails(ended.details),
      explain: async () => (isGood ? null : this.#explain(ended)),
    };
  }

  #notConnected(): StreamEnd {
    // grpc-js reports a deadline without a connection with this text, which explainError() matches.
    const details = 'Waiting for LB pick';
    return {
      code: 'DEADLINE_EXCEEDED',
      details: 'no connection in time',
      explain: () => this.#explain({ code: status.DEADLINE_EXCEEDED, details }),
    };
  }
}
