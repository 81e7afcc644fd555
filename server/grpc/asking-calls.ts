import { status } from '@grpc/grpc-js';
import type { Target } from '../dial/target';
import type { Clock } from '../observe';
import type { ChannelSecurity } from './channel-security';
import type { CallFailure } from './explain-error';
import { GrpcCall, type GrpcCallHandler } from './grpc-call';
import { Http2Connection, type Http2ConnectionOptions } from './http2-connection';
import { keepDialing } from './keep-dialing';
import { maxAnswerBytes } from './max-answer-bytes';
import { RawAnswer } from './raw-answer';

/** A call that did not bring an answer, as data for explainError. */
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

/** So many answers that nobody asked for, between two questions, are not an oversight any more. */
const unaskedLimit = 100;

export interface AskingCallsOptions extends Http2ConnectionOptions {
  readonly target: Target;
  /** As in GrpcCall: of the stream on which each question has one answer. */
  readonly streamPath: string;
  /** Of the same as a call for each question, where there is such; null: there is none. */
  readonly fetchPath: string | null;
  readonly security: ChannelSecurity;
  readonly clock: Clock;
  /** 0 to 1; spreads the attempts to reach a peer that is away. */
  readonly random: () => number;
}

/**
 * Asks one peer, one question at a time: over one long stream where each request is answered by one complete snapshot
 * (CSDS: "streams are not watches"), or by a call each where that is all there is.
 */
export class AskingCalls {
  /** Reset to 'stream' when a call fails: the peer may be another one when it is back. */
  private method: 'stream' | 'fetch' = 'stream';
  private readonly connection: Http2Connection;
  private stream: GrpcCall | undefined;
  /** How often cancel() was called: what it ended is not tried again. */
  private cancellations = 0;
  private pending: Pending | undefined;
  /** Answers without a question: since the newest question, and between the two before. */
  private unasked = { now: 0, before: 0 };
  private dialing: { cancel(): void } | undefined;

  constructor(private readonly options: AskingCallsOptions) {
    this.connection = new Http2Connection(options.target, options.security, options);
  }

  get usesFetch(): boolean {
    return this.method === 'fetch';
  }

  /** Did answers come lately that nobody asked for? They are dropped. */
  get hasUnaskedAnswers(): boolean {
    return this.unasked.now + this.unasked.before > 0;
  }

  get isConnected(): boolean {
    return this.connection.isConnected;
  }

  /** One question, one answer, which is to be taken or released; rejects with a CallError. */
  async ask(request: Buffer, deadlineMs: number): Promise<RawAnswer> {
    const isReused = this.stream !== undefined;
    const { cancellations } = this;
    const { fetchPath } = this.options;
    try {
      return await this.askOnce(request, deadlineMs);
    } catch (error) {
      if (!(error instanceof CallError) || cancellations !== this.cancellations) throw error;
      if (error.code === status.UNIMPLEMENTED && this.method === 'stream' && fetchPath !== null) {
        this.method = 'fetch';
      } else if (!(isReused && isConnectionEnd(error.code))) {
        // (A stream of before may have ended of old age; a new one reports whether the peer is there.)
        this.method = 'stream';
        throw error;
      }
    }
    try {
      return await this.askOnce(request, deadlineMs);
    } catch (error) {
      this.method = 'stream';
      throw error;
    }
  }

  /** Calls back once when the connection is up, unless `withinMs` or the next question come first. Keeps trying. */
  onceConnected(withinMs: number, onConnected: () => void): void {
    this.dialing?.cancel();
    const { connection } = this;
    const { clock, random } = this.options;
    this.dialing = keepDialing({ connection, clock, random, forMs: withinMs, onConnected });
  }

  /** Ends what is under way; the next question begins anew. */
  cancel(): void {
    this.cancellations++;
    this.dialing?.cancel();
    this.dropStream();
    this.settle((pending) => pending.reject(new CallError(status.CANCELLED, 'cancelled by xdscope')));
  }

  close(): void {
    this.cancel();
    this.connection.close();
  }

