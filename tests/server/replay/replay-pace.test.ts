import { expect, it } from 'vitest';
import type { ReplayPlan } from '@/lib/replay/replay-plan';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import type { JsonObject } from '@/server/lab/shop/mesh-resource';
import { ReplayServer } from '@/server/replay/replay-server';
import { LabGrpcClient } from '@/tests/support/lab-ads-client';
import { ManualClock } from '@/tests/support/recorder-manual-clock';
import { bodyOf } from '@/tests/support/recorder-sightings';
import { waitUntil } from '@/tests/support/wait-until';

it('does not leave a step while a type of it is unanswered: clients ask for one after the other', async () => {
  const name = 'cart';
  const made = (typeUrl: string, json: JsonObject) => bodyOf(encodeBody(typeUrl, json), typeUrl);
  const cluster = made(CDS.typeUrl, { name });
  const first = made(EDS.typeUrl, { clusterName: name });
  const policy = { overprovisioningFactor: 200 };
  const second = made(EDS.typeUrl, { clusterName: name, policy });
  const bodies = new Map([cluster, first, second].map((body) => [body.hash, body]));
  const setOf = (typeUrl: string, versionInfo: string, hash: string) => {
    return { typeUrl, versionInfo, removed: [], set: [{ typeUrl, name, hash, versionInfo }] };
  };
  const recorded = { isAccepted: true, errorDetail: '' };
  const types = [setOf(CDS.typeUrl, '1', cluster.hash), setOf(EDS.typeUrl, '1', first.hash)];
  const plan: ReplayPlan = {
    mode: 'snapshot',
    nodeId: 'n',
    notes: [],
    steps: [
      { at: 0, recorded, types },
      { at: 0, recorded, types: [setOf(EDS.typeUrl, '2', second.hash)] },
    ],
  };
  const clock = new ManualClock();
  const replay = new ReplayServer({
    ...{ id: 'r', label: 'pace', plan, clock, onChange: () => {} },
    readBodies: async () => bodies,
  });
  const client = new LabGrpcClient(await replay.listen(0));
  try {
    const stream = client.delta();
    const versionsOf = async () => {
      const { typeUrl, nonce, resources = [] } = await stream.next();
      stream.send({ typeUrl, responseNonce: nonce });
      return resources.map(({ version }) => version);
    };
    stream.send({ node: { id: 'n' }, typeUrl: CDS.typeUrl, resourceNamesSubscribe: [name] });
    await waitUntil('the client is known', () => replay.show().clients.length > 0);
    replay.play(null);
    clock.advance(0);
    expect(await versionsOf()).toEqual(['1']);
    // The clusters are answered: as fast as can be, and still not before the endpoints of this step.
    await waitUntil('the answer is heard', () => replay.show().steps[0]?.comparison === 'same');
    clock.advance(1);
    expect(replay.show().step).toBe(0);
    stream.send({ typeUrl: EDS.typeUrl, resourceNamesSubscribe: [name] });
    expect(await versionsOf()).toEqual(['1']);
    const next = versionsOf();
    await waitUntil('the next step', () => {
      clock.advance(0);
      return replay.show().step === 1;
    });
    expect(await next).toEqual(['2']);
  } finally {
    client.close();
    await replay.close();
  }
});
