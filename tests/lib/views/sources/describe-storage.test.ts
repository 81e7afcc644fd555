import { describe, expect, it } from 'vitest';
import { describeStorage } from '@/lib/views/sources/describe-storage';
import { health as sampleHealth } from '../../../support/builders/fleet-fixtures';

describe('describeStorage()', () => {
  it('is empty if everything is recorded and can be read', () => {
    expect(describeStorage(sampleHealth())).toEqual([]);
  });

  it('lists problems, the worst first', () => {
    const sample = sampleHealth();
    const remarks = describeStorage({
      recorder: { ...sample.recorder, state: 'stopped', reason: 'the disk is full' },
      load: { ...sample.load, problem: 'load.sqlite was deleted' },
      storage: {
        damaged: ['recording.sqlite is damaged: page 5'],
        setAside: ['load.sqlite cannot be read'],
        changed: ['sources.json was removed'],
      },
    });
    expect(remarks.map(({ title, text, tone }) => `${tone}: ${title}: ${text}`)).toEqual([
      'stale: Recording has stopped: the disk is full. Recorded data can still be read while xdscope runs.',
      'stale: Load is not recorded: load.sqlite was deleted.',
      'stale: A part of the recording cannot be read: recording.sqlite is damaged: page 5.',
      'notice: The recording starts anew: load.sqlite cannot be read.',
      'notice: A file of the data directory was changed: sources.json was removed.',
    ]);
  });
});
