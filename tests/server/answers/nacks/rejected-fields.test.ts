import { afterAll, expect, it } from 'vitest';
import { NackIndex } from '@/lib/nacks/nack-index';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation } from '@/lib/observation/observation';
import { CDS } from '@/lib/xds/resource-type';
import { RejectedFields } from '@/server/answers/nacks/rejected-fields';
import { noSettings } from '@/server/answers/subjects/known-settings';
import { createCodec } from '@/server/codec/codec';
import { encodeBody } from '@/server/codec/encode-body';
import { sha256 } from '@/server/codec/sha256';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { sampleNode, sampleResource } from '../../../support/builders/observation-samples';

const codec = createCodec({ redactionKey: new Uint8Array(32) });
afterAll(() => codec.close());

it('a group has the field of the rejected payload that its text is about', async () => {
  const recorder = await openWholeRecorder();
  const bytes = encodeBody(CDS.typeUrl, { name: 'cart', outlierDetection: { interval: '-1s' } });
  const body = { typeUrl: CDS.typeUrl, hash: sha256(bytes), bytes };
  const details = 'Invalid duration: Expected positive duration: goo.gle/debugstr \nseconds: -1\n';
  const errorState = { details, versionInfo: '2', lastUpdateAttempt: 5_000, failedHash: body.hash };
  const changed = [sampleResource({ name: 'cart', clientStatus: 'NACKED', errorState })];
  const base = { at: 5_000, vantage: 'tap', sourceId: 'tap', clientId: 'c1', streamId: 's' } as const;
  const observations: Observation[] = [
    {
      ...base,
      kind: 'stream-opened',
      server: 'x:1',
      method: 'StreamAggregatedResources',
      node: sampleNode('web'),
      scope: '',
    },
    {
      ...{ ...base, kind: 'nack-sent', typeUrl: CDS.typeUrl, versionInfo: '1', rejectedVersion: '2' },
      ...{ nonce: 'n', errorDetail: details, changed, removed: [] },
    },
  ];
  const index = new NackIndex({ idOf: (key) => key });
  const world: World = new Map();
  for (const observation of observations) {
    const recorded = { ...observation, seq: recorder.append({ observation, bodies: [body] }) };
    foldObservation(world, recorded);
    index.fold(recorded);
  }
  await recorder.flushed();
  const fields = new RejectedFields({
    live: { world },
    recorder,
    codec,
    findSettings: () => noSettings,
  });
  const groups = [...index.groups.values()];
  expect([...(await fields.find(groups)).values()]).toEqual(['outlierDetection.interval']);
  await recorder.close();
});