  private askOnce(request: Buffer, deadlineMs: number): Promise<RawAnswer> {
    if (this.pending !== undefined) throw new Error('AskingCalls.ask: the question before has no answer yet');
    this.dialing?.cancel();
    const { fetchPath } = this.options;
    const { promise, cancelCall } =
      this.method === 'stream' || fetchPath === null
        ? this.askOnStream(request)
        : this.askByFetch(request, fetchPath);
    let isSettled = false;
    const timer = this.options.clock.setTimeout(() => {
      // Where this thread was busy the answer may be here, and unread.
      setImmediate(() =>
        setImmediate(() => {
          if (isSettled) return;
          // explainError() knows these words of grpc-js.
          const details = this.isConnected ? 'Deadline exceeded' : 'Deadline exceeded, Waiting for LB pick';
          this.settle((pending) => pending.reject(new CallError(status.DEADLINE_EXCEEDED, details)));
          cancelCall();
        }),
      );
    }, deadlineMs);
    return promise.finally(() => {
      isSettled = true;
      timer.cancel();
    });
  }

  private askOnStream(request: Buffer): { promise: Promise<RawAnswer>; cancelCall: () => void } {
    this.unasked = { now: 0, before: this.unasked.now };
    const promise = new Promise<RawAnswer>((resolve, reject) => {
      this.pending = { resolve, reject };
    });
    this.stream ??= this.openStream();
    this.stream.write(request);
    return { promise, cancelCall: () => this.dropStream() };
  }

  private openStream(): GrpcCall {
    const stream = this.call(this.options.streamPath, {
      onConnected: () => undefined,
      onMessage: (sizeBytes) =>
        new RawAnswer(sizeBytes, (answer) => {
          if (stream === this.stream) this.takeAnswer(answer);
        }),
      onEnd: ({ code, details }) => {
        if (stream !== this.stream) return;
        this.stream = undefined;
        const error =
          code === status.OK
            ? new CallError(status.UNAVAILABLE, 'the server ended the stream without an answer')
            : new CallError(code, details);
        this.settle((pending) => pending.reject(error));
      },
    });
    return stream;
  }

  private takeAnswer(answer: RawAnswer): void {
    if (this.pending !== undefined) {
      this.settle((pending) => pending.resolve(answer));
      return;
    }
    answer.release();
    if (++this.unasked.now > unaskedLimit) this.dropStream();
  }

  private dropStream(): void {
    const { stream } = this;
    this.stream = undefined;
    stream?.cancel();
  }

  private askByFetch(
    request: Buffer,
    fetchPath: string,
  ): { promise: Promise<RawAnswer>; cancelCall: () => void } {
    let answer: RawAnswer | undefined;
    let mine: Pending | undefined;
    const promise = new Promise<RawAnswer>((resolve, reject) => {
      mine = { resolve, reject };
      this.pending = mine;
    });
    const call = this.call(fetchPath, {
      onConnected: () => undefined,
      onMessage: (sizeBytes) =>
        new RawAnswer(sizeBytes, (complete) => {
          answer = complete;
        }),
      onEnd: ({ code, details }) => {
        if (this.pending !== mine) return;
        this.settle((pending) => {
          if (code !== status.OK) pending.reject(new CallError(code, details));
          else if (answer === undefined)
            pending.reject(new CallError(status.INTERNAL, 'an answer without a message'));
          else pending.resolve(answer);
        });
      },
    });
    call.write(request);
    call.halfClose();
    return { promise, cancelCall: () => call.cancel() };
  }

  private call(path: string, handler: GrpcCallHandler): GrpcCall {
    const { connection } = this;
    const { security } = this.options;
    return new GrpcCall({ connection, security, path, maxMessageBytes: maxAnswerBytes }, handler);
  }

  private settle(how: (pending: Pending) => void): void {
    const { pending } = this;
    this.pending = undefined;
    if (pending !== undefined) how(pending);
  }
}

function isConnectionEnd(code: number): boolean {
  return (
    code === status.UNAVAILABLE ||
    code === status.CANCELLED ||
    code === status.INTERNAL ||
    code === status.UNKNOWN
  );
}
