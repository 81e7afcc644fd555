import { describe, expect, it } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import { FirstReport } from '@/lib/observation/reconcile';
import { numbered, sampleReport, sampleResource } from '../../support/builders/observation-samples';

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

describe('FirstReport', () => {
  it('turns the first complete report after a restart into a difference to the log', () => {
    const first = sampleReport({
      changed: [
        sampleResource({ name: 'same', changedAt: 9_000 }),
        sampleResource({ name: 'moved', hash: 'bb', changedAt: 9_000 }),
        sampleResource({ name: 'new', changedAt: 9_000 }),
      ],
    });
    const { changed, removed } = new FirstReport(knownReport()).reconcile(first);
    expect(changed.map((row) => row.name)).toEqual(['moved', 'new']);
    expect(removed.map((row) => row.name)).toEqual(['gone']);
  });

  it('treats every row as new if the log has no report, or one of the other side', () => {
    const first = sampleReport({ changed: [sampleResource({ name: 'same' })] });
    expect(new FirstReport(undefined).reconcile(first)).toBe(first);
    const control = { ...first, side: 'control-plane' as const };
    expect(new FirstReport(knownReport()).reconcile(control)).toBe(control);
  });

  it('detects a change of the error detail alone', () => {
    const errorState = { details: 'x', versionInfo: '2', lastUpdateAttempt: null, failedHash: null };
    const first = sampleReport({ changed: [sampleResource({ name: 'same', errorState })] });
    expect(new FirstReport(knownReport()).reconcile(first).changed.map((row) => row.name)).toEqual(['same']);
  });

  it('handles a report in parts, and removes missing rows with the last one', () => {
    const word = new FirstReport(knownReport());
    const parts = ['same', 'moved'].map((name, index) =>
      sampleReport({
        changed: [sampleResource({ name, hash: name === 'moved' ? 'bb' : sampleResource({}).hash })],
        part: { number: index + 1, of: 2 },
      }),
    );
    const reported = parts.map((part) => word.reconcile(part));
    expect(reported.map(({ changed }) => changed.map(({ name }) => name))).toEqual([[], ['moved']]);
    expect(reported.map(({ removed }) => removed.map(({ name }) => name))).toEqual([[], ['gone']]);
  });
});
