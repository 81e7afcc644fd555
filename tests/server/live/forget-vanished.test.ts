import { describe, expect, it } from 'vitest';
import { endedReportsKept } from '@/lib/observation/fold';
import type { Observation } from '@/lib/observation/observation';
import { forgetVanished } from '@/server/live/forget-vanished';
import { LiveState } from '@/server/live/live-state';
import { sampleReport, sampleResource } from '../../support/builders/observation-samples';
import { ManualClock } from '../../support/recorder-manual-clock';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const maxAgeMs = 7 * dayMs;

function start(sources: readonly string[] = [], oldestAt?: () => number | undefined) {
  const clock = new ManualClock();
  const log: Observation[] = [];
  const removed: string[] = [];
  const live = new LiveState(
    {
      clock,
      append: ({ observation }) => log.push(observation),
      publish: () => undefined,
      freshnessOf: () => ({ freshness: 'gone', reason: '', lastSeenAt: undefined }),
    },
    { world: new Map(), newestSeq: 0 },
  );
  live.onForgotten(({ clientId }) => removed.push(clientId));
  const known = new Set(sources);
  const stop = forgetVanished({
    clock,
    live,
    isSource: (id) => known.has(id),
    maxAgeMs,
    oldestAt,
    mayForget: () => true,
  });
  const emit = (clientId: string, sourceId: string, more: Partial<Observation> = {}): void => {
    const changed = [sampleResource({ name: clientId })];
    const observation = { ...sampleReport({ at: clock.now(), clientId, sourceId, changed }), ...more };
    live.observe({ observation: observation as Observation, bodies: [] });
  };
  const end = (clientId: string, sourceId: string): void =>
    emit(clientId, sourceId, { kind: 'client-gone', reason: 'not named any more' });
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= hourMs) {
      clock.advance(Math.min(left, hourMs));
      await new Promise(setImmediate);
    }
  };
  return { clock, live, log, removed, known, stop, emit, end, pass };
}

describe('forgetVanished()', () => {
  it('evicts clients that ended before the retention of the log, with an observation; returning clients stay', async () => {
    const { live, removed, emit, end, pass } = start(['csds:a:1']);
    for (const id of ['old', 'back', 'live']) emit(id, 'csds:a:1');
    for (const id of ['old', 'back']) end(id, 'csds:a:1');
    await pass(6 * dayMs);
    expect(live.world.size).toBe(3);
    emit('back', 'csds:a:1');
    await pass(2 * dayMs);
    expect([...live.world.keys()].sort()).toEqual(['back', 'live']);
    expect(removed).toEqual(['old']);
  });

  it('a limit of size that leaves the log less than its age allows forgets as early', async () => {
    let oldestAt: number | undefined;
    const { clock, live, removed, emit, end, pass } = start(['csds:a:1'], () => oldestAt);
    for (const id of ['old', 'kept', 'live']) emit(id, 'csds:a:1');
    end('old', 'csds:a:1');
    await pass(4 * hourMs);
    oldestAt = clock.now() - hourMs;
    end('kept', 'csds:a:1');
    await pass(hourMs);
    expect(removed).toEqual(['old']);
    expect([...live.world.keys()].sort()).toEqual(['kept', 'live']);
    oldestAt = clock.now();
    await pass(2 * hourMs);
    expect([...live.world.keys()]).toEqual(['live']);
  });

  it('keeps clients that a source of this run reports, however long nothing changed', async () => {
    const { live, emit, pass } = start(['csds:a:1']);
    emit('quiet', 'csds:a:1');
    await pass(30 * dayMs);
    expect(live.world.has('quiet')).toBe(true);
  });

  it('keeps clients of files: they go with their file', async () => {
    const { live, emit, pass } = start();
    emit('dumped', 'dump:a.json', { vantage: 'dump' });
    await pass(30 * dayMs);
    expect(live.world.has('dumped')).toBe(true);
  });

  it('ends the report of a source that no longer exists when the log no longer has it', async () => {
    const { live, log, removed, emit, known, pass } = start(['csds:new:1', 'csds:old:1']);
    emit('web', 'csds:old:1');
    known.delete('csds:old:1');
    await pass(dayMs);
    emit('web', 'csds:new:1');
    expect(live.world.get('web')?.reports.get('csds:old:1')?.goneAt).toBeNull();
    await pass(7 * dayMs);
    const report = live.world.get('web')?.reports.get('csds:old:1');
    expect(report?.goneReason).toContain('csds:old:1 is no source of xdscope since ');
    expect(log.filter(({ kind }) => kind === 'client-gone')).toHaveLength(1);
    expect(removed).toEqual([]);
  });

  it('limits the reports of a client that changes its address again and again', async () => {
    const { live, known, emit, pass } = start();
    for (let index = 0; index < 3 * endedReportsKept; index++) {
      known.add(`csds:10.0.0.${index}:1`);
      known.delete(`csds:10.0.0.${index - 1}:1`);
      emit('web', `csds:10.0.0.${index}:1`);
      await pass(hourMs);
    }
    const sources = [...(live.world.get('web')?.reports.keys() ?? [])];
    // The reports that ended since the last round are removed by the next one.
    expect(sources.length).toBeLessThanOrEqual(2 * endedReportsKept + 2);
    expect(sources.at(-1)).toBe(`csds:10.0.0.${3 * endedReportsKept - 1}:1`);
  });

  it('stops', async () => {
    const { clock, stop } = start();
    stop();
    expect(clock.waiting).toBe(0);
  });
});
