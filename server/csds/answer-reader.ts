import type { Codec } from '../codec/codec';
import { CodecError } from '../codec/codec-error';
import { applyChanges } from '../poll-diff/apply-changes';
import type { KnownClients } from '../poll-diff/known-clients';
import { nextTurn } from '../threads/in-slices';
import { wholeBuffer } from '../threads/whole-buffer';
import { Compute } from '../workers/compute';
import type { JobQueue } from '../workers/job-queue';
import { PackedClients } from './packed-clients';
import { type AnswerNews, type AnswerRequest, readAnswer } from './read-answer';
import { type CsdsJobs, csdsJobs } from './serve-csds';

export interface AnswerReaderOptions {
  readonly codec: Codec;
  readonly redactionKey: Uint8Array;
  /** Larger answers are read in the worker thread. */
  readonly inPlaceBytes?: number;
  readonly deadlineMs?: number;
  /** Awaited before each answer that is read in place, so that earlier reports are sent first. Answers wait in turn. */
  readonly beforeReading?: () => Promise<void>;
  /** The threads of the collector; by default threads of its own. */
  readonly compute?: Compute;
}

/** Reads and compares the CSDS answers of all sources: small ones in place, large ones in one worker thread. */
export class AnswerReader {
  readonly #options: AnswerReaderOptions;
  readonly #queue: JobQueue<CsdsJobs>;
  #sources = 0;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(options: AnswerReaderOptions) {
    this.#options = options;
    const { redactionKey, compute = new Compute() } = options;
    this.#queue = compute.queue(
      csdsJobs,
      { redactionKey },
      {
        owner: 'the reader of CSDS answers',
        doing: 'decoding',
        // Each source waits for one answer.
        maxWaiting: 100_000,
        deadlineMs: options.deadlineMs ?? 60_000,
        errorOf: (message) => new CodecError(message),
      },
    );
  }

  open(): SourceAnswers {
    const { codec, inPlaceBytes = 256 * 1024 } = this.#options;
    return new SourceAnswers(++this.#sources, this.#queue, codec, inPlaceBytes, () => this.#inTurn());
  }

  /** Reads one answer in a turn of the event loop, although hundreds of peers may have answered at once. */
  #inTurn(): Promise<void> {
    const { beforeReading } = this.#options;
    if (beforeReading === undefined) return Promise.resolve();
    const turn = this.#reading.then(beforeReading);
    this.#reading = turn.then(nextTurn);
    return turn;
  }

  /** Replaces the worker before the next answer. The new one has the current types. */
  renew(): void {
    this.#queue.renew();
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}

interface ReadAnswer {
  readonly news: AnswerNews;
  /** Makes the answer the one that later answers are compared with. An answer that is not accepted changes nothing. */
  readonly accept: () => void;
}

/**
 * The answers of one source, one after the other. The worker keeps the known clients, so that only changed rows cross the
 * threads. They are kept here as well, because a worker that restarted needs them again.
 */
export class SourceAnswers {
  readonly #source: number;
  readonly #queue: JobQueue<CsdsJobs>;
  readonly #codec: Codec;
  readonly #inPlaceBytes: number;
  readonly #inTurn: () => Promise<void>;
  readonly #known = new PackedClients();
  /** The version of `known`. */
  #version = 0;
  #newestVersion = 0;
  #isInWorker = false;

  constructor(
    source: number,
    queue: JobQueue<CsdsJobs>,
    codec: Codec,
    inPlaceBytes: number,
    inTurn: () => Promise<void>,
  ) {
    this.#source = source;
    this.#queue = queue;
    this.#codec = codec;
    this.#inPlaceBytes = inPlaceBytes;
    this.#inTurn = inTurn;
  }

  get known(): KnownClients {
    return this.#known.get();
  }

  /** Packs `known` until the next answer. */
  pack(): void {
    this.#known.pack();
  }

  /** Rejects with a CodecError if the bytes are no CSDS answer or the worker fails. */
  async read(answer: Uint8Array, request: AnswerRequest): Promise<ReadAnswer> {
    const version = ++this.#newestVersion;
    const acceptAs = (next: () => KnownClients) => (): void => {
      this.#known.set(next());
      this.#version = version;
    };
    if (answer.length <= this.#inPlaceBytes) {
      await this.#inTurn();
      const { news, next } = readAnswer(this.known, await this.#codec.decodeClientStatus(answer), request);
      return { news, accept: acceptAs(() => next) };
    }
    const news = await this.#readInWorker(answer, request, version);
    return {
      news,
      accept: acceptAs(() => (news.kind === 'complete' ? applyChanges(this.known, news) : this.known)),
    };
  }

  close(): void {
    if (!this.#isInWorker) return;
    // A worker that has ended keeps no clients.
    this.#queue.run('forget', this.#source).catch(() => undefined);
  }

  async #readInWorker(answer: Uint8Array, request: AnswerRequest, next: number): Promise<AnswerNews> {
    const job = { source: this.#source, answer: wholeBuffer(answer), request, base: this.#version, next };
    const news = await this.#queue.run('read', this.#isInWorker ? job : { ...job, known: this.known });
    this.#isInWorker = true;
    if (news.kind !== 'unknown-base') return news;
    const again = await this.#queue.run('read', { ...job, known: this.known });
    if (again.kind === 'unknown-base') throw new CodecError('the worker did not accept the known clients');
    return again;
  }
}
