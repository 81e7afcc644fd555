import { describe, expect, it } from 'vitest';
import { explainNotSaved } from '@/server/api/not-saved';
import { ConfigError } from '@/server/config/config';
import { RecorderError } from '@/server/recorder/recorder';

describe('explainNotSaved()', () => {
  it('makes 507 of a disk that does not take it, and leaves faults alone', () => {
    const full = new RecorderError('STOPPED', 'recording is stopped: the disk is full');
    expect(explainNotSaved(full)).toMatchObject({ name: 'ApiError', status: 507, detail: full.message });
    expect(explainNotSaved(new ConfigError('sources.json: ENOSPC'))).toMatchObject({ status: 507 });
    const fault = new TypeError('x is not a function');
    expect(explainNotSaved(fault)).toBe(fault);
  });
});
