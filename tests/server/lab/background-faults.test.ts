import { describe, expect, it } from 'vitest';
import { BackgroundFaults, type LabControls } from '@/server/lab/background-faults';
import { seededRandom } from '@/server/lab/random';
import { shopBackends } from '@/server/lab/shop/shop-backends';
import { initialShopState, type ShopState } from '@/server/lab/shop/shop-state';
import { ManualClock } from '@/tests/support/recorder-manual-clock';

/** Keeps the state as the lab would, and a diary. */
function startQuietLab(clock: ManualClock) {
  let state: ShopState = initialShopState;
  const diary: { at: number; act: string; subject: string }[] = [];
  const note = (act: string, subject: string | number, change: Partial<ShopState>) => {
    state = { ...state, ...change };
    diary.push({ at: clock.now(), act, subject: String(subject) });
  };
  const without = <T>(set: ReadonlySet<T>, one: T) => new Set([...set].filter((each) => each !== one));
  const lab: LabControls = {
    state: () => state,
    setCanaryPercent: (percent) => note('canary', percent, { canaryPercent: percent }),
    setWeight: ({ key }, weight) => note('zone', weight, { localityWeights: new Map([[key, weight]]) }),
    stopBackend: (name) => note('stop', name, { unhealthy: new Set([...state.unhealthy, name]) }),
    startBackend: (name) => note('start', name, { unhealthy: without(state.unhealthy, name) }),
    pushFault: (name) => note('push', name, { activeFaults: new Set([...state.activeFaults, name]) }),
    revertFault: (name) => note('revert', name, { activeFaults: without(state.activeFaults, name) }),
    isSetByUser: (name) => name === 'zero-weights',
  };
  return { lab, diary, state: () => state };
}

function watch(seed: number, minutes: number) {
  const clock = new ManualClock();
  const { lab, diary, state } = startQuietLab(clock);
  const backgroundFaults = new BackgroundFaults(lab, { clock, random: seededRandom(seed) });
  backgroundFaults.start();
  clock.advance(minutes * 60_000);
  return { backgroundFaults, diary, clock, state };
}

describe('BackgroundFaults', () => {
  it('changes one thing every 8 to 20 s', () => {
    const { diary } = watch(7, 60);
    const pauses = diary.slice(1).map(({ at }, index) => at - (diary[index]?.at ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(8000);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(20_000);
    expect(new Set(diary.map(({ act }) => act))).toEqual(
      new Set(['canary', 'zone', 'stop', 'start', 'push', 'revert']),
    );
  });

  it('is the same for the same seed', () => {
    expect(watch(7, 20).diary).toEqual(watch(7, 20).diary);
    expect(watch(8, 20).diary).not.toEqual(watch(7, 20).diary);
  });

  it('reverts each fault with the next change', () => {
    const { diary } = watch(3, 120);
    for (const [index, { act, subject }] of diary.entries()) {
      if (act === 'stop')
        expect(diary[index + 1] ?? { act: 'start', subject }).toMatchObject({ act: 'start', subject });
      if (act === 'push')
        expect(diary[index + 1] ?? { act: 'revert', subject }).toMatchObject({ act: 'revert', subject });
    }
  });

  it('never stops the last healthy endpoint, and never pushes a fault that crashes clients or was set by a user', () => {
    const { diary } = watch(11, 600);
    const subjects = new Set(diary.filter(({ act }) => act === 'stop').map(({ subject }) => subject));
    for (const { name, assignment } of shopBackends) {
      const alone = shopBackends.filter((other) => other.assignment === assignment).length === 1;
      if (alone) expect(subjects).not.toContain(name);
    }
    const pushed = new Set(diary.filter(({ act }) => act === 'push').map(({ subject }) => subject));
    expect(pushed).toEqual(new Set(['unsupported-policy', 'priority-gap']));
  });

  it('reverts its fault when it is stopped, and does nothing afterwards', () => {
    const { backgroundFaults, diary, clock, state } = watch(7, 10);
    while (!['stop', 'push'].includes(diary.at(-1)?.act ?? '')) clock.advance(8000);
    backgroundFaults.stop();
    expect(['start', 'revert']).toContain(diary.at(-1)?.act);
    expect(state().unhealthy.size).toBe(0);
    const acts = diary.length;
    clock.advance(600_000);
    expect(diary).toHaveLength(acts);
    expect(backgroundFaults.isOn).toBe(false);
  });

  it('does not revert what a user has changed', () => {
    const { backgroundFaults, diary, clock } = watch(7, 10);
    while (diary.at(-1)?.act !== 'stop') clock.advance(8000);
    const { subject = '' } = diary.at(-1) ?? {};
    backgroundFaults.leave(subject);
    clock.advance(20_000);
    expect(diary.at(-1)).not.toMatchObject({ act: 'start', subject });
  });
});
