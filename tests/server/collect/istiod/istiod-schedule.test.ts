import { describe, expect, it } from 'vitest';
import { IstiodSchedule } from '@/server/collect/istiod/istiod-schedule';

const none: ReadonlySet<string> = new Set();

describe('IstiodSchedule', () => {
  it('requests the status, then one config after the other, with a pause after each', () => {
    const schedule = new IstiodSchedule(10_000);
    expect(schedule.next(0)).toEqual({ kind: 'status' });
    schedule.statusRequested({ at: 0, tookMs: 10, spread: 1 });
    schedule.follow(['a', 'b'], none);
    expect(schedule.next(209)).toBeUndefined();
    expect(schedule.waitMs(10)).toBe(200);
    expect(schedule.next(210)).toEqual({ kind: 'config', clientId: 'a' });
    schedule.configRequested('a', { at: 210, tookMs: 0 });
    expect(schedule.next(410)).toEqual({ kind: 'config', clientId: 'b' });
    schedule.configRequested('b', { at: 410, tookMs: 0 });
    expect(schedule.configsRead).toBe(2);
    expect(schedule.next(9_999)).toBeUndefined();
    expect(schedule.next(10_000)).toEqual({ kind: 'status' });
  });

  it('waits until a request is due: timers ignore fractions', () => {
    const schedule = new IstiodSchedule(10_000);
    schedule.statusRequested({ at: 0, tookMs: 10, spread: 0.900_05 });
    expect(schedule.waitMs(300)).toBe(8_701);
    expect(schedule.next(9_001)).toEqual({ kind: 'status' });
  });

  it('requests a config again after a minute if something was sent, else after ten', () => {
    const schedule = new IstiodSchedule(10_000);
    schedule.follow(['a', 'b'], none);
    for (const client of ['a', 'b']) schedule.configRequested(client, { at: 0, tookMs: 0 });
    schedule.statusRequested({ at: 55_000, tookMs: 0, spread: 1 });
    schedule.follow(['a', 'b'], new Set(['b']));
    expect(schedule.next(59_999)).toBeUndefined();
    expect(schedule.next(60_000)).toEqual({ kind: 'config', clientId: 'b' });
    schedule.configRequested('b', { at: 60_000, tookMs: 0 });
    schedule.statusRequested({ at: 599_000, tookMs: 0, spread: 1 });
    expect(schedule.next(600_000)).toEqual({ kind: 'config', clientId: 'a' });
  });

  it('pauses nine times as long as an answer took, and alternates between status and configs', () => {
    const schedule = new IstiodSchedule(10_000);
    schedule.statusRequested({ at: 0, tookMs: 5_000, spread: 1 });
    schedule.follow(['a'], none);
    expect(schedule.next(49_999)).toBeUndefined();
    expect(schedule.next(50_000)).toEqual({ kind: 'config', clientId: 'a' });
    schedule.configRequested('a', { at: 50_000, tookMs: 5_000 });
    expect(schedule.next(100_000)).toEqual({ kind: 'status' });
  });

  it('requests no config for ten minutes after a rejection, and drops proxies that disappeared', () => {
    const schedule = new IstiodSchedule(10_000);
    schedule.follow(['a', 'b'], none);
    schedule.statusRequested({ at: 0, tookMs: 0, spread: 1 });
    schedule.rejectConfigs(0);
    expect(schedule.next(9_000)).toBeUndefined();
    schedule.statusRequested({ at: 595_000, tookMs: 0, spread: 1 });
    schedule.follow(['b'], none);
    expect(schedule.next(600_000)).toEqual({ kind: 'config', clientId: 'b' });
  });
});
