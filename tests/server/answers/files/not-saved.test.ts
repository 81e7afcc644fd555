import { describe, expect, it } from 'vitest';
import { saved } from '@/server/answers/files/not-saved';
import { ConfigError } from '@/server/config-error';
import { damagedFile } from '@/server/store/recorder/damaged-file';
import { RecorderError } from '@/server/store/recorder/recorder';

const inPlace = { confirmInPlace: async () => undefined };

describe('saved()', () => {
  it('answers 507 if the disk cannot store the change, and passes other errors', async () => {
    const failing = (error: Error) =>
      saved(inPlace, () => {
        throw error;
      });
    const full = new RecorderError('STOPPED', 'recording is stopped: the disk is full');
    await expect(failing(full)).rejects.toMatchObject({
      name: 'ApiError',
      status: 507,
      detail: full.message,
    });
    await expect(failing(new ConfigError('sources.json: ENOSPC'))).rejects.toMatchObject({ status: 507 });
    const others = [new TypeError('x is not a function'), damagedFile('recording.sqlite', 'page 5')];
    for (const other of others) await expect(failing(other)).rejects.toBe(other);
  });

  it('returns the result of the change, or 507 if the data dir is missing before or after it', async () => {
    expect(await saved(inPlace, () => 'id')).toBe('id');
    for (const confirmations of [0, 1]) {
      let left = confirmations;
      let changes = 0;
      const recorder = {
        async confirmInPlace() {
          if (left-- === 0) throw new RecorderError('NOT_IN_PLACE', '/data was deleted or moved');
        },
      };
      const change = () => {
        changes += 1;
      };
      await expect(saved(recorder, change)).rejects.toMatchObject({
        status: 507,
        detail: '/data was deleted or moved',
      });
      expect(changes).toBe(confirmations);
    }
  });
});
