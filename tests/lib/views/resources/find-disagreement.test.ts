import { expect, test } from 'vitest';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { findDisagreement } from '@/lib/views/resources/find-disagreement';
import { resourceRow } from '../../../support/builders/resource-row';

const sent = (versionInfo: string, hash: string | null): ResourceRow['controlPlane'] => ({
  sourceId: 'csds:127.0.0.1:15010',
  versionInfo,
  hash,
  changedAt: Date.parse('2026-11-20T10:00:00Z'),
});

test.each([
  ['nobody but the client spoke', resourceRow(), undefined],
  [
    'nobody but the control plane spoke',
    resourceRow({ side: 'control-plane', controlPlane: sent('v2', 'b') }),
    undefined,
  ],
  ['version and body agree', resourceRow({ hash: 'a', controlPlane: sent('v1', 'a') }), undefined],
  [
    'the version agrees and a body is not reported',
    resourceRow({ controlPlane: sent('v1', null) }),
    undefined,
  ],
  [
    'the version agrees, the body does not',
    resourceRow({ hash: 'a', controlPlane: sent('v1', 'b') }),
    { kind: 'body', text: 'both report version "v1", with different bytes' },
  ],
  [
    'the client kept the version of an unchanged resource',
    resourceRow({ hash: 'a', controlPlane: sent('v2', 'a') }),
    {
      kind: 'version-only',
      text: 'in sync: the content is unchanged since version "v1" at the client, and was sent again as version "v2"',
    },
  ],
  [
    'the client runs an older one',
    resourceRow({ hash: 'a', controlPlane: sent('v2', 'b') }),
    { kind: 'version', text: 'client runs "v1", control plane sent "v2"' },
  ],
  [
    'the client rejected what was sent, and has nothing older',
    resourceRow({
      versionInfo: '',
      hash: null,
      clientStatus: 'NACKED',
      errorState: { details: 'bad', versionInfo: 'v2', lastUpdateAttempt: null, failedHash: null },
      controlPlane: sent('v2', 'b'),
    }),
    undefined,
  ],
  [
    'the control plane reports no version',
    resourceRow({ hash: 'a', controlPlane: sent('', 'b') }),
    undefined,
  ],
  [
    'the client has none yet',
    resourceRow({ versionInfo: '', hash: null, controlPlane: sent('v2', 'b') }),
    { kind: 'version', text: 'client runs no version, control plane sent "v2"' },
  ],
])('findDisagreement: %s', (_, row, expected) => {
  expect(findDisagreement(row)).toEqual(expected);
});
