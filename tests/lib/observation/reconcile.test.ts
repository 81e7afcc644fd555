import { describe, expect, it } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import { reconcileFirstReport } from '@/lib/observation/reconcile';
import { numbered, sampleReport, sampleResource } from '../../support/observation-samples';

function knownReport() {
  const world: World = new Map();
  const before = sampleReport({
    changed: [
      sampleResource({ name: 'same' }),
      sampleResource({ name: 'moved' }),
      sampleResource({ name: 'gone' }),
    ],
  });
  for (const observation of numbered([before])) foldObservation(world, observation);
  return world.get('c1')?.reports.get('csds:a:1');
}

describe('reconcileFirstReport()', () => {
  it('makes the first complete word after a restart a difference to what the log holds', () => {
    const first = sampleReport({
      changed: [
        sampleResource({ name: 'same', changedAt: 9_000 }),
        sampleResource({ name: 'moved', hash: 'bb', changedAt: 9_000 }),
        sampleResource({ name: 'new', changedAt: 9_000 }),
      ],
    });
    const { changed, removed } = reconcileFirstReport(first, knownReport());
    expect(changed.map((row) => row.name)).toEqual(['moved', 'new']);
    expect(removed.map((row) => row.name)).toEqual(['gone']);
  });

  it('takes everything as new when the log holds nothing, or the other side', () => {
    const first = sampleReport({ changed: [sampleResource({ name: 'same' })] });
    expect(reconcileFirstReport(first, undefined)).toBe(first);
    const control = { ...first, side: 'control-plane' as const };
    expect(reconcileFirstReport(control, knownReport())).toBe(control);
  });

  it('sees a change of error detail alone', () => {
    const errorState = { details: 'x', versionInfo: '2', lastUpdateAttempt: null, failedHash: null };
    const first = sampleReport({ changed: [sampleResource({ name: 'same', errorState })] });
    expect(reconcileFirstReport(first, knownReport()).changed.map((row) => row.name)).toEqual(['same']);
  });
});
