import type { LoadExcerpt } from '@/lib/load/load-excerpt';
import { damagedCode } from '../../store/recorder/damaged-file';
import { RecorderError } from '../../store/recorder/recorder-error';
import { Compute, type JobSet } from '../../workers/compute';
import type { JobQueue } from '../../workers/job-queue';
import type { LoadExcerptQuestion } from './excerpt-load';
import type { LoadAnswer, LoadJobs, LoadReadQuestion } from './load-jobs';

/** A file of this process, or a shared store. */
export type LoadPlace = { readonly file: string } | { readonly url: string };

export interface LoadStats {
  /** Reports on clusters since the start of this process. */
  readonly reports: number;
  /** Reports that were not recorded because too many bytes were waiting to be written. */
  readonly missed: number;
  /** Lines of reports beyond the limits of series. */
  readonly leftOut: number;
  /** Reason of the latest failed write or roll-up; empty after a success. */
  readonly problem: string;
  /** States file and remedy of the first damage that was found since the start; empty if none was found. */
  readonly damage: string;
}

type MutableStats = { -readonly [key in keyof LoadStats]: LoadStats[key] };

export interface LoadReaderParts {
  readonly queue: JobQueue<LoadJobs>;
  readonly counted: MutableStats;
}

export const loadJobs: JobSet<'load', LoadPlace, LoadJobs> = { name: 'load', thread: 'load' };

/** Reading a long span may take some time, but a thread that hangs must be ended. */
const deadlineMs = 60_000;

export function openLoadQueue(place: LoadPlace, compute = new Compute()): LoadReaderParts {
  const counted: MutableStats = { reports: 0, missed: 0, leftOut: 0, problem: '', damage: '' };
  const queue = compute.queue(loadJobs, place, {
    ...{ owner: 'the recorder of load', doing: 'recording load', deadlineMs },
    errorOf: (message, code) => {
      if (code === damagedCode) counted.damage ||= message;
      return new RecorderError(code ?? 'LOAD', message);
    },
  });
  return { queue, counted };
}

/** Reads load over time as it is stored. */
export class LoadReader {
  protected readonly queue: JobQueue<LoadJobs>;
  protected readonly counted: MutableStats;

  constructor({ queue, counted }: LoadReaderParts) {
    this.queue = queue;
    this.counted = counted;
  }

  get stats(): LoadStats {
    return this.counted;
  }

  /** Resolves when what was observed so far can be read. */
  flushed(): Promise<void> {
    return Promise.resolve();
  }

  async read(question: LoadReadQuestion, signal?: AbortSignal): Promise<LoadAnswer> {
    await this.flushed();
    return this.queue.run('read', question, { signal });
  }

  async excerpt(question: LoadExcerptQuestion): Promise<LoadExcerpt> {
    await this.flushed();
    return this.queue.run('excerpt', question);
  }

  /** Reads a span part by part, each value as it is stored. */
  async *excerptParts(
    { span, ...whose }: Omit<LoadExcerptQuestion, 'stepMs'>,
    signal?: AbortSignal,
  ): AsyncGenerator<LoadExcerpt> {
    await this.flushed();
    for (let from: number | null = span.from; from !== null; ) {
      signal?.throwIfAborted();
      const requested: LoadJobs['excerptPart']['input'] = { span: { from, to: span.to }, ...whose };
      const { excerpt, next }: LoadJobs['excerptPart']['output'] = await this.queue.run(
        'excerptPart',
        requested,
        { signal },
      );
      if (excerpt.series.length > 0) yield excerpt;
      from = next;
    }
  }

  async close(): Promise<void> {
    try {
      await this.queue.run('close', null, { priority: 'urgent' });
    } finally {
      await this.queue.close();
    }
  }
}
