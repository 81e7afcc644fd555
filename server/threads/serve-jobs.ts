import { parentPort } from 'node:worker_threads';
import { giveWay } from './give-way';

/** What a worker can be asked: a name for each kind of job, what goes in, what comes out. All of it plain data. */
export type JobTable<J> = { [K in keyof J]: { readonly input: unknown; readonly output: unknown } };

export interface JobRequest<J extends JobTable<J>, K extends keyof J = keyof J> {
  readonly kind: K;
  readonly input: J[K]['input'];
}

/** Errors travel as data, so that a job that fails is distinguished from a worker that dies. */
export type JobAnswer<J extends JobTable<J>> =
  | { readonly ok: true; readonly output: J[keyof J]['output'] }
  | { readonly ok: false; readonly message: string; readonly code: string | undefined };

export type JobRunners<J extends JobTable<J>> = { [K in keyof J]: (input: J[K]['input']) => J[K]['output'] };

/** The worker's end of a WorkerQueue. */
export function serveJobs<J extends JobTable<J>>(runners: JobRunners<J>): void {
  giveWay();
  const run = <K extends keyof J>({ kind, input }: JobRequest<J, K>): JobAnswer<J> => {
    try {
      return { ok: true, output: runners[kind](input) };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
      return { ok: false, message: error instanceof Error ? error.message : String(error), code };
    }
  };
  parentPort?.on('message', (request: JobRequest<J>) => parentPort?.postMessage(run(request)));
}
