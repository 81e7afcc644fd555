import { status } from '@grpc/grpc-js';
import type { Clock } from '../../observe';
import type { Target } from '../targets/target';
import { Backoff } from './backoff';
import type { ChannelSecurity } from './channel-security';
import type { CallFailure } from './explain-error';
import { GrpcCall, type GrpcCallHandler, maxAnswerBytes } from './grpc-call';
import { Http2Connection, type Http2ConnectionOptions } from './http2-connection';
import { RawAnswer } from './raw-answer';

/** The status of a failed request. */
export class CallError extends Error implements CallFailure {
  override readonly name = 'CallError';
  constructor(
    readonly code: number,
    readonly details: string,
  ) {
    super(details);
  }
}

interface Pending {
  resolve(answer: RawAnswer): void;
  reject(error: CallError): void;
}

/** A stream that sends more messages than this without a request is closed. */
const maxUnrequested = 100;

interface GrpcRequesterOptions extends Http2ConnectionOptions {
  readonly target: Target;
  /** The path of the bidirectional method that answers each request with one message. */
  readonly streamPath: string;
  /** The path of the equivalent unary method; null if the service has none. */
  readonly fetchPath: string | null;
  readonly security: ChannelSecurity;
  readonly clock: Clock;
  /** Returns 0 to 1. It spreads the attempts to connect. */
  readonly random: () => number;
}

/**
 * Sends one request at a time to one peer: over a long stream that answers each request with one complete snapshot (CSDS:
 * "streams are not watches"), or by unary calls if the peer implements only those.
 */
export class GrpcRequester {
  readonly #options: GrpcRequesterOptions;

  /** Reset to 'stream' when a call fails, because a restarted peer may be another version. */
  #method: 'stream' | 'fetch' = 'stream';
  readonly #connection: Http2Connection;
  #stream: GrpcCall | undefined;
  /** The number of calls of cancel(). A cancelled request is not retried. */
  #cancellations = 0;
  #pending: Pending | undefined;
  /** Calls of requestUnary() that are under way. */
  readonly #unary = new Set<GrpcCall>();
  /** Messages without a request: since the last request, and between the two last ones. */
  #unrequested = { now: 0, before: 0 };
  #dialing: { cancel(): void } | undefined;

  constructor(options: GrpcRequesterOptions) {
    this.#options = options;
    this.#connection = new Http2Connection(options.target, options.security, options);
  }

  get usesFetch(): boolean {
    return this.#method === 'fetch';
  }

  /** True if the peer has recently sent messages without a request. They are discarded. */
  get hasUnrequestedAnswers(): boolean {
    return this.#unrequested.now + this.#unrequested.before > 0;
  }

  get isConnected(): boolean {
    return this.#connection.isConnected;
  }

