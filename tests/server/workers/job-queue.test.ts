import { buildSync } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';
import { projectRoot } from '@/server/project-root';
import { JobQueue, type JobQueueOptions } from '@/server/workers/job-queue';
import { JobThread } from '@/server/workers/job-thread';
import { waitUntil } from '@/tests/support/wait-until';
import { workerProgram } from '@/tests/support/worker-program';

/** Path of a worker program that serves these jobs, as source of an object, with the server's own serveJobs(). */
function jobWorker(runners: string): string {
  const [built] = buildSync({
    stdin: {
      contents: `import { serveJobs } from '@/server/workers/serve-jobs'; serveJobs({ test: async () => () => (${runners}) });`,
      resolveDir: projectRoot,
    },
    absWorkingDir: projectRoot,
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
    outfile: 'job-worker.mjs',
  }).outputFiles;
  return workerProgram(built?.text ?? '', { isWhole: true });
}

interface Jobs {
  /** Answers with the place of the job in the order in which the worker began them, and its thread. */
  count: { input: string; output: { name: string; place: number; threadId: number } };
  crash: { input: number; output: never };
  hang: { input: null; output: never };
  fail: { input: string; output: never };
  /** Writes to the cells, and waits for what the test writes there: see Cells. */
  wait: { input: SharedArrayBuffer; output: string };
  /** Steps until the test lets it end, and counts them. */
  steps: { input: SharedArrayBuffer; output: string };
}

const program = jobWorker(`(() => {
  const { threadId } = process.getBuiltinModule('node:worker_threads');
  let place = 0;
  return {
    count: (name) => ({ name, place: ++place, threadId }),
    crash: (code) => process.exit(code),
    hang: () => { for (;;); },
    fail: (message) => { throw Object.assign(new Error(message), { code: 'SOME_CODE' }); },
    wait: (buffer) => {
      const cells = new Int32Array(buffer);
      Atomics.store(cells, 0, 1);
      Atomics.wait(cells, 1, 0);
      return 'waited';
    },
    steps: function* (buffer) {
      const cells = new Int32Array(buffer);
      try {
        while (Atomics.load(cells, 1) === 0) {
          Atomics.add(cells, 0, 1);
          yield;
        }
        return 'stepped';
      } finally {
        Atomics.store(cells, 2, 1);
      }
    },
  };
})()`);

function open(
  options: Partial<JobQueueOptions> = {},
  thread = new JobThread({ name: 'test-worker', file: program, data: null }),
): JobQueue<Jobs> {
  const all: JobQueueOptions = {
    ...{ owner: 'the test', doing: 'testing', deadlineMs: 60_000 },
    errorOf: (message, code) => Object.assign(new Error(message), { code }),
    ...options,
  };
  const queue = new JobQueue<Jobs>(thread, all, { set: 'test', data: null });
  onTestFinished(() => queue.close());
  return queue;
}

/** Two queues of one thread. */
function openTwo(options: Partial<JobQueueOptions> = {}): readonly [JobQueue<Jobs>, JobQueue<Jobs>] {
  const thread = new JobThread({ name: 'test-worker', file: program, data: null });
  return [open(options, thread), open({ owner: 'the other' }, thread)];
}

/** The cells through which the worker and the test notify each other while the worker's thread is busy. */
class Cells {
  readonly buffer = new SharedArrayBuffer(12);
  readonly #cells = new Int32Array(this.buffer);

