import { Worker } from 'node:worker_threads';
import { builtProgram } from '../project-root';
import { CodecError } from './codec-error';
import type { CodecJobKind, CodecJobs } from './codec-job';
import type { CodecWorkerAnswer, CodecWorkerData, CodecWorkerRequest } from './codec-worker';

interface Job {
  readonly request: CodecWorkerRequest;
  resolve(output: CodecJobs[CodecJobKind]['output']): void;
  reject(error: CodecError): void;
}

export interface WorkerQueueOptions {
  readonly data: CodecWorkerData;
  readonly deadlineMs: number;
  /** Path of the worker's program; the built one by default. */
  readonly program?: string;
}

/**
 * One worker thread, started at the first job, one job in it at a time: when it crashes or takes too long, that job
 * alone fails, and the next one gets a new worker. An idle worker does not keep the process alive.
 */
export class WorkerQueue {
  private readonly waiting: Job[] = [];
  private worker: Worker | undefined;
  private current: { job: Job; timer: NodeJS.Timeout } | undefined;
  private isClosed = false;

  constructor(private readonly options: WorkerQueueOptions) {}

  run<K extends CodecJobKind>(kind: K, input: CodecJobs[K]['input']): Promise<CodecJobs[K]['output']> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) {
        reject(new CodecError('the codec is closed'));
        return;
      }
      this.waiting.push({ request: { kind, input }, resolve, reject });
      this.startNext();
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const { worker } = this;
    this.abandonWorker();
    this.settle((job) => job.reject(new CodecError('the codec is closed')));
    for (const job of this.waiting.splice(0)) job.reject(new CodecError('the codec is closed'));
    await worker?.terminate();
  }

  private startNext(): void {
    if (this.current !== undefined || this.isClosed) return;
    const job = this.waiting.shift();
    if (job === undefined) {
      this.worker?.unref();
      return;
    }
    const worker = this.worker ?? this.startWorker();
    worker.ref();
    const { deadlineMs } = this.options;
    const timer = setTimeout(() => {
      this.fail(`it took longer than ${deadlineMs / 1000} s`);
    }, deadlineMs);
    this.current = { job, timer };
    worker.postMessage(job.request);
  }

  private startWorker(): Worker {
    const worker = new Worker(this.options.program ?? builtProgram('codec-worker'), {
      workerData: this.options.data,
      // A bound of its own: a resource that unpacks without end ends this worker, not the process.
      resourceLimits: { maxOldGenerationSizeMb: 1024 },
    });
    this.worker = worker;
    worker.on('message', (answer: CodecWorkerAnswer) => {
      if (worker !== this.worker) return;
      this.settle((job) => {
        if (answer.ok) job.resolve(answer.output);
        else job.reject(new CodecError(answer.message));
      });
      this.startNext();
    });
    worker.on('error', (error) => {
      if (worker === this.worker) this.fail(`the worker failed: ${error.message}`);
    });
    worker.on('exit', (code) => {
      if (worker === this.worker) this.fail(`the worker ended with ${code}`);
    });
    return worker;
  }

  /** The job in the worker fails, the worker goes, the next job gets another. */
  private fail(reason: string): void {
    const { worker } = this;
    this.abandonWorker();
    worker?.terminate().catch(() => undefined);
    this.settle((job) => job.reject(new CodecError(`decoding failed: ${reason}`)));
    this.startNext();
  }

  private abandonWorker(): void {
    this.worker = undefined;
  }

  private settle(how: (job: Job) => void): void {
    const { current } = this;
    if (current === undefined) return;
    clearTimeout(current.timer);
    this.current = undefined;
    how(current.job);
  }
}
