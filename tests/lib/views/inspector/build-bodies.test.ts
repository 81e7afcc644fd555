import { expect, test } from 'vitest';
import type { Vantage } from '@/lib/observation/observation';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { buildBodies } from '@/lib/views/inspector/build-bodies';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { resourceRow } from '../../../support/builders/resource-row';

const good = 'a'.repeat(64);
const bad = 'b'.repeat(64);

const nacked = (overrides: Partial<ResourceRow> & { failedHash?: string | null }) =>
  resourceRow({
    clientStatus: 'NACKED',
    hash: good,
    errorState: {
      details: 'bad',
      versionInfo: 'v2',
      lastUpdateAttempt: null,
      failedHash: overrides.failedHash ?? null,
    },
    ...overrides,
  });
const sent = (hash: string | null, versionInfo = 'v2'): ResourceRow['controlPlane'] => ({
  sourceId: 'csds:cp:15010',
  versionInfo,
  hash,
  changedAt: Date.parse('2026-11-20T10:00:00Z'),
});
const roles = (row: ResourceRow, vantage: Vantage = 'csds') =>
  buildBodies(row, vantage).choices.map(({ hash, role, label }) => [
    hash === good ? 'good' : 'bad',
    role,
    label,
  ]);

test('buildBodies: an ACKED resource has the accepted payload, without a warning', () => {
  expect(buildBodies(resourceRow({ hash: good }), 'csds')).toEqual({
    choices: [
      {
        hash: good,
        role: 'client',
        label: 'Client',
        sentence: 'The accepted payload (version v1).',
        isWarning: false,
      },
    ],
    absence: '',
  });
});

test('buildBodies: endpoints in a config dump are stated to be those that Envoy writes', () => {
  const effect = {
    stage: 'active',
    versionInfo: '',
    hash: good,
    since: null,
    sourceId: 'envoy-admin:a',
  } as const;
  const ofType = (typeUrl: string) => {
    const row = resourceRow({
      typeUrl,
      state: 'ACTIVE',
      hash: good,
      effect: { ...effect, evidence: 'config_dump' },
    });
    return buildBodies(row, 'envoy-admin').choices[0]?.sentence;
  };
  expect(ofType(EDS.typeUrl)).toContain('weighted_priority_health is missing');
  expect(ofType(CDS.typeUrl)).not.toContain('weighted_priority_health');
});

test('buildBodies: xds_config of a NACKED resource is the last accepted payload', () => {
  expect(roles(nacked({}))).toEqual([['good', 'client', 'Last accepted']]);
});

test('buildBodies: a payload that was rejected first has no accepted payload beside it', () => {
  const row = nacked({ hash: null, failedHash: bad });
  expect(roles(row)).toEqual([['bad', 'rejected', 'Rejected']]);
  expect(buildBodies(row, 'tap').choices[0]?.sentence).toBe(
    'The rejected payload (version v2), as the tap received it. It is not in use.',
  );
});

test('buildBodies: an ACKed body that was rejected before may not be in effect', () => {
  const before = { stage: 'active', versionInfo: 'v1', lastUpdated: null, hash: good, sizeBytes: 1 } as const;
  const row = nacked({ clientStatus: 'ACKED', hash: bad, failedHash: bad, otherVersions: [before] });
  const [first, second] = buildBodies(row, 'tap').choices;
  expect(first).toMatchObject({ hash: bad, isWarning: true });
  expect(first?.sentence).toContain('Whether it is in effect is not known');
  expect(second).toMatchObject({ hash: good, label: 'Active' });
});

test('buildBodies: failed_configuration that equals the body from the control plane is the rejected payload', () => {
  expect(roles(nacked({ failedHash: bad, controlPlane: sent(bad) }))).toEqual([
    ['good', 'client', 'Last accepted'],
    ['bad', 'rejected', 'Rejected'],
  ]);
});

test('buildBodies: the probe stores the body that it rejected', () => {
  expect(roles(nacked({ failedHash: bad }), 'probe')).toEqual([
    ['good', 'client', 'Last accepted'],
    ['bad', 'rejected', 'Rejected'],
  ]);
});

test('buildBodies: failed_configuration that equals the accepted payload is shown once', () => {
  expect(roles(nacked({ failedHash: good }))).toEqual([['good', 'client', 'Last accepted']]);
});

test("buildBodies: the control plane's body is a separate choice if it differs", () => {
  expect(roles(resourceRow({ hash: good, controlPlane: sent(bad) }))).toEqual([
    ['good', 'client', 'Client'],
    ['bad', 'control-plane', 'Control plane'],
  ]);
  expect(roles(resourceRow({ hash: good, controlPlane: sent(good) }))).toEqual([
    ['good', 'client', 'Client'],
  ]);
});

test('buildBodies: a body that only the control plane reported is labelled as such', () => {
  const row = resourceRow({ side: 'control-plane', clientStatus: 'UNKNOWN', hash: bad });
  expect(roles(row)).toEqual([['bad', 'control-plane', 'Control plane']]);
  const asked = resourceRow({ clientStatus: 'REQUESTED', hash: null, controlPlane: sent(bad) });
  expect(roles(asked)).toEqual([['bad', 'control-plane', 'Control plane']]);
});

test('buildBodies: the body that the control plane sent with the rejected version is the rejected payload', () => {
  const row = nacked({ hash: null, controlPlane: sent(bad) });
  expect(roles(row)).toEqual([['bad', 'control-plane', 'Rejected']]);
  expect(buildBodies(row, 'csds').choices[0]?.sentence).toContain('the client reports the same version');
  const later = nacked({ hash: null, controlPlane: sent(bad, 'v3') });
  expect(roles(later)).toEqual([['bad', 'control-plane', 'Control plane']]);
});

test('buildBodies: a body besides DOES_NOT_EXIST is described as still held', () => {
  const { choices } = buildBodies(resourceRow({ clientStatus: 'DOES_NOT_EXIST' }), 'csds');
  expect(choices[0]?.sentence).toContain('still holds');
  expect(choices[0]?.isWarning).toBe(true);
});

test.each([
  ['REQUESTED', 'has accepted none'],
  ['DOES_NOT_EXIST', 'does not exist'],
  ['NACKED', 'reports no version that it accepted before'],
  ['TIMEOUT', 'did not receive the resource in time'],
  ['RECEIVED_ERROR', 'error'],
  ['UNKNOWN', 'No payload reported by the client.'],
] as const)('buildBodies: %s without a body states why', (clientStatus, words) => {
  const { choices, absence } = buildBodies(resourceRow({ clientStatus, hash: null }), 'csds');
  expect(choices).toEqual([]);
  expect(absence).toContain(words);
});