  /** The caller takes or releases the answer. Rejects with a CallError. */
  async request(request: Buffer, deadlineMs: number): Promise<RawAnswer> {
    const isReused = this.#stream !== undefined;
    const cancellations = this.#cancellations;
    const { fetchPath } = this.#options;
    try {
      return await this.#requestOnce(request, deadlineMs);
    } catch (error) {
      if (!(error instanceof CallError) || cancellations !== this.#cancellations) throw error;
      if (error.code === status.UNIMPLEMENTED && this.#method === 'stream' && fetchPath !== null) {
        this.#method = 'fetch';
      } else if (!(isReused && isConnectionEnd(error.code))) {
        // A reused stream may have ended at its maximum age, so that only a new one shows whether the peer is available.
        this.#method = 'stream';
        throw error;
      }
    }
    try {
      return await this.#requestOnce(request, deadlineMs);
    } catch (error) {
      this.#method = 'stream';
      throw error;
    }
  }

  /** Sends the request of another unary method, beside other requests. The rest as request(). */
  async requestUnary(path: string, request: Buffer, deadlineMs: number): Promise<RawAnswer> {
    this.#dialing?.cancel();
    return new Promise((resolve, reject) => {
      let answer: RawAnswer | undefined;
      const call = this.#call(path, {
        onConnected: () => undefined,
        onMessage: (sizeBytes) =>
          new RawAnswer(sizeBytes, (complete) => {
            answer = complete;
          }),
        onEnd: ({ code, details }) => {
          timer.cancel();
          this.#unary.delete(call);
          if (code !== status.OK) reject(new CallError(code, details));
          else if (answer === undefined)
            reject(new CallError(status.INTERNAL, 'an answer without a message'));
          else resolve(answer);
        },
      });
      const timer = this.#options.clock.setTimeout(() => {
        const details = this.isConnected ? 'Deadline exceeded' : 'Deadline exceeded, Waiting for LB pick';
        reject(new CallError(status.DEADLINE_EXCEEDED, details));
        call.cancel();
      }, deadlineMs);
      this.#unary.add(call);
      call.write(request);
      call.halfClose();
    });
  }

  /** Tries to connect for `withinMs` or until the next request, and calls back at most once, when connected. */
  onceConnected(withinMs: number, onConnected: () => void): void {
    this.#dialing?.cancel();
    const connection = this.#connection;
    const { clock, random } = this.#options;
    this.#dialing = keepDialing({ connection, clock, random, forMs: withinMs, onConnected });
  }

  /** Ends the current request and its stream. */
  cancel(): void {
    this.#cancellations++;
    this.#dialing?.cancel();
    this.#dropStream();
    for (const call of this.#unary) call.cancel();
    this.#takePending()?.reject(new CallError(status.CANCELLED, 'cancelled by xdscope'));
  }

  close(): void {
    this.cancel();
    this.#connection.close();
  }

  #requestOnce(request: Buffer, deadlineMs: number): Promise<RawAnswer> {
    if (this.#pending !== undefined)
      throw new Error('GrpcRequester.request: the previous request is not answered yet');
    this.#dialing?.cancel();
    const { fetchPath } = this.#options;
    const { promise, cancelCall } =
      this.#method === 'stream' || fetchPath === null
        ? this.#requestOnStream(request)
        : this.#requestByFetch(request, fetchPath);
    let isSettled = false;
    const timer = this.#options.clock.setTimeout(() => {
      // If this thread was busy, the answer may have arrived unread.
      setImmediate(() =>
        setImmediate(() => {
          if (isSettled) return;
          // explainError() matches these texts of grpc-js.
          const details = this.isConnected ? 'Deadline exceeded' : 'Deadline exceeded, Waiting for LB pick';
          this.#takePending()?.reject(new CallError(status.DEADLINE_EXCEEDED, details));
          cancelCall();
          this.#connection.replace();
        }),
      );
    }, deadlineMs);
    return promise.finally(() => {
      isSettled = true;
      timer.cancel();
    });
  }

  #requestOnStream(request: Buffer): { promise: Promise<RawAnswer>; cancelCall: () => void } {
    this.#unrequested = { now: 0, before: this.#unrequested.now };
    const promise = new Promise<RawAnswer>((resolve, reject) => {
      this.#pending = { resolve, reject };
    });
    this.#stream ??= this.#openStream();
    this.#stream.write(request);
    return { promise, cancelCall: () => this.#dropStream() };
  }

  #openStream(): GrpcCall {
    const stream = this.#call(this.#options.streamPath, {
      onConnected: () => undefined,
      onMessage: (sizeBytes) =>
        new RawAnswer(sizeBytes, (answer) => {
          if (stream === this.#stream) this.#onAnswer(answer);
        }),
      onEnd: ({ code, details }) => {
        if (stream !== this.#stream) return;
        this.#stream = undefined;
        const error =
          code === status.OK
            ? new CallError(status.UNAVAILABLE, 'the server ended the stream without an answer')
            : new CallError(code, details);
        this.#takePending()?.reject(error);
      },
    });
    return stream;
  }

  #onAnswer(answer: RawAnswer): void {
    const pending = this.#takePending();
    if (pending !== undefined) {
      pending.resolve(answer);
      return;
    }
    answer.release();
    if (++this.#unrequested.now > maxUnrequested) this.#dropStream();
  }

  #dropStream(): void {
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.cancel();
  }

  #requestByFetch(
    request: Buffer,
    fetchPath: string,
  ): { promise: Promise<RawAnswer>; cancelCall: () => void } {
    let answer: RawAnswer | undefined;
    let own: Pending | undefined;
    const promise = new Promise<RawAnswer>((resolve, reject) => {
      own = { resolve, reject };
      this.#pending = own;
    });
    const call = this.#call(fetchPath, {
      onConnected: () => undefined,
      onMessage: (sizeBytes) =>
        new RawAnswer(sizeBytes, (complete) => {
          answer = complete;
        }),
      onEnd: ({ code, details }) => {
        if (this.#pending !== own) return;
        const pending = this.#takePending();
        if (code !== status.OK) pending?.reject(new CallError(code, details));
        else if (answer === undefined)
          pending?.reject(new CallError(status.INTERNAL, 'an answer without a message'));
        else pending?.resolve(answer);
      },
    });
    call.write(request);
    call.halfClose();
    return { promise, cancelCall: () => call.cancel() };
  }

  #call(path: string, handler: GrpcCallHandler): GrpcCall {
    const connection = this.#connection;
    const { security } = this.#options;
    return new GrpcCall({ connection, security, path, maxMessageBytes: maxAnswerBytes }, handler);
  }

  #takePending(): Pending | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    return pending;
  }
}

function isConnectionEnd(code: number): boolean {
  return [status.UNAVAILABLE, status.CANCELLED, status.INTERNAL, status.UNKNOWN].includes(code);
}

interface KeepDialingOptions {
  readonly connection: Http2Connection;
  readonly clock: Clock;
  readonly forMs: number;
  /** Returns 0 to 1. It spreads the attempts of many connections. */
  readonly random: () => number;
  /** Called at most once. */
  readonly onConnected: () => void;
}

const firstDelayMs = 200;
const longestDelayMs = 2_000;

/** Tries to connect with a back-off until it succeeds, `forMs` have passed, or it is cancelled. */
function keepDialing({ connection, clock, forMs, random, onConnected }: KeepDialingOptions): {
  cancel(): void;
} {
  const backoff = new Backoff({ initialMs: firstDelayMs, maxMs: longestDelayMs, random });
  let isOver = false;
  let release: (() => void) | undefined;
  let next: { cancel(): void } | undefined;
  const releaseAttempt = (): void => {
    release?.();
    release = undefined;
  };
  const end = (): void => {
    isOver = true;
    releaseAttempt();
    next?.cancel();
    limit.cancel();
  };
  const limit = clock.setTimeout(end, forMs);
  const dial = (): void => {
    const attempt = connection.use();
    release = attempt.release;
    attempt.session.then(
      () => {
        if (isOver) return;
        end();
        onConnected();
      },
      () => {
        if (isOver) return;
        releaseAttempt();
        next = clock.setTimeout(dial, backoff.nextDelayMs());
      },
    );
  };
  dial();
  return { cancel: end };
}
