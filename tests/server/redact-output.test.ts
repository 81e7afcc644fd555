import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { bundleSupportProgram } from '../support/recorder-bundle';

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg';

/** Runs a process that calls redactOutput() and then prints in this way. Returns its output. */
function printed(way: string): { readonly text: string; readonly status: number | null } {
  const program = bundleSupportProgram('redact-output-child');
  const { stdout, stderr, status } = spawnSync(process.execPath, [program, way, jwt], { encoding: 'utf8' });
  return { text: stdout + stderr, status };
}

describe('redactOutput()', () => {
  for (const way of ['stdout', 'stderr', 'bytes', 'warning', 'thread']) {
    it(`masks the secret part of output by ${way}`, () => {
      const { text, status } = printed(way);
      expect(text).toContain('before [redacted] after');
      expect(text).not.toContain(jwt);
      expect(status).toBe(0);
    });
  }

  for (const way of ['uncaught error', 'rejection']) {
    it(`masks it in an ${way}, which ends the process with 1`, () => {
      const { text, status } = printed(way);
      expect(text).toContain('before [redacted] after');
      expect(text).not.toContain(jwt);
      expect(status).toBe(1);
    });
  }

  it('leaves text and bytes without secrets as they are, and calls back', () => {
    expect(printed('harmless')).toEqual({ text: 'gr\u00fcn \u2713\nwritten\n', status: 0 });
  });
});
