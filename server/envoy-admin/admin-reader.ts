import { CodecError } from '../codec/codec-error';
import { applyNews } from '../poll-diff/apply-news';
import type { KnownClients } from '../poll-diff/known-clients';
import { wholeBuffer } from '../threads/whole-buffer';
import { JobQueue } from '../workers/job-queue';
import type { EnvoyAdminJobs, EnvoyAdminWorkerData } from './envoy-admin-worker';
import type { AdminNews, AnswersRequest } from './read-answers';

export interface AdminReaderOptions {
  readonly redactionKey: Uint8Array;
  readonly deadlineMs?: number;
  /** Path of the worker's program; the built one by default. */
  readonly workerProgram?: string;
}

/** Reads the answers of all Envoys in one worker thread, which starts with the first of them. */
export class AdminReader {
  private readonly queue: JobQueue<EnvoyAdminJobs>;
  private sources = 0;

  constructor({ redactionKey, deadlineMs = 60_000, workerProgram: file }: AdminReaderOptions) {
    const data: EnvoyAdminWorkerData = { redactionKey };
    this.queue = new JobQueue<EnvoyAdminJobs>({
      program: { name: 'envoy-admin-worker', file, data, maxHeapMb: 2048 },
      owner: "the reader of Envoy's admin interface",
      doing: 'decoding',
      // Each source waits for one answer.
      maxWaiting: 100_000,
      deadlineMs,
      errorOf: (message) => new CodecError(message),
    });
  }

  open(): EnvoyAnswers {
    return new EnvoyAnswers(++this.sources, this.queue);
  }

  /** The next answer is read by a new worker, which knows the types as they are now. */
  renew(): void {
    this.queue.renew();
  }

  close(): Promise<void> {
    return this.queue.close();
  }
}

/** The answers of one Envoy. What is known is kept here as well, for a worker that restarted. */
export class EnvoyAnswers {
  known: KnownClients = new Map();
  private version = 0;
  private newestVersion = 0;
  private isInWorker = false;

  constructor(
    private readonly source: number,
    private readonly queue: JobQueue<EnvoyAdminJobs>,
  ) {}

  /**
   * `accept` takes the answers over into what is known; answers that are not accepted change nothing. `incomplete`:
   * request every document. Rejects with a CodecError if the config dump is invalid or the worker fails.
   */
  async read(
    request: AnswersRequest,
  ): Promise<{ readonly news: AdminNews; readonly accept: () => void } | 'incomplete'> {
    const next = ++this.newestVersion;
    const answers = request.answers.map(({ document, bytes }) => ({ document, bytes: wholeBuffer(bytes) }));
    const job = { source: this.source, request: { ...request, answers }, base: this.version, next };
    const { known } = this;
    let read = await this.queue.run('read', this.isInWorker ? job : { ...job, known });
    this.isInWorker = true;
    if (read.kind === 'unknown-base') read = await this.queue.run('read', { ...job, known });
    if (read.kind === 'unknown-base') throw new CodecError('the worker did not take what is known');
    if (read.kind === 'incomplete') return 'incomplete';
    const news = read;
    const accept = (): void => {
      this.known = applyNews(known, news);
      this.version = next;
    };
    return { news, accept };
  }

  close(): void {
    if (!this.isInWorker) return;
    // A worker that ended holds nothing that could be forgotten.
    this.queue.run('forget', this.source).catch(() => undefined);
  }
}
