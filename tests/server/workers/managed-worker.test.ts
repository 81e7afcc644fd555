import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type Backoff,
  ManagedWorker,
  type WorkerLoss,
  type WorkerProgram,
} from '@/server/workers/managed-worker';
import { ManualClock } from '@/tests/support/recorder-manual-clock';
import { waitUntil } from '@/tests/support/wait-until';
import { workerProgram } from '@/tests/support/worker-program';

type Command = string | number;

function manage(source: string, options: Partial<WorkerProgram> & { readonly backoff?: Backoff } = {}) {
  const { backoff, ...program } = options;
  const clock = new ManualClock();
  const messages: unknown[] = [];
  const losses: WorkerLoss[] = [];
  const worker = new ManagedWorker<Command, unknown>({
    ...{ clock, backoff, closeMs: 3_000 },
    program: { name: 'test-worker', file: workerProgram(source), data: null, ...program },
    onMessage: (message) => messages.push(message),
    onLost: (loss) => losses.push(loss),
    onRestartDue: () => worker.start(),
  });
  onTestFinished(() => worker.close());
  return { worker, clock, messages, losses };
}

const echo = `parentPort.on('message', (message) => parentPort.postMessage([workerData, message]));`;
const crash = `parentPort.on('message', (code) => process.exit(code));`;
const silent = `parentPort.on('message', () => { parentPort.postMessage('busy'); for (;;); });`;

describe('ManagedWorker', () => {
  it('starts one worker at a time, with its data, and posts to it', async () => {
    const { worker, messages } = manage(echo, { data: 'key' });
    expect(worker.post('lost')).toBe(false);
    expect([worker.start(), worker.start()]).toEqual([true, false]);
    expect(worker.post('a')).toBe(true);
    await waitUntil('it answers', () => messages.length === 1);
    expect(messages).toEqual([['key', 'a']]);
  });

  it('reports a worker that crashes once, and starts another with the next start()', async () => {
    const { worker, losses } = manage(crash);
    worker.start();
    worker.post(7);
    await waitUntil('it is lost', () => losses.length > 0);
    expect(losses).toEqual([{ reason: 'the worker ended with exit code 7', exitCode: 7, restartMs: 0 }]);
    expect(worker.isRunning).toBe(false);
    expect(worker.start()).toBe(true);
  });

  it('reports the error of a worker that throws, and of a program that does not exist', async () => {
    const thrown = manage(`throw new Error('no such key')`);
    thrown.worker.start();
    const missing = manage('', { file: '/nowhere/test-worker.mjs' });
    missing.worker.start();
    await waitUntil('both are lost', () => thrown.losses.length + missing.losses.length === 2);
    expect(thrown.losses).toMatchObject([{ reason: 'no such key', exitCode: null }]);
    expect(missing.losses).toMatchObject([{ reason: expect.stringContaining('/nowhere/test-worker.mjs') }]);
  });

  it('restarts after a delay that doubles with each failure up to its maximum', async () => {
    const { worker, clock, losses } = manage(`process.exit(3)`, { backoff: { firstMs: 500, maxMs: 1_500 } });
    worker.start();
    for (const [index, restartMs] of [500, 1_000, 1_500, 1_500].entries()) {
      await waitUntil('it is lost', () => losses.length === index + 1);
      expect(losses.at(-1)).toMatchObject({ restartMs });
      expect(worker.start()).toBe(false);
      clock.advance(restartMs - 1);
      expect(worker.isRunning).toBe(false);
      clock.advance(1);
      expect(worker.isRunning).toBe(true);
    }
  });

  it('begins again with the first delay after a worker that ran for long', async () => {
    const { worker, clock, losses } = manage(crash, { backoff: { firstMs: 500, maxMs: 1_500 } });
    worker.start();
    for (const restartMs of [500, 1_000, 500]) {
      if (losses.length === 2) clock.advance(1_501);
      worker.post(3);
      const count = losses.length + 1;
      await waitUntil('it is lost', () => losses.length === count);
      expect(losses.at(-1)).toMatchObject({ restartMs });
      clock.advance(restartMs);
    }
  });

  it('ends a worker that needs more memory than its limit, and states the limit', async () => {
    const grow = `const kept = []; for (;;) kept.push(Array.from({ length: 1000 }, (_, i) => ({ i })));`;
    const { worker, losses } = manage(grow, { maxHeapMb: 16 });
    worker.start();
    await waitUntil('it is lost', () => losses.length > 0, 60_000);
    expect(losses).toMatchObject([{ reason: 'it needs more than 16 MB of heap' }]);
  });

  it('acknowledges a message when it is handled, and only to the worker that sent it', async () => {
    const { worker, messages } = manage(echo);
    worker.start();
    let handle = (): void => undefined;
    worker.acknowledge(
      'first',
      new Promise((resolve) => {
        handle = resolve;
      }),
    );
    worker.post('before');
    await waitUntil('it answers', () => messages.length === 1);
    handle();
    await waitUntil('it is acknowledged', () => messages.length === 2);
    worker.acknowledge('of the replaced worker');
    await worker.replace();
    worker.start();
    worker.post('after');
    await waitUntil('the new worker answers', () => messages.length === 3);
    expect(messages).toEqual([
      [null, 'before'],
      [null, 'first'],
      [null, 'after'],
    ]);
  });

  it('rejects a command that cannot be cloned, and goes on', async () => {
    const { worker, messages } = manage(echo);
    worker.start();
    expect(() => worker.post((() => undefined) as unknown as string)).toThrow('could not be cloned');
    worker.post('a');
    await waitUntil('it answers', () => messages.length === 1);
  });

  it('does not report a worker that was replaced', async () => {
    const { worker, messages, losses } = manage(silent);
    worker.start();
    worker.post('hang');
    await waitUntil('it hangs', () => messages.length === 1);
    expect(await worker.replace()).toBe(1);
    expect(worker.start()).toBe(true);
    expect(losses).toEqual([]);
  });

  it('waits for work under way when it is closed, and does not start again', async () => {
    const { worker, losses } = manage(echo);
    worker.start();
    let finish = (): void => undefined;
    const closing = worker.close(
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
    );
    expect(worker.post('last')).toBe(true);
    finish();
    await closing;
    expect([worker.isRunning, worker.start(), losses.length]).toEqual([false, false, 0]);
  });

  it('ends a worker that never answers at the deadline of close()', async () => {
    const { worker, clock, messages } = manage(silent);
    worker.start();
    const thread = worker.thread ?? expect.fail('no worker');
    const exited = new Promise((resolve) => thread.once('exit', resolve));
    worker.post('hang');
    await waitUntil('it hangs', () => messages.length === 1);
    const closing = worker.close(new Promise(() => undefined));
    clock.advance(2_999);
    expect(worker.isRunning).toBe(true);
    clock.advance(1);
    await closing;
    expect(await exited).toBe(1);
  });

  it('does not restart a worker that is lost while it is closed', async () => {
    const { worker, clock, losses } = manage(crash, { backoff: { firstMs: 500, maxMs: 1_500 } });
    worker.start();
    worker.post(3);
    await waitUntil('it is lost', () => losses.length === 1);
    await worker.close();
    clock.advance(60_000);
    expect(worker.isRunning).toBe(false);
  });
});
