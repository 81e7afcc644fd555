import { describe, expect, it } from 'vitest';
import { PollGate } from '@/server/collect/poll-diff/poll-gate';
import { ManualClock } from '@/tests/support/recorder-manual-clock';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('PollGate', () => {
  it('admits as many as it has places, and the others in order when one leaves', async () => {
    const gate = new PollGate({ clock: new ManualClock(), places: 2 });
    const inside: string[] = [];
    const enter = async (name: string): Promise<() => void> => {
      const leave = await gate.enter();
      inside.push(name);
      return leave;
    };
    const first = enter('a');
    for (const name of ['b', 'c', 'd']) void enter(name);
    await settled();
    expect(inside).toEqual(['a', 'b']);
    const leave = await first;
    leave();
    leave();
    await settled();
    expect(inside).toEqual(['a', 'b', 'c']);
  });

  it('frees the place of a silent peer after its time', async () => {
    const clock = new ManualClock();
    const gate = new PollGate({ clock, places: 1, holdMs: 1_000 });
    await gate.enter();
    const second = gate.enter();
    clock.advance(1_000);
    await second;
    expect(clock.waiting).toBe(1);
  });
});
