import { describe, expect, it } from 'vitest';
import { NewestMoment } from '@/server/files/import/newest-moment';

const now = Date.parse('2026-11-28T12:00:00Z');
const newestIn = (text: string) => new NewestMoment(now).findIn(Buffer.from(text));

describe('the newest time in a document', () => {
  it.each([
    ['JSON with snake_case', '{"last_updated":"2026-11-28T11:00:00.123Z"}', '2026-11-28T11:00:00.123Z'],
    ['JSON with camelCase', '{"lastUpdateAttempt": "2026-11-28T11:00:00Z"}', '2026-11-28T11:00:00Z'],
    ['YAML', "last_update_attempt: '2026-11-28T11:00:00+01:00'", '2026-11-28T10:00:00Z'],
    ['nanoseconds', '{"lastUpdated":"2026-11-28T11:00:00.123456789Z"}', '2026-11-28T11:00:00.123Z'],
    [
      'several times in any order',
      '{"last_updated":"2026-11-28T10:00:00Z"},{"last_updated":"2026-11-28T11:00:00Z"},{"last_updated":"2026-11-28T09:00:00Z"}',
      '2026-11-28T11:00:00Z',
    ],
    [
      'a time after now, which is left out',
      '{"last_updated":"2027-01-01T00:00:00Z"},{"last_updated":"2026-11-28T09:00:00Z"}',
      '2026-11-28T09:00:00Z',
    ],
  ])('is found in %s', (_, text, expected) => {
    expect(newestIn(text)).toBe(Date.parse(expected));
  });

  it.each([
    '',
    '{"last_updated":null}',
    // Zero and year 1 mean "never".
    '{"last_updated":"1970-01-01T00:00:00Z"}',
    '{"last_updated":"0001-01-01T00:00:00Z"}',
    '{"last_updated":"2026-99-99T00:00:00Z"}',
    '{"last_seen":"2026-11-28T11:00:00Z"}',
  ])('is null for %j', (text) => {
    expect(newestIn(text)).toBeNull();
  });

  it('is the same when the document is scanned while it arrives, wherever it is cut', () => {
    const filler = ' '.repeat(1024 * 1024);
    const document = Buffer.from(
      `${filler}{"last_updated":"2026-11-28T11:00:00Z"}${filler}{"last_updated":"2026-11-28T10:00:00Z"}`,
    );
    const at = document.indexOf('2026');
    for (const cut of [at - 10, at, at + 5, at + 21]) {
      const moment = new NewestMoment(now);
      moment.scan(document.subarray(0, cut));
      expect(moment.soFar).toBeNull();
      moment.scan(document.subarray(0, document.length - 30));
      expect(moment.soFar).toBe(Date.parse('2026-11-28T11:00:00Z'));
      expect(moment.findIn(document)).toBe(Date.parse('2026-11-28T11:00:00Z'));
    }
  });
});
