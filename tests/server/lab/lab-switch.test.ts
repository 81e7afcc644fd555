import { describe, expect, it } from 'vitest';
import type { Lab } from '@/server/lab/lab';
import { LabSwitch } from '@/server/lab/lab-switch';

function makeLab(closed: string[]): Lab {
  return { close: async () => void closed.push('closed') } as unknown as Lab;
}

describe('LabSwitch', () => {
  it('starts one lab for several requests', async () => {
    let starts = 0;
    const lab = makeLab([]);
    const labs = new LabSwitch(async () => {
      starts += 1;
      return lab;
    });
    expect(labs.lab).toBeUndefined();
    expect(await Promise.all([labs.start(), labs.start()])).toEqual([lab, lab]);
    expect([starts, labs.lab]).toEqual([1, lab]);
  });

  it('can be started again after a failure', async () => {
    const lab = makeLab([]);
    const results = [Promise.reject(new Error('no free port')), Promise.resolve(lab)];
    const labs = new LabSwitch(() => results.shift() ?? Promise.reject(new Error('a third start')));
    await expect(labs.start()).rejects.toThrow('no free port');
    expect(await labs.start()).toBe(lab);
  });

  it('ends a lab that is starting, and starts none afterwards', async () => {
    const closed: string[] = [];
    let resolve = (_lab: Lab): void => undefined;
    const labs = new LabSwitch(() => new Promise((done) => (resolve = done)));
    const starting = labs.start();
    const closing = labs.close();
    resolve(makeLab(closed));
    await Promise.all([starting, closing]);
    expect(closed).toEqual(['closed']);
    await expect(labs.start()).rejects.toThrow('closing');
  });
});
