import { JobQueue, type JobQueueOptions } from './job-queue';
import { JobThread } from './job-thread';
import type { JobTable } from './serve-jobs';

/** By the name of each thread, the limits of its heap in megabytes. Bodies and the index of the search are outside of it. */
const threads = {
  /** For jobs that are short, or done in steps: none delays the others for long. */
  shared: { maxHeapMb: 4_096, youngHeapMb: 192 },
  /** A message is decoded and a document validated without steps, however large it is. */
  whole: { maxHeapMb: 4_096, youngHeapMb: 192 },
  /** The reports of Envoys are read without steps, and what was read is kept. */
  reports: { maxHeapMb: 2_048 },
  search: { maxHeapMb: 1_024 },
  load: { maxHeapMb: 2_048, youngHeapMb: 32 },
  checks: { maxHeapMb: 1_024 },
};

/** The jobs of one owner: what both ends have in common. The list of all is `compute-program.ts`. */
export interface JobSet<Name extends string, Data, Jobs> {
  readonly name: Name;
  readonly thread: keyof typeof threads;
  /** Never set: the types of the data with which the set is opened, and of its jobs. */
  readonly types?: { readonly data: Data; readonly jobs: Jobs };
}

/** The data of jobs that read a file: the log, or the load beside it. */
export interface DataFile {
  readonly file: string;
}

interface ComputeOptions {
  /** Path of the program; the built one by default. */
  readonly program?: string | undefined;
}

/** The threads of the program `compute`. Each starts with its first job, and ends when its last queue is closed. */
export class Compute {
  readonly #options: ComputeOptions;
  readonly #threads = new Map<keyof typeof threads, JobThread>();

  constructor(options: ComputeOptions = {}) {
    this.#options = options;
  }

  /** `data` opens the set in its thread, again after each restart. A set has one queue. */
  queue<Name extends string, Data, Jobs extends JobTable<Jobs>>(
    { name, thread: threadName }: JobSet<Name, Data, Jobs>,
    data: Data,
    options: JobQueueOptions,
  ): JobQueue<Jobs> {
    const { program: file } = this.#options;
    const thread =
      this.#threads.get(threadName) ??
      new JobThread({ name: 'compute', file, data: null, ...threads[threadName] });
    this.#threads.set(threadName, thread);
    return new JobQueue<Jobs>(thread, options, { set: name, data });
  }
}
