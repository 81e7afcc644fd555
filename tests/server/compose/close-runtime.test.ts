import { describe, expect, it } from 'vitest';
import { closeRuntime } from '@/server/compose/close-runtime';

describe('closeRuntime()', () => {
  it('does not wait for a worker that a source waits for, and writes last', async () => {
    const told: string[] = [];
    let giveUp = (): void => {};
    const reading = new Promise<void>((resolve) => {
      giveUp = resolve;
    });
    const part = (name: string) => ({
      close: async () => {
        told.push(name);
      },
    });
    await closeRuntime({
      registry: {
        close: async () => {
          told.push('sources');
          await reading;
        },
      },
      lab: part('lab'),
      workers: [
        {
          close: async () => {
            told.push('worker');
            giveUp();
          },
        },
      ],
      live: { flush: () => told.push('flush') },
      stream: { close: () => told.push('stream') },
      checkpoints: part('checkpoint'),
      recorder: part('recorder'),
    });
    expect(told).toEqual(['sources', 'lab', 'worker', 'flush', 'stream', 'checkpoint', 'recorder']);
  });
});
