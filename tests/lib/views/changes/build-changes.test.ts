import { describe, expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { buildChanges, isVersionOnly } from '@/lib/views/changes/build-changes';
import { EDS, LDS } from '@/lib/xds/resource-type';
import { resourceRow } from '../../../support/builders/resource-row';

const changesOf = (...both: Parameters<typeof buildChanges>) => runSteps(buildChanges(...both));

describe('buildChanges()', () => {
  it('compares both lists in the fixed order of types', () => {
    const listener = resourceRow({ typeUrl: LDS.typeUrl, name: 'z' });
    const cluster = resourceRow({ name: 'a' });
    const endpoints = resourceRow({ typeUrl: EDS.typeUrl, name: 'a' });
    const { changes, unchanged } = changesOf([listener, cluster], [cluster, endpoints]);
    expect(changes.map(({ kind, before, after }) => [kind, before?.name, after?.name])).toEqual([
      ['removed', 'z', undefined],
      ['added', undefined, 'a'],
    ]);
    expect(unchanged).toBe(1);
  });

  it('lists the facts that differ', () => {
    const before = resourceRow();
    const error = { details: 'bad', versionInfo: 'v2', lastUpdateAttempt: null, failedHash: null };
    const differsOf = (overrides: Parameters<typeof resourceRow>[0]) =>
      changesOf([before], [resourceRow(overrides)]).changes.map(({ differs }) => differs);
    expect(differsOf({ versionInfo: 'v2' })).toEqual([['version']]);
    expect(differsOf({ versionInfo: 'v2', hash: 'b'.repeat(64) })).toEqual([['content', 'version']]);
    expect(differsOf({ clientStatus: 'NACKED', errorState: error })).toEqual([['status', 'error']]);
    expect(differsOf({ lastUpdated: null, changedAt: Date.parse('2026-11-21T10:00:00Z') })).toEqual([]);
  });

  it('distinguishes new versions of equal bodies from other contents', () => {
    const versions = changesOf([resourceRow()], [resourceRow({ versionInfo: 'v2' })]).changes;
    expect(versions.map(isVersionOnly)).toEqual([true]);
    const contents = changesOf([resourceRow()], [resourceRow({ versionInfo: 'v2', hash: null })]).changes;
    expect(contents.map(isVersionOnly)).toEqual([false]);
  });
});
