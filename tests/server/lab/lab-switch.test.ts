import { describe, expect, it } from 'vitest';
import { LabSwitch } from '@/server/lab/lab-switch';

interface Running {
  readonly close: () => Promise<void>;
}

function makeLab(closed: string[]): Running {
  return { close: async () => void closed.push('closed') };
}

describe('LabSwitch', () => {
  it('starts one lab for several requests', async () => {
    let starts = 0;
    const lab = makeLab([]);
    const labs = new LabSwitch<Running>(async () => {
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
    const labs = new LabSwitch<Running>(() => results.shift() ?? Promise.reject(new Error('a third start')));
    await expect(labs.start()).rejects.toThrow('no free port');
    expect(await labs.start()).toBe(lab);
  });

  it('ends a lab that is starting, and starts none afterwards', async () => {
    const closed: string[] = [];
    let resolve = (_lab: Running): void => undefined;
    const labs = new LabSwitch<Running>(() => new Promise((done) => (resolve = done)));
    const starting = labs.start();
    const closing = labs.close();
    resolve(makeLab(closed));
    await Promise.all([starting, closing]);
    expect(closed).toEqual(['closed']);
    await expect(labs.start()).rejects.toThrow('closing');
  });
});
