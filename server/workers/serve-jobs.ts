import { parentPort } from 'node:worker_threads';
import type { AwaitingSteps, Steps } from '@/lib/cooperative/steps';
import { nextTurn, sliceMs } from './threads/in-slices';
import { lowerPriority } from './threads/lower-priority';

/** The input and output of each kind of job, which are plain data. */
export type JobTable<J> = { [K in keyof J]: { readonly input: unknown; readonly output: unknown } };

/** The name of a set of jobs, and the data with which its thread opens it. */
export interface SetOpening {
  readonly set: string;
  readonly data: unknown;
}

export interface JobRequest<Kind = PropertyKey, Input = unknown> {
  readonly id: number;
  readonly kind: Kind;
  readonly input: Input;
  /** Absent in a thread that serves one set of jobs. */
  readonly opening?: SetOpening | undefined;
}

/** Aborts a job: a job in steps ends after the current step. */
export interface JobAbort {
  readonly abort: number;
}

export type JobCommand =
  | JobRequest
  | JobAbort
  /** Opens the set before its first job. */
  | { readonly opening: SetOpening };

/** Errors are sent as data, so that a job that fails is distinguished from a worker that crashes. */
export type JobAnswer<Output = unknown> = { readonly id: number } & (
  | { readonly ok: true; readonly output: Output }
  | { readonly ok: false; readonly message: string; readonly code: string | undefined }
);

export type JobRunners<J extends JobTable<J>> = { [K in keyof J]: (input: J[K]['input']) => J[K]['output'] };

/** A long job is done in steps, between which the worker handles other jobs and aborts; one that waits for a peer is a promise. */
export type SteppedRunners<J extends JobTable<J>> = {
  [K in keyof J]: (
    input: J[K]['input'],
  ) => J[K]['output'] | Steps<J[K]['output']> | AwaitingSteps<J[K]['output']> | Promise<J[K]['output']>;
};

type Runners = Readonly<Record<PropertyKey, (input: unknown) => unknown>>;

/**
 * Serves the jobs of a thread. `loaders` has the sets of its program by name; each is loaded and opened by its first job.
 * The types of their data and jobs are those of the queue: see JobSet.
 */
export function serveJobs(loaders: Readonly<Record<string, () => Promise<(data: never) => object>>>): void {
  lowerPriority();
  const sets = new Map<string, Promise<Runners>>();
  /** Jobs that are not answered, with their steps if they have begun and are done in steps. */
  const begun = new Map<number, AwaitingSteps<unknown> | undefined>();
  /** Jobs in steps run in turn, each for a slice of time. */
  let isTakingTurns = false;

  const load = async ({ set, data }: SetOpening): Promise<Runners> => {
    const loader = loaders[set];
    if (loader === undefined) throw new Error(`the program has no jobs "${set}"`);
    return (await loader())(data as never) as Runners;
  };
  const open = (opening: SetOpening): Promise<Runners> => {
    const known = sets.get(opening.set);
    if (known !== undefined) return known;
    const opened = load(opening);
    sets.set(opening.set, opened);
    // The next job opens it again.
    opened.catch(() => sets.delete(opening.set));
    return opened;
  };
  const answer = (id: number, output: unknown): void => {
    if (begun.delete(id)) parentPort?.postMessage({ id, ok: true, output });
  };
  const fail = (id: number, error: unknown): void => {
    if (begun.delete(id)) parentPort?.postMessage({ id, ...failureOf(error) });
  };
  const takeTurns = async (): Promise<void> => {
    isTakingTurns = true;
    for (;;) {
      const stepped = [...begun].filter(([, steps]) => steps !== undefined);
      if (stepped.length === 0) break;
      for (const [id, steps] of stepped) {
        // Lets the worker receive aborts and new jobs.
        await nextTurn();
        if (steps === undefined || !begun.has(id)) continue;
        try {
          const output = await takeSlice(steps);
          if (output !== undefined) answer(id, output.value);
        } catch (error) {
          fail(id, error);
        }
      }
    }
    isTakingTurns = false;
  };
  const run = async ({ id, kind, input, opening }: JobRequest): Promise<void> => {
    begun.set(id, undefined);
    try {
      if (opening === undefined) throw new Error('expected a job with its set');
      const { [kind]: runner } = await open(opening);
      if (runner === undefined) throw new Error(`the jobs "${opening.set}" have no ${String(kind)}`);
      // An abort may have come meanwhile.
      if (!begun.has(id)) return;
      const output = runner(input);
      if (isSteps(output)) {
        begun.set(id, output);
        if (!isTakingTurns) void takeTurns();
      } else answer(id, output instanceof Promise ? await output : output);
    } catch (error) {
      fail(id, error);
    }
  };
  const abort = (id: number): void => {
    try {
      begun.get(id)?.return(undefined);
      fail(id, new Error('the job was aborted'));
    } catch (error) {
      fail(id, error);
    }
  };
  parentPort?.on('message', (command: JobCommand) => {
    if ('abort' in command) abort(command.abort);
    else if ('id' in command) void run(command);
    else void open(command.opening);
  });
}

export function failureOf(error: unknown): Omit<Extract<JobAnswer, { ok: false }>, 'id'> {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return { ok: false, message: error instanceof Error ? error.message : String(error), code };
}

async function takeSlice<T>(steps: AwaitingSteps<T>): Promise<{ readonly value: T } | undefined> {
  const endsAt = performance.now() + sliceMs;
  do {
    const step = steps.next();
    if (step.done === true) return step;
    if (step.value !== undefined) await step.value;
  } while (performance.now() < endsAt);
  return undefined;
}

/** Outputs are plain data, and have no functions. */
function isSteps(output: unknown): output is AwaitingSteps<unknown> {
  return (
    typeof output === 'object' && output !== null && 'next' in output && typeof output.next === 'function'
  );
}
