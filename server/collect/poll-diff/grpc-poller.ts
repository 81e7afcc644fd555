import { status as grpcStatus } from '@grpc/grpc-js';
import { messageOf } from '@/lib/format/message-of';
import type { Problem } from '@/lib/observation/observation';
import { CodecError } from '../../codec/codec-error';
import {
  type ChannelSecurity,
  noSecurity,
  openChannelSecurity,
  type SecurityConfig,
} from '../../transport/grpc/channel-security';
import { explainError } from '../../transport/grpc/explain-error';
import { CallError, GrpcRequester } from '../../transport/grpc/grpc-requester';
import type { RawAnswer } from '../../transport/grpc/raw-answer';
import { Poller, type PollerKind, type PollerOptions } from './poller';

export interface GrpcPollerOptions extends PollerOptions {
  /** Plain text when absent. */
  readonly security?: SecurityConfig | undefined;
  /** The name that the peer's certificate must have. By default, it is the host of the target. */
  readonly serverName?: string | undefined;
  /** See Http2ConnectionOptions. */
  readonly keepaliveMs?: number | undefined;
  /** The largest number of clients of one answer that are admitted. Absent: any number. */
  readonly maxClients?: number | undefined;
}

/** The options of every gRPC poller that cross the threads, without the id of its source. */
export type GrpcPollerSetup = Pick<
  GrpcPollerOptions,
  'target' | 'isNamed' | 'security' | 'serverName' | 'intervalMs' | 'keepaliveMs' | 'maxClients'
>;

export interface GrpcPollerKind extends PollerKind {
  readonly streamPath: string;
  /** Null if the service has only the stream. */
  readonly fetchPath: string | null;
  /** The name in messages, such as "CSDS". */
  readonly service: string;
  /** Advice if the answer is not one of the service. */
  readonly hint: string;
}

/** Polls a peer by requests on a gRPC stream. */
export abstract class GrpcPoller extends Poller {
  protected readonly calls: GrpcRequester;
  readonly #security: ChannelSecurity;
  readonly #kind: GrpcPollerKind;

  constructor(options: GrpcPollerOptions, kind: GrpcPollerKind) {
    super(options, kind);
    const { clock, random, serverName, keepaliveMs } = options;
    const { streamPath, fetchPath } = kind;
    this.#kind = kind;
    this.#security = openChannelSecurity(options.security ?? noSecurity, clock, () => this.polled.update({}));
    this.calls = new GrpcRequester({
      ...{ streamPath, fetchPath, target: this.target, security: this.#security, clock, random },
      ...{ serverName, keepaliveMs },
    });
  }

  /** Sends a request of the poll under way. */
  protected request(message: Buffer): Promise<RawAnswer> {
    return this.#measure(() => this.calls.request(message, this.deadlineMs));
  }

  /** Does the same for another method than that of the kind. */
  protected requestUnary(path: string, message: Buffer): Promise<RawAnswer> {
    return this.#measure(() => this.calls.requestUnary(path, message, this.deadlineMs));
  }

  #measure(request: () => Promise<RawAnswer>): Promise<RawAnswer> {
    return this.meter.measure(request, ({ sizeBytes }) => sizeBytes);
  }

  /**
   * Polls a peer again as soon as its port answers, before the back-off ends, but no sooner than an interval after the
   * previous poll, because it may accept connections only to drop them.
   */
  protected override onceReachable(
    delayMs: number,
    startedAt: number,
    pollAfter: (waitMs: number) => void,
  ): void {
    if (!this.calls.isConnected)
      this.calls.onceConnected(delayMs, () => pollAfter(this.waitAfter(startedAt)));
  }

  protected override cancel(): void {
    this.calls.cancel();
  }

  protected override disconnect(): void {
    this.calls.close();
    this.#security.close();
  }

  protected override problems(): readonly string[] {
    return this.#security.tls?.problems ?? [];
  }

  protected explain(error: unknown): Promise<Problem> | Problem {
    const { target, deadlineMs } = this;
    const { service, hint } = this.#kind;
    const call = { target, service, deadlineMs, tls: this.#security.tls };
    if (error instanceof CallError) return explainError(error, call);
    const reason = messageOf(error);
    if (error instanceof CodecError)
      return { code: 'BAD_ANSWER', message: `${target.text}: ${reason}`, hint };
    return explainError({ code: grpcStatus.INTERNAL, details: reason }, call);
  }
}
