import type { EpochMs } from '@/lib/xds/units';
import { CodecError } from '../../codec/codec-error';
import { Compute } from '../../workers/compute';
import type { JobQueue } from '../../workers/job-queue';
import { wholeBuffer } from '../../workers/threads/whole-buffer';
import { applyChanges } from '../poll-diff/apply-changes';
import type { KnownClients } from '../poll-diff/known-clients';
import type { AdminNews, AnswersRequest } from './read';
import { type EnvoyAdminJobs, envoyAdminJobs, type HostsRead } from './serve-envoy-admin';

interface AdminReaderOptions {
  readonly redactionKey: Uint8Array;
  /** Awaited before the answers of an Envoy are read, so that what was reported before is sent first. Absent: no wait. */
  readonly beforeReading?: () => Promise<void>;
  /** The threads of the collector; by default threads of its own. */
  readonly compute?: Compute;
}

const deadlineMs = 60_000;
/** The largest share of the thread's time that the hosts of all Envoys take together. */
const hostsShare = 0.25;

/** Reads the answers of all Envoys, one after the other, in one worker thread, which starts with the first of them. */
export class AdminReader {
  readonly #options: AdminReaderOptions;
  readonly #queue: JobQueue<EnvoyAdminJobs>;
  #sources = 0;
  #hostsUntil = 0;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(options: AdminReaderOptions) {
    this.#options = options;
    const { redactionKey, compute = new Compute() } = options;
    this.#queue = compute.queue(
      envoyAdminJobs,
      { redactionKey },
      {
        owner: "the reader of Envoy's admin interface",
        doing: 'decoding',
        // Every source may be closed at the same time.
        maxWaiting: 100_000,
        deadlineMs,
        errorOf: (message) => new CodecError(message),
      },
    );
  }

  open(): EnvoyAnswers {
    return new EnvoyAnswers(++this.#sources, this.#queue, (work) => this.#inTurn(work));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#reading.then(() => this.#options.beforeReading?.()).then(work);
    this.#reading = done.catch(() => undefined);
    return done;
  }

  /** Returns when hosts that took so long may be read again, so that all of them together take a part of the thread's time. */
  reserveHosts(tookMs: number, now: EpochMs): EpochMs {
    this.#hostsUntil = Math.max(this.#hostsUntil, now) + tookMs / hostsShare;
    return this.#hostsUntil;
  }

  /** The next answer is read by a new worker, which knows the types as they are now. */
  renew(): void {
    this.#queue.renew();
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}

/**
 * `accept` takes the answers over into what is known; answers that are not accepted change nothing. `news` is absent if
 * nothing but counts has changed.
 */
type ReadAnswers =
  | { readonly news?: AdminNews; readonly hosts?: HostsRead; readonly accept: () => void }
  | 'incomplete';

/** The answers of one Envoy. What is known is kept here as well, for a worker that restarted. */
export class EnvoyAnswers {
  readonly #source: number;
  readonly #queue: JobQueue<EnvoyAdminJobs>;
  readonly #inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  known: KnownClients = new Map();
  #version = 0;
  #newestVersion = 0;
  #isInWorker = false;

  constructor(
    source: number,
    queue: JobQueue<EnvoyAdminJobs>,
    inTurn: <T>(work: () => Promise<T>) => Promise<T>,
  ) {
    this.#source = source;
    this.#queue = queue;
    this.#inTurn = inTurn;
  }

  /**
   * `incomplete`: request every document. Rejects with a CodecError if the config dump is invalid or the worker fails.
   */
  read(request: AnswersRequest): Promise<ReadAnswers> {
    return this.#inTurn(() => this.#readInWorker(request));
  }

  async #readInWorker(request: AnswersRequest): Promise<ReadAnswers> {
    const next = ++this.#newestVersion;
    const answers = request.answers.map(({ document, bytes }) => ({ document, bytes: wholeBuffer(bytes) }));
    const job = { source: this.#source, request: { ...request, answers }, base: this.#version, next };
    const { known } = this;
    let output = await this.#queue.run('read', this.#isInWorker ? job : { ...job, known });
    this.#isInWorker = true;
    if ('kind' in output) output = await this.#queue.run('read', { ...job, known });
    if ('kind' in output) throw new CodecError('the worker did not take what is known');
    const { read, ...hosts } = output;
    if (read.kind === 'incomplete') return 'incomplete';
    if (read.kind === 'counted') return { ...hosts, accept: () => undefined };
    const news = read;
    const accept = (): void => {
      this.known = applyChanges(known, news);
      this.#version = next;
    };
    return { news, ...hosts, accept };
  }

  close(): void {
    if (!this.#isInWorker) return;
    // A worker that ended holds nothing that could be forgotten.
    this.#queue.run('forget', this.#source).catch(() => undefined);
  }
}
