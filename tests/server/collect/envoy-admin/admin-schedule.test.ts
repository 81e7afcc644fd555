import { describe, expect, it } from 'vitest';
import { AdminSchedule } from '@/server/collect/envoy-admin/admin-schedule';

const all = ['server_info', 'stats', 'config_dump', 'clusters', 'listeners', 'certs', 'init_dump'] as const;
const withConfig = ['config_dump', 'clusters', 'listeners', 'init_dump'];

function requestAll(schedule: AdminSchedule, at: number, tookMs = 1): void {
  for (const document of all) schedule.requested(document, { at, tookMs, spread: 1 });
}

describe('AdminSchedule', () => {
  it('requests every document first, then each at its own interval', () => {
    const schedule = new AdminSchedule();
    expect(schedule.dueNow(0)).toEqual(all);
    requestAll(schedule, 0);
    expect(schedule.dueNow(999)).toEqual([]);
    expect(schedule.waitMs(0)).toBe(1_000);
    expect(schedule.dueNow(4_999)).toEqual(['clusters']);
    expect(schedule.dueNow(14_999)).toEqual(['stats', 'clusters']);
    expect(schedule.dueNow(15_000)).toEqual(['stats', ...withConfig]);
    expect(schedule.dueNow(60_000)).toEqual(all);
  });

  it('scales all intervals with the configured one', () => {
    const schedule = new AdminSchedule(60_000);
    requestAll(schedule, 0);
    expect(schedule.dueNow(3_999)).toEqual([]);
    expect(schedule.dueNow(59_999)).toEqual(['stats', 'clusters']);
    expect(schedule.dueNow(239_999)).toEqual(['stats', ...withConfig]);
    expect(schedule.dueNow(240_000)).toEqual(all);
  });

  it('hastens a request, but not before the pause after the previous answer has passed', () => {
    const schedule = new AdminSchedule();
    requestAll(schedule, 0, 100);
    schedule.hasten('config_dump', 500);
    expect(schedule.dueNow(999)).toEqual([]);
    expect(schedule.dueNow(1_000)).toContain('config_dump');
    requestAll(schedule, 1_000);
    schedule.hasten('config_dump', 3_000);
    expect(schedule.dueNow(3_000)).toContain('config_dump');
    expect(schedule.dueNow(2_999)).not.toContain('config_dump');
  });

  it('requests hosts at most once a second, and with every dump', () => {
    const schedule = new AdminSchedule(5_000);
    requestAll(schedule, 0);
    expect(schedule.dueNow(999)).toEqual([]);
    expect(schedule.dueNow(1_000)).toEqual(['clusters']);
    schedule.notBefore('clusters', 9_000);
    expect(schedule.dueNow(4_999)).toEqual(['stats']);
    expect(schedule.dueNow(5_000)).toEqual(['stats', ...withConfig]);
  });

  it('requests hosts together with the dump, after the longer pause of both', () => {
    const schedule = new AdminSchedule();
    requestAll(schedule, 0);
    schedule.requested('clusters', { at: 2_000, tookMs: 5_000, spread: 1 });
    expect(schedule.dueNow(3_000)).toEqual(['clusters']);
    schedule.requested('config_dump', { at: 15_000, tookMs: 1, spread: 0.9 });
    schedule.requested('clusters', { at: 15_001, tookMs: 4_000, spread: 1.1 });
    expect(schedule.dueNow(55_000)).toEqual(['stats', 'listeners', 'init_dump']);
    expect(schedule.dueNow(55_001)).toEqual(expect.arrayContaining(['config_dump', 'clusters']));
  });

  it('pauses longer after an answer that took long', () => {
    const schedule = new AdminSchedule();
    schedule.requested('config_dump', { at: 0, tookMs: 5_000, spread: 1 });
    expect(schedule.dueNow(49_999)).not.toContain('config_dump');
    expect(schedule.dueNow(50_000)).toContain('config_dump');
  });
});