  get begun(): number {
    return Atomics.load(this.#cells, 0);
  }

  get isOver(): boolean {
    return Atomics.load(this.#cells, 2) === 1;
  }

  release(): void {
    Atomics.store(this.#cells, 1, 1);
    Atomics.notify(this.#cells, 1);
  }
}

async function busy(queue: JobQueue<Jobs>, signal?: AbortSignal) {
  const cells = new Cells();
  const job = queue.run('wait', cells.buffer, { signal });
  job.catch(() => undefined);
  await waitUntil('the worker is busy', () => cells.begun === 1);
  return { cells, job };
}

describe('JobQueue', () => {
  it('runs one job after the other in one worker', async () => {
    const queue = open();
    const answers = await Promise.all(['a', 'b', 'c'].map((name) => queue.run('count', name)));
    expect(answers.map(({ name, place }) => `${name}${place}`)).toEqual(['a1', 'b2', 'c3']);
    expect(new Set(answers.map(({ threadId }) => threadId)).size).toBe(1);
  });

  it('fails a job with its own error and goes on in the same worker', async () => {
    const queue = open();
    const [first, failed, second] = await Promise.allSettled([
      queue.run('count', 'a'),
      queue.run('fail', 'no such body'),
      queue.run('count', 'b'),
    ]);
    expect(failed).toMatchObject({ reason: { message: 'no such body', code: 'SOME_CODE' } });
    expect([first, second]).toMatchObject([{ value: { place: 1 } }, { value: { place: 2 } }]);
  });

  it('gives the jobs behind one that crashes the worker a new worker', async () => {
    const queue = open();
    const lost = queue.run('crash', 7);
    const next = queue.run('count', 'a');
    await expect(lost).rejects.toThrow('testing failed: the worker ended with exit code 7');
    expect(await next).toMatchObject({ place: 1 });
  });

  it('fails a job that exceeds the deadline, and gives the next one a new worker', async () => {
    const queue = open({ deadlineMs: 4_000 });
    await queue.run('count', 'a');
    const lost = queue.run('hang', null);
    const next = queue.run('count', 'b');
    await expect(lost).rejects.toThrow('testing failed: it took longer than 4 s');
    expect(await next).toMatchObject({ name: 'b', place: 1 });
  });

  it('begins the jobs again that the worker of a job that exceeded the deadline had', async () => {
    const queue = open({ deadlineMs: 4_000, atOnce: 3 });
    await queue.run('count', 'a');
    const lost = queue.run('hang', null);
    const others = ['b', 'c', 'd'].map((name) => queue.run('count', name));
    await expect(lost).rejects.toThrow('testing failed: it took longer than 4 s');
    const answers = await Promise.all(others);
    expect(answers.map(({ name, place }) => `${name}${place}`)).toEqual(['b1', 'c2', 'd3']);
  });

  it('replaces a worker that does not end an aborted job, if it may', async () => {
    const queue = open({ abortMs: 50 });
    const reader = new AbortController();
    const { job } = await busy(queue, reader.signal);
    const next = queue.run('count', 'a');
    reader.abort(new Error('the reader has left'));
    await expect(job).rejects.toThrow('the reader has left');
    expect(await next).toMatchObject({ name: 'a', place: 1 });
  });

  it('completes an aborted job otherwise, and answers the next one in the same worker', async () => {
    const queue = open();
    const { threadId } = await queue.run('count', 'a');
    const reader = new AbortController();
    const { cells, job } = await busy(queue, reader.signal);
    const next = queue.run('count', 'b');
    reader.abort(new Error('the reader has left'));
    await expect(job).rejects.toThrow('the reader has left');
    cells.release();
    expect(await next).toMatchObject({ place: 2, threadId });
  });

  it('rejects a job that cannot be cloned, and goes on', async () => {
    const queue = open();
    const job = queue.run('count', (() => undefined) as unknown as string);
    await expect(job).rejects.toThrow('could not be cloned');
    expect(await queue.run('count', 'a')).toMatchObject({ place: 1 });
  });

  it('begins urgent jobs first and background jobs last', async () => {
    const queue = open();
    const { cells } = await busy(queue);
    const priorities = ['background', 'normal', 'urgent', 'normal'] as const;
    const jobs = priorities.map((priority, index) =>
      queue.run('count', `${priority} ${index}`, { priority }),
    );
    cells.release();
    const answers = await Promise.all(jobs);
    const inOrder = answers.sort((a, b) => a.place - b.place).map(({ name }) => name);
    expect(inOrder).toEqual(['urgent 2', 'normal 1', 'normal 3', 'background 0']);
  });

  it('rejects more waiting jobs than its limit, except urgent ones', async () => {
    const queue = open({ maxWaiting: 2 });
    const { cells } = await busy(queue);
    const waiting = [queue.run('count', 'a'), queue.run('count', 'b', { priority: 'background' })];
    await expect(queue.run('count', 'c')).rejects.toThrow(
      'testing failed: expected at most 2 waiting jobs, got 3',
    );
    const urgent = queue.run('count', 'd', { priority: 'urgent' });
    cells.release();
    expect(await Promise.all([...waiting, urgent])).toMatchObject([
      { name: 'a' },
      { name: 'b' },
      { name: 'd' },
    ]);
  });

  it('takes a job that is aborted out of the queue, which frees its place', async () => {
    const queue = open({ maxWaiting: 1 });
    const { cells } = await busy(queue);
    const reader = new AbortController();
    const left = queue.run('count', 'a', { signal: reader.signal });
    reader.abort(new Error('the reader has left'));
    await expect(left).rejects.toThrow('the reader has left');
    const next = queue.run('count', 'b');
    cells.release();
    expect(await next).toMatchObject({ name: 'b', place: 1 });
  });

  it('does not begin a job whose signal is aborted already', async () => {
    const signal = AbortSignal.abort(new Error('the reader has left'));
    await expect(open().run('count', 'a', { signal })).rejects.toThrow('the reader has left');
  });

  it('ends a job that is done in steps after the step under way when it is aborted', async () => {
    const queue = open();
    const reader = new AbortController();
    const cells = new Cells();
    const job = queue.run('steps', cells.buffer, { signal: reader.signal });
    const next = queue.run('count', 'next');
    await waitUntil('it takes steps', () => cells.begun > 0);
    reader.abort(new Error('the reader has left'));
    await expect(job).rejects.toThrow('the reader has left');
    expect(await next).toMatchObject({ place: 1 });
    expect(cells.isOver).toBe(true);
  });

  it('serves other jobs between the steps of one if the worker may have several', async () => {
    const queue = open({ atOnce: 3 });
    const [first, second] = [new Cells(), new Cells()];
    const jobs = [first, second].map(({ buffer }) => queue.run('steps', buffer));
    await waitUntil('both take steps', () => first.begun > 0 && second.begun > 0);
    expect(await queue.run('count', 'between')).toMatchObject({ place: 1 });
    second.release();
    expect(await jobs[1]).toBe('stepped');
    first.release();
    expect(await jobs[0]).toBe('stepped');
  });

  it('lets a job under way end in the old worker after renew()', async () => {
    const queue = open();
    const { threadId } = await queue.run('count', 'a');
    const { cells, job } = await busy(queue);
    queue.renew();
    const next = queue.run('count', 'b');
    cells.release();
    expect(await job).toBe('waited');
    const { place, threadId: newThreadId } = await next;
    expect(place).toBe(1);
    expect(newThreadId).not.toBe(threadId);
  });

  it('rejects all jobs when it is closed, though the worker does not end by itself', async () => {
    const queue = open();
    const { job } = await busy(queue);
    const waiting = queue.run('count', 'a');
    waiting.catch(() => undefined);
    await queue.close();
    for (const lost of [job, waiting, queue.run('count', 'b')]) {
      await expect(lost).rejects.toThrow('the test is closed');
    }
  });

  it('shares a thread with another queue, whose jobs begin between the steps of its own', async () => {
    const [queue, other] = openTwo();
    const cells = new Cells();
    const stepped = queue.run('steps', cells.buffer);
    const { threadId } = await other.run('count', 'a');
    cells.release();
    expect(await stepped).toBe('stepped');
    expect(await queue.run('count', 'b')).toMatchObject({ place: 2, threadId });
  });

  it('begins the jobs of the other queue again when one of its own exceeds the deadline', async () => {
    const [queue, other] = openTwo({ deadlineMs: 4_000 });
    await queue.run('count', 'a');
    const lost = queue.run('hang', null);
    const next = other.run('count', 'b');
    await expect(lost).rejects.toThrow('testing failed: it took longer than 4 s');
    expect(await next).toMatchObject({ name: 'b', place: 1 });
  });

  it('leaves the thread to the other queue when it is closed', async () => {
    const [queue, other] = openTwo();
    const { threadId } = await other.run('count', 'a');
    await queue.close();
    expect(await other.run('count', 'b')).toMatchObject({ place: 2, threadId });
  });

  it('states that a set of jobs does not exist, and answers the jobs of others', async () => {
    const thread = new JobThread({ name: 'test-worker', file: program, data: null });
    const options = { owner: 'the test', doing: 'testing', errorOf: (message: string) => new Error(message) };
    const none = new JobQueue<Jobs>(thread, options, { set: 'none', data: null });
    await expect(none.run('count', 'a')).rejects.toThrow('the program has no jobs "none"');
    expect(await open({}, thread).run('count', 'a')).toMatchObject({ place: 1 });
  });
});
