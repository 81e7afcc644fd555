import { describe, expect, it } from 'vitest';
import type { Health } from '@/lib/views/health/schema';
import {
  describeRecorder,
  forecastRetention,
  formatLimits,
  formatPermalinks,
} from '@/lib/views/sources/describe-recorder';
import { health } from '@/tests/support/builders/fleet-fixtures';

const textsOf = (recorder: Partial<Health['recorder']>, load: Partial<Health['load']> = {}, dropped = 0) => {
  const reported = health(recorder);
  return describeRecorder({ ...reported, load: { ...reported.load, ...load } }, dropped);
};

describe('describeRecorder()', () => {
  it('is empty if the log lacks nothing', () => {
    expect(textsOf({ waiting: 40 })).toEqual([]);
  });

  it('reports unhandled errors of xdscope, and the newest of them', () => {
    const lastAt = Date.parse('2026-11-21T11:04:07.000Z');
    const unhandledRejections = { count: 2, lastAt, lastMessage: 'TypeError: broken' };
    expect(describeRecorder({ ...health(), unhandledRejections }, 0)).toEqual([
      {
        tone: 'trouble',
        text: expect.stringMatching(
          /^2 unexpected errors in xdscope .* The newest was "TypeError: broken",$/,
        ),
        at: lastAt,
      },
    ]);
  });

  it('reports that recording is stopped, why, and what happens to waiting observations', () => {
    const [stopped] = textsOf({ state: 'stopped', reason: 'the disk is full', waiting: 3_211 });
    expect(stopped).toMatchObject({ tone: 'trouble' });
    expect(stopped?.text).toMatch(
      /^Recording has stopped: the disk is full\. 3,211 observations wait in memory/,
    );
  });

  it('reports that the shared store is read each second, if it does not notify this process', () => {
    const remarks = (isNotified?: boolean) =>
      describeRecorder(
        {
          ...health(),
          sharedStore: {
            role: 'web',
            target: 'db:5432/x',
            problem: '',
            ...(isNotified !== undefined && { isNotified }),
          },
        },
        0,
      );
    expect(remarks(false)).toEqual([
      {
        tone: 'note',
        text: expect.stringMatching(/^The shared store db:5432\/x does not notify .* each second/),
      },
    ]);
    expect([remarks(true), remarks()]).toEqual([[], []]);
  });

  it('reports gaps of any run, and since when there was none', () => {
    const newestAt = Date.parse('2026-11-21T11:04:07.000Z');
    expect(textsOf({ gaps: { count: 2, observations: 1_234, newestAt } })).toEqual([
      {
        text: 'The log has 2 gaps, in which 1,234 observations are missing; History shows where. The newest ended',
        tone: 'note',
        at: newestAt,
      },
    ]);
  });

  it('reports pending snapshots, and observations that wait for the disk', () => {
    const texts = textsOf({ notFollowed: 1, waiting: 20_000 }).map(({ text }) => text);
    expect(texts).toEqual([
      '20,000 observations wait for the disk.',
      expect.stringMatching(/^Indexing 1 recent observation; /),
    ]);
  });

  it('reports copies that taps omitted, failed maintenance, and unwritten load', () => {
    const reported = textsOf(
      { retentionProblem: 'retention: disk I/O error' },
      { problem: 'disk full', missed: 1, leftOut: 2 },
      7,
    );
    expect(reported.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Taps did not record 7 messages/),
      'Maintenance of the log failed: retention: disk I/O error',
      'Load is not being written: disk full',
      '1 load report arrived faster than the disk could write, and is missing.',
      '2 lines of load reports exceeded the limit of series, and are missing.',
    ]);
    expect(reported[0]?.kind).toBe('copies-dropped');
  });
});

it('reports that no more permalinks can be saved', () => {
  const [remark] = textsOf({ permalinks: { count: 20, sizeBytes: 1, limit: 20 } });
  expect(remark?.text).toBe(
    'No more permalinks can be saved: there are 20, as many as --max-permalinks allows.',
  );
});

it('formatPermalinks() has their number, the limit and their size', () => {
  expect(formatPermalinks({ count: 1_200, sizeBytes: 3_400_000, limit: 10_000 })).toBe(
    '1,200 of 10,000, 3.40 MB',
  );
  expect(formatPermalinks({ count: 2, sizeBytes: 0 })).toBe('2, 0 B');
});

it('formatLimits() names the limits of retention, and is empty without any', () => {
  expect(formatLimits({ maxAgeMs: 604_800_000, maxBytes: 2_147_483_648 })).toBe('7 days, 2.15 GB');
  expect(formatLimits({ maxAgeMs: 86_400_000, maxBytes: 1e9, maxCount: 1_000_000 })).toBe(
    '1 day, 1.00 GB, 1,000,000 observations',
  );
  expect(formatLimits({ maxAgeMs: 1e15, maxBytes: 1e15 })).toBe('');
});

describe('forecastRetention()', () => {
  const [day, minute, now] = [86_400_000, 60_000, 1_800_000_000_000];
  const growing = { observationsPerMinute: 2, bytesPerMinute: 1_000 };
  const forecast = (recorder: Partial<Health['recorder']>) =>
    forecastRetention(
      {
        ...health({ observations: 100, sizeBytes: 400_000, oldestAt: now - 2 * day }).recorder,
        growth: { day: growing },
        limits: { maxAgeMs: 7 * day, maxBytes: 1e12 },
        ...recorder,
      },
      now,
    );

  it('is the first limit that is reached at the growth of the last day', () => {
    expect(forecast({})).toEqual({ limit: 'age', at: now + 5 * day });
    expect(forecast({ limits: { maxAgeMs: 7 * day, maxBytes: 1_000_000 } })).toEqual({
      ...{ limit: 'size', at: now + 600 * minute },
    });
    expect(forecast({ limits: { maxAgeMs: 7 * day, maxBytes: 1e12, maxCount: 160 } })).toEqual({
      ...{ limit: 'number', at: now + 30 * minute },
    });
    const hour = { ...growing, bytesPerMinute: 6_000 };
    const limits = { maxAgeMs: 7 * day, maxBytes: 1_000_000 };
    expect(forecast({ growth: { hour }, limits })?.at).toBe(now + 100 * minute);
  });

  it('is not known before an hour is recorded, unless a limit is reached', () => {
    expect(forecast({ oldestAt: now - 59 * minute })).toBeUndefined();
    expect(forecast({ oldestAt: now - 59 * minute, sizeBytes: 2e12 })).toEqual({ limit: 'size', at: now });
  });

  it('is now, or earlier, while a limit is reached', () => {
    expect(forecast({ oldestAt: now - 7 * day })).toEqual({ limit: 'age', at: now });
    expect(forecast({ limits: { maxAgeMs: 7 * day, maxBytes: 400_000 } })).toEqual({
      limit: 'size',
      at: now,
    });
  });

  it('is absent without a limit, without growth, and of an empty log', () => {
    const limits = { maxAgeMs: 40_000 * day, maxBytes: 1e12 };
    expect(forecast({ limits, growth: {} })).toBeUndefined();
    expect(forecast({ oldestAt: undefined })).toBeUndefined();
  });
});
