import { type Client, type ClientDuplexStream, connectivityState, status } from '@grpc/grpc-js';
import { methodOf } from '../codec/service';
import { type DialOptions, dial } from '../grpc/channel';
import type { CallFailure } from '../grpc/explain-error';
import type { Target } from '../grpc/target';
import type { Clock } from '../observe';

const service = 'envoy.service.status.v3.ClientStatusDiscoveryService';
const streamMethod = methodOf(service, 'StreamClientStatus');
const fetchMethod = methodOf(service, 'FetchClientStatus');

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
  resolve(answer: Buffer): void;
  reject(error: CallError): void;
}

/** So many answers that nobody asked for, between two questions, are not an oversight any more. */
const unaskedLimit = 100;

/**
 * Asks one peer for its clients' status, one question at a time: over one long StreamClientStatus ("streams are not
 * watches": each request is answered by one complete snapshot), or by FetchClientStatus where that is all there is.
 */
export class ClientStatusCalls {
  /** Reset to 'stream' when a call fails: the peer may be another one when it is back. */
  private method: 'stream' | 'fetch' = 'stream';
  private readonly client: Client;
  private stream: ClientDuplexStream<Buffer, Buffer> | undefined;
  /** How often cancel() was called: what it ended is not tried again. */
  private cancellations = 0;
  private pending: Pending | undefined;
  /** Answers without a question: since the newest question, and between the two before. */
  private unasked = { now: 0, before: 0 };

  constructor(
    target: Target,
    private readonly clock: Clock,
    dialed: Omit<DialOptions, 'maxMessageBytes'> = {},
  ) {
    this.client = dial(target, dialed);
  }

  get usesFetch(): boolean {
    return this.method === 'fetch';
  }

  /** Did answers come lately that nobody asked for? They are dropped. */
  get hasUnaskedAnswers(): boolean {
    return this.unasked.now + this.unasked.before > 0;
  }

  get isConnected(): boolean {
    return this.client.getChannel().getConnectivityState(false) === connectivityState.READY;
  }

  /** One question, one answer; rejects with a CallError. */
  async ask(request: Buffer, deadlineMs: number): Promise<Buffer> {
    const isReused = this.stream !== undefined;
    const { cancellations } = this;
    try {
      return await this.askOnce(request, deadlineMs);
    } catch (error) {
      if (!(error instanceof CallError) || cancellations !== this.cancellations) throw error;
      if (error.code === status.UNIMPLEMENTED && this.method === 'stream') {
        this.method = 'fetch';
      } else if (!(isReused && isConnectionEnd(error.code))) {
        // (A stream of before may have ended of old age; a new one tells whether the peer is there.)
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

  /** Calls back once when the connection is up, unless `untilMs` passes first. Keeps the channel trying. */
  onceConnected(untilMs: number, callback: () => void): void {
    const channel = this.client.getChannel();
    const state = channel.getConnectivityState(true);
    if (state === connectivityState.SHUTDOWN) return;
    if (state === connectivityState.READY) {
      callback();
      return;
    }
    channel.watchConnectivityState(state, new Date(untilMs), (error) => {
      if (error === undefined) this.onceConnected(untilMs, callback);
    });
  }

  /** Ends what is under way; the next question begins anew. */
  cancel(): void {
    this.cancellations++;
    this.stream?.cancel();
    this.stream = undefined;
    this.settle((pending) => pending.reject(new CallError(status.CANCELLED, 'cancelled by xdscope')));
  }

  close(): void {
    this.cancel();
    this.client.close();
  }

  private askOnce(request: Buffer, deadlineMs: number): Promise<Buffer> {
    if (this.pending !== undefined)
      throw new Error('ClientStatusCalls.ask: the question before has no answer yet');
    const { promise, cancelCall } =
      this.method === 'stream' ? this.askOnStream(request) : this.askByFetch(request);
    const timer = this.clock.setTimeout(() => {
      // The same words that grpc-js uses for a deadline before there is a connection.
      const details = this.isConnected ? 'Deadline exceeded' : 'Deadline exceeded, Waiting for LB pick';
      this.settle((pending) => pending.reject(new CallError(status.DEADLINE_EXCEEDED, details)));
      cancelCall();
    }, deadlineMs);
    return promise.finally(() => timer.cancel());
  }

  private askOnStream(request: Buffer): { promise: Promise<Buffer>; cancelCall: () => void } {
    const stream = this.stream ?? this.openStream();
    this.unasked = { now: 0, before: this.unasked.now };
    const promise = new Promise<Buffer>((resolve, reject) => {
      this.pending = { resolve, reject };
    });
    stream.write(request);
    return { promise, cancelCall: () => this.dropStream(stream) };
  }

  private openStream(): ClientDuplexStream<Buffer, Buffer> {
    const { path, requestSerialize, responseDeserialize } = streamMethod;
    const stream = this.client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    this.stream = stream;
    stream.on('data', (answer: Buffer) => {
      if (stream !== this.stream) return;
      if (this.pending !== undefined) this.settle((pending) => pending.resolve(answer));
      else if (++this.unasked.now > unaskedLimit) this.dropStream(stream);
    });
    stream.on('error', (error: Error & Partial<CallFailure>) => {
      this.streamEnded(stream, new CallError(error.code ?? status.UNKNOWN, error.details ?? error.message));
    });
    stream.on('end', () => {
      // Without an error. It may come just before 'error': that one knows more, and is at most a tick away.
      setImmediate(() =>
        this.streamEnded(
          stream,
          new CallError(status.UNAVAILABLE, 'the server ended the stream without an answer'),
        ),
      );
    });
    return stream;
  }

  private streamEnded(stream: ClientDuplexStream<Buffer, Buffer>, error: CallError): void {
    if (stream !== this.stream) return;
    this.stream = undefined;
    this.settle((pending) => pending.reject(error));
  }

  private dropStream(stream: ClientDuplexStream<Buffer, Buffer>): void {
    if (stream === this.stream) this.stream = undefined;
    stream.cancel();
  }

  private askByFetch(request: Buffer): { promise: Promise<Buffer>; cancelCall: () => void } {
    const { path, requestSerialize, responseDeserialize } = fetchMethod;
    let cancelCall = (): void => undefined;
    const promise = new Promise<Buffer>((resolve, reject) => {
      const mine: Pending = { resolve, reject };
      this.pending = mine;
      const call = this.client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        (error, answer) => {
          if (this.pending !== mine) return;
          this.settle((pending) => {
            if (error !== null) pending.reject(new CallError(error.code, error.details));
            else if (answer === undefined)
              pending.reject(new CallError(status.INTERNAL, 'an answer without a message'));
            else pending.resolve(answer);
          });
        },
      );
      cancelCall = () => call.cancel();
    });
    return { promise, cancelCall };
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
