import { afterEach, describe, expect, it, vi } from 'vitest';
import { configureLog, log } from '@/server/logger';

function linesOf(write: () => void): string {
  const spy = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    write();
    return spy.mock.calls.map(([chunk]) => String(chunk)).join('');
  } finally {
    spy.mockRestore();
  }
}

afterEach(() => {
  delete process.env.XDSCOPE_LOG_LEVEL;
  delete process.env.XDSCOPE_LOG_FORMAT;
});

describe('log()', () => {
  it('writes text by default, of every level', () => {
    const lines = linesOf(() => {
      log('info', 'recorder', 'recorder recording');
      log('error', 'http', 'GET /: failed');
    });
    expect(lines).toBe('xdscope: recorder recording\nxdscope: GET /: failed\n');
  });

  it('writes one JSON object per line, also for a message of several lines', () => {
    configureLog({ level: 'info', format: 'json' });
    const lines = linesOf(() => log('warn', 'grpc', 'TLS: a\nb'));
    expect(JSON.parse(lines)).toEqual({
      ...{ level: 'warn', component: 'grpc', message: 'TLS: a\nb' },
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    expect(lines.indexOf('\n')).toBe(lines.length - 1);
  });

  it('omits what is less important than the level', () => {
    configureLog({ level: 'error', format: 'text' });
    const lines = linesOf(() => {
      log('info', 'recorder', 'a');
      log('warn', 'recorder', 'b');
      log('error', 'recorder', 'c');
    });
    expect(lines).toBe('xdscope: c\n');
  });
});
