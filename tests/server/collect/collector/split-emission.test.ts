import { describe, expect, test } from 'vitest';
import type { Observation } from '@/lib/observation/observation';
import { facetsOf } from '@/lib/observation/observation-facets';
import type { ResourceState } from '@/lib/observation/resource-state';
import { CDS } from '@/lib/xds/resource-type';
import { splitEmission } from '@/server/collect/collector/split-emission';
import { requested } from '@/server/collect/xds/client/resource-state';
import type { Body } from '@/server/observe';

const limits = { rows: 2, bodyBytes: 10 };
const base = { at: 1, vantage: 'probe', sourceId: 's', clientId: 'c', streamId: '1' } as const;
const rowOf = (name: string): ResourceState => requested({ typeUrl: CDS.typeUrl, name }, 1);
const bodyOf = (hash: string, size: number): Body => ({
  hash,
  typeUrl: CDS.typeUrl,
  bytes: new Uint8Array(size),
});

function ackOf(changed: readonly string[], removed: readonly string[]): Observation {
  return {
    ...base,
    kind: 'ack-sent',
    typeUrl: CDS.typeUrl,
    versionInfo: '7',
    nonce: 'n',
    changed: changed.map(rowOf),
    removed: removed.map((name) => ({ typeUrl: CDS.typeUrl, name })),
  };
}

const namesOf = (observation: Observation) =>
  'changed' in observation
    ? [observation.changed.map(({ name }) => name), observation.removed.map(({ name }) => name)]
    : [];

describe('splitEmission()', () => {
  test('a small emission is returned as it is', () => {
    const emission = { observation: ackOf(['a'], ['b']), bodies: [bodyOf('1', 10)] };
    expect(splitEmission(emission, limits)).toEqual([emission]);
  });

  test('rows are in numbered parts, each row once, with equal other fields', () => {
    const observation = ackOf(['a', 'b', 'c'], ['d']);
    const parts = splitEmission({ observation, bodies: [] }, limits).map((each) => each.observation);
    expect(parts.map(namesOf)).toEqual([
      [[], ['d']],
      [['a', 'b'], []],
      [['c'], []],
    ]);
    expect(parts.map(({ part }) => part)).toEqual([1, 2, 3].map((number) => ({ number, of: 3 })));
    for (const part of parts) expect(part).toMatchObject({ kind: 'ack-sent', versionInfo: '7', nonce: 'n' });
  });

  test('the bodies of a response are reported in parts of bounded size, the unchanged ones are counted once', () => {
    const resources = ['a', 'b', 'c'].map((name) => ({ name, hash: name, sizeBytes: 6 }));
    const observation: Observation = {
      ...base,
      kind: 'response-received',
      ...{ typeUrl: CDS.typeUrl, versionInfo: '7', nonce: 'n', sizeBytes: 100, controlPlane: '' },
      resources,
      unchangedResources: 40,
    };
    const bodies = resources.map(({ hash, sizeBytes }) => bodyOf(hash, sizeBytes));
    const parts = splitEmission({ observation, bodies }, limits);
    expect(parts.map((each) => each.bodies.map(({ hash }) => hash))).toEqual([['a'], ['b'], ['c']]);
    const reported = parts.map((each) => each.observation);
    expect(reported.flatMap((each) => (each.kind === 'response-received' ? each.resources : []))).toEqual(
      resources,
    );
    expect(reported.map((each) => each.kind === 'response-received' && each.unchangedResources)).toEqual([
      40, 0, 0,
    ]);
  });

  test('one body above the limit is a part of its own', () => {
    const observation = ackOf([], []);
    const parts = splitEmission(
      { observation, bodies: [bodyOf('a', 1), bodyOf('b', 99), bodyOf('c', 1)] },
      limits,
    );
    expect(parts.map(({ bodies }) => bodies.map(({ hash }) => hash))).toEqual([['a'], ['b'], ['c']]);
  });

  test('the names of an answer and the removed names of a response are reported once', () => {
    const resources = ['a', 'b', 'c'].map((name) => ({ name, hash: name, sizeBytes: 6 }));
    const ack = { ...ackOf(['a', 'b', 'c'], []), resourceNames: ['x'], unsubscribedNames: ['y'] };
    const response: Observation = {
      ...base,
      kind: 'response-received',
      ...{ typeUrl: CDS.typeUrl, versionInfo: '7', nonce: 'n', sizeBytes: 100, controlPlane: '' },
      resources,
      removedNames: ['z'],
    };
    for (const observation of [ack, response]) {
      const parts = splitEmission({ observation, bodies: [] }, limits).map((each) => each.observation);
      const named = parts.map((each) => facetsOf(each).names.filter((name) => /[xyz]/.test(name)));
      expect(named).toEqual([observation === ack ? ['x', 'y'] : ['z'], []]);
    }
  });

  test('the names of a request are reported once', () => {
    const observation: Observation = {
      ...base,
      kind: 'request-sent',
      ...{ typeUrl: CDS.typeUrl, resourceNames: ['a', 'b', 'c'], versionInfo: '', responseNonce: '' },
      changed: ['a', 'b', 'c'].map(rowOf),
      removed: [],
    };
    const reported = splitEmission({ observation, bodies: [] }, limits).map((each) => each.observation);
    expect(reported.map((each) => each.kind === 'request-sent' && each.resourceNames)).toEqual([
      ['a', 'b', 'c'],
      [],
    ]);
  });
});
