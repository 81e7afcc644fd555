import { describe, expect, it } from 'vitest';
import { findPython } from '@/server/lab/python-client/find-python';

describe('findPython', () => {
  it('reports for every candidate why it is not usable', async () => {
    const found = await findPython(['no-such-python', process.execPath]);
    expect(found).toMatchObject({ kind: 'absent' });
    expect(found.kind === 'absent' && found.reason).toMatch(/^no-such-python: not found; .+: .+/);
  });
});
