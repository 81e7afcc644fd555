import { describe, expect, it } from 'vitest';
import type { ConvergenceFact } from '@/lib/convergence/convergence-fact';
import { findTarget } from '@/lib/convergence/convergence-question';
import { FactIndex } from '@/lib/convergence/fact-index';
import { findPushChanges } from '@/lib/convergence/find-push-changes';
import { factOfRow } from '@/lib/convergence/read-facts';
import type { Observation } from '@/lib/observation/observation';
import { CDS } from '@/lib/xds/resource-type';
import { numbered, sampleResource } from '../../support/builders/observation-samples';
import { acked, nacked, opened, sent } from '../../support/push-story';

function changesOf(version: string, observations: readonly Observation[], extra?: ConvergenceFact) {
  const index = new FactIndex({ typeUrl: CDS.typeUrl, name: null });
  for (const observation of numbered(observations)) index.addObservation(observation);
  if (extra !== undefined) index.add(extra);
  const found = findTarget(index, { kind: 'version', typeUrl: CDS.typeUrl, version });
  if (found === undefined) throw new Error(`no fact is about version ${version}`);
  return findPushChanges(index, found);
}

const push = (at: number, version: string, hash?: string, clientId = 'a') => [
  sent({ clientId, at, version, ...(hash !== undefined && { hash }) }),
  acked({ clientId, at: at + 1, version, ...(hash !== undefined && { hash }) }),
];
const [v1, v2] = [push(10, 'v1', 'aa'), push(20, 'v2', 'bb')];

describe('what a push changes', () => {
  it('is each resource with what the same client had before', () => {
    expect(changesOf('v2', [opened('a', 1), ...v1, ...v2])).toEqual({
      kind: 'changed',
      revertsTo: undefined,
      changes: [{ name: 'cart', hash: 'bb', before: { hash: 'aa', version: 'v1' } }],
      removed: [],
    });
  });

  it('is not known of the first push that was recorded', () => {
    expect(changesOf('v1', v1)).toMatchObject({ kind: 'changed', changes: [{ before: undefined }] });
  });

  it('is not known if the client reports the row of the push before the response', () => {
    const row = sampleResource({ name: 'cart', versionInfo: 'v1', hash: 'aa', changedAt: 10 });
    const held = factOfRow({ clientId: 'a', sourceId: 'tap:1', vantage: 'tap' }, row);
    expect(changesOf('v1', v1, held)).toMatchObject({ kind: 'changed', changes: [{ before: undefined }] });
  });

  it('is nothing if each client had the same content: the push is redundant', () => {
    expect(changesOf('v3', [...v1, ...push(30, 'v3')])).toMatchObject({ kind: 'redundant', changes: [] });
    expect(changesOf('v3', [...v1, ...push(30, 'v3', 'aa')]).kind).toBe('redundant');
  });

  it('is a revert if everything is as it was under an earlier version', () => {
    const reverted = [...v1, ...v2, ...push(30, 'v3', 'aa')];
    expect(changesOf('v3', reverted)).toMatchObject({
      kind: 'revert',
      revertsTo: 'v1',
      changes: [{ hash: 'aa', before: { hash: 'bb', version: 'v2' } }],
    });
  });

  it('does not count a rejected content as what a client had', () => {
    const rejected = [
      ...v1,
      sent({ clientId: 'a', at: 20, version: 'v2', hash: 'bb' }),
      nacked({ clientId: 'a', at: 21, version: 'v2', hash: 'bb' }, 'bad'),
      ...push(30, 'v3', 'cc'),
    ];
    expect(changesOf('v3', rejected).changes).toMatchObject([{ before: { hash: 'aa', version: 'v1' } }]);
  });

  it('is not redundant if one of several clients had another content', () => {
    const restored = [
      ...push(10, 'v1', 'aa'),
      ...push(11, 'v1', 'aa', 'b'),
      sent({ clientId: 'a', at: 20, version: 'v2', hash: 'bb' }),
      nacked({ clientId: 'a', at: 21, version: 'v2', hash: 'bb' }, 'bad'),
      ...push(22, 'v2', 'bb', 'b'),
      ...push(30, 'v3', 'aa'),
      ...push(31, 'v3', 'aa', 'b'),
    ];
    expect(changesOf('v3', restored)).toMatchObject({ kind: 'revert', revertsTo: 'v1' });
  });

  it('compares within one client: another one may have another content', () => {
    const apart = [...push(10, 'v1', 'aa'), ...push(11, 'v1', 'zz', 'b'), ...push(20, 'v2', 'bb', 'b')];
    expect(changesOf('v2', apart).changes).toMatchObject([{ hash: 'bb', before: { hash: 'zz' } }]);
  });

  it('lists a resource that the push deleted, and is not redundant then', () => {
    const deletes = acked({ clientId: 'a', at: 31, version: 'v3' });
    const deleted: Observation[] = [
      ...v1,
      sent({ clientId: 'a', at: 30, version: 'v3' }),
      { ...deletes, ...{ removed: [{ typeUrl: CDS.typeUrl, name: 'cart' }] } },
    ];
    expect(changesOf('v3', deleted)).toMatchObject({ kind: 'changed', removed: ['cart'] });
  });
});
