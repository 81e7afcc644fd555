import { parentPort } from 'node:worker_threads';
import type { Steps } from '@/lib/cooperative/steps';
import { nextTurn, sliceMs } from '../threads/in-slices';
import { lowerPriority } from '../threads/lower-priority';

/** The input and output of each kind of job, which are plain data. */
export type JobTable<J> = { [K in keyof J]: { readonly input: unknown; readonly output: unknown } };

export interface JobRequest<J extends JobTable<J>, K extends keyof J = keyof J> {
  readonly id: number;
  readonly kind: K;
  readonly input: J[K]['input'];
}

/** Aborts a job: a job in steps ends after the current step. */
export interface JobAbort {
  readonly abort: number;
}

/** Errors are sent as data, so that a job that fails is distinguished from a worker that crashes. */
export type JobAnswer<J extends JobTable<J>> = { readonly id: number } & (
  | { readonly ok: true; readonly output: J[keyof J]['output'] }
  | { readonly ok: false; readonly message: string; readonly code: string | undefined }
);

export type JobRunners<J extends JobTable<J>> = { [K in keyof J]: (input: J[K]['input']) => J[K]['output'] };

/** A long job is done in steps, between which the worker handles other jobs and aborts. */
export type SteppedRunners<J extends JobTable<J>> = {
  [K in keyof J]: (input: J[K]['input']) => J[K]['output'] | Steps<J[K]['output']>;
};

export function serveJobs<J extends JobTable<J>>(runners: SteppedRunners<J>): void {
  lowerPriority();
  /** Jobs in steps by id, which run in turn, each for a slice of time. */
  const stepped = new Map<number, Steps<unknown>>();
  const answer = (id: number, output: J[keyof J]['output']): void =>
    parentPort?.postMessage({ id, ok: true, output });
  /** Returns undefined if `work` threw, and answers with the error. */
  const attempt = <T>(id: number, work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      stepped.delete(id);
      parentPort?.postMessage({ id, ...failureOf(error) });
      return undefined;
    }
  };
  const takeTurns = async (): Promise<void> => {
    while (stepped.size > 0) {
      for (const [id, steps] of [...stepped]) {
        // Lets the worker receive aborts and new jobs.
        await nextTurn();
        if (!stepped.has(id)) continue;
        attempt(id, () => {
          const output = takeSlice(steps);
          if (output === undefined) return;
          stepped.delete(id);
          answer(id, output.value);
        });
      }
    }
  };
  parentPort?.on('message', (request: JobRequest<J> | JobAbort) => {
    if ('abort' in request) {
      const id = request.abort;
      const steps = stepped.get(id);
      if (steps === undefined) return;
      stepped.delete(id);
      attempt(id, () => {
        steps.return(undefined);
        throw new Error('the job was aborted');
      });
      return;
    }
    const { id, kind, input } = request;
    attempt(id, () => {
      const output = runners[kind](input);
      if (!isSteps(output)) {
        answer(id, output);
        return;
      }
      stepped.set(id, output);
      if (stepped.size === 1) void takeTurns();
    });
  });
}

export function failureOf(error: unknown): Omit<Extract<JobAnswer<never>, { ok: false }>, 'id'> {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return { ok: false, message: error instanceof Error ? error.message : String(error), code };
}

function takeSlice<T>(steps: Steps<T>): { readonly value: T } | undefined {
  const endsAt = performance.now() + sliceMs;
  do {
    const step = steps.next();
    if (step.done === true) return step;
  } while (performance.now() < endsAt);
  return undefined;
}

/** Outputs are plain data, and have no functions. */
function isSteps<T>(output: T | Steps<T>): output is Steps<T> {
  return (
    typeof output === 'object' && output !== null && 'next' in output && typeof output.next === 'function'
  );
}
