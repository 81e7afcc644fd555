import { describe, expect, it } from 'vitest';
import { closeRuntime } from '@/server/compose/close-runtime';

describe('closeRuntime()', () => {
  it('does not wait for a worker that a source waits for, and writes last', async () => {
    const reported: string[] = [];
    let giveUp = (): void => {};
    const reading = new Promise<void>((resolve) => {
      giveUp = resolve;
    });
    const part = (name: string) => ({
      close: async () => {
        reported.push(name);
      },
    });
    await closeRuntime({
      registry: {
        close: async () => {
          reported.push('sources');
          await reading;
        },
      },
      lab: part('lab'),
      workers: [
        {
          close: async () => {
            reported.push('worker');
            giveUp();
          },
        },
      ],
      stream: { close: () => reported.push('stream') },
      checkpoints: part('checkpoint'),
      storage: part('storage'),
    });
    expect(reported).toEqual(['sources', 'lab', 'worker', 'stream', 'checkpoint', 'storage']);
  });
});
