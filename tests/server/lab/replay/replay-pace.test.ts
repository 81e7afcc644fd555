import { expect, it } from 'vitest';
import type { ReplayPlan } from '@/lib/replay/replay-plan';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import { ReplayServer } from '@/server/lab/replay/replay-server';
import type { JsonObject } from '@/server/lab/shop/mesh-resource';
import { bodyOf } from '@/tests/support/builders/recorder-emissions';
import { LabGrpcClient } from '@/tests/support/lab-ads-client';
import { ManualClock } from '@/tests/support/recorder-manual-clock';
import { waitUntil } from '@/tests/support/wait-until';

it('waits at a step until each of its types is answered', async () => {
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
    // The clusters are answered at once, and the step still waits for its endpoints.
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

it('serves each step at the recorded distance, divided by the speed', async () => {
  const bodies = [1, 2].map((maxRequests) =>
    bodyOf(
      encodeBody(CDS.typeUrl, { name: 'cart', circuitBreakers: { thresholds: [{ maxRequests }] } }),
      CDS.typeUrl,
    ),
  );
  const plan: ReplayPlan = {
    mode: 'stream',
    nodeId: 'n',
    notes: [],
    steps: bodies.map(({ hash }, index) => {
      const versionInfo = String(index);
      const set = [{ typeUrl: CDS.typeUrl, name: 'cart', hash, versionInfo }];
      return {
        at: index * 4_000,
        recorded: { isAccepted: true, errorDetail: '' },
        types: [{ typeUrl: CDS.typeUrl, versionInfo, removed: [], set }],
      };
    }),
  };
  const clock = new ManualClock();
  const replay = new ReplayServer({
    ...{ id: 'r', label: 'pace', plan, clock, onChange: () => {} },
    readBodies: async () => new Map(bodies.map((body) => [body.hash, body])),
  });
  const client = new LabGrpcClient(await replay.listen(0));
  try {
    const stream = client.delta();
    stream.send({ node: { id: 'n' }, typeUrl: CDS.typeUrl, resourceNamesSubscribe: ['cart'] });
    await waitUntil('the client is known', () => replay.show().clients.length > 0);
    replay.play(4);
    clock.advance(0);
    const { typeUrl, nonce } = await stream.next();
    stream.send({ typeUrl, responseNonce: nonce });
    await waitUntil('it is answered', () => replay.show().steps[0]?.comparison === 'same');
    clock.advance(999);
    expect(clock.waiting).toBe(1);
    expect(replay.show().step).toBe(0);
    clock.advance(1);
    expect(clock.waiting).toBe(0);
    await waitUntil('the next step', () => replay.show().step === 1);
  } finally {
    client.close();
    await replay.close();
  }
});

it('going back forgets the answers to later steps, and disconnected clients are reported', async () => {
  const name = 'cart';
  const made = (factor: number) =>
    bodyOf(
      encodeBody(EDS.typeUrl, { clusterName: name, policy: { overprovisioningFactor: factor } }),
      EDS.typeUrl,
    );
  const served = [made(100), made(200), made(300)];
  const recorded = { isAccepted: true, errorDetail: '' };
  const plan: ReplayPlan = {
    ...{ mode: 'stream', nodeId: 'n', notes: [] },
    steps: served.map(({ hash }, index) => {
      const versionInfo = String(index + 1);
      const set = [{ typeUrl: EDS.typeUrl, name, hash, versionInfo }];
      return { at: index, recorded, types: [{ typeUrl: EDS.typeUrl, versionInfo, removed: [], set }] };
    }),
  };
  let reported: readonly string[] = [];
  const onChange = (): void => {
    reported = replay.show().clients;
  };
  const replay: ReplayServer = new ReplayServer({
    ...{ id: 'r', label: 'back', plan, clock: new ManualClock(), onChange },
    readBodies: async () => new Map(served.map((body) => [body.hash, body])),
  });
  const client = new LabGrpcClient(await replay.listen(0));
  const comparisons = () => replay.show().steps.map(({ comparison }) => comparison);
  try {
    const stream = client.sotw();
    stream.send({ node: { id: 'n' }, typeUrl: EDS.typeUrl, resourceNames: [name] });
    await waitUntil('the client is known', () => replay.show().clients.length > 0);
    const serve = async (step: number) => {
      await replay.jump(step);
      const { versionInfo = '', nonce: responseNonce } = await stream.next();
      expect(versionInfo).toBe(String(step + 1));
      stream.send({ typeUrl: EDS.typeUrl, resourceNames: [name], versionInfo, responseNonce });
      await waitUntil('the answer is heard', () => comparisons()[step] === 'same');
    };
    for (const step of [0, 1, 2]) await serve(step);
    expect(replay.show()).toMatchObject({ step: 2, same: 3 });
    await serve(0);
    expect(comparisons()).toEqual(['same', 'waiting', 'waiting']);
    expect(replay.show()).toMatchObject({ step: 0, same: 1, differs: 0 });
    // Two simultaneous requests, as by two clicks, are two steps; there are none beyond the ends.
    await Promise.all([replay.walk(1), replay.walk(1)]);
    expect(replay.show()).toMatchObject({ step: 2 });
    await replay.walk(5);
    expect(replay.show()).toMatchObject({ step: 2 });
    await replay.walk(-5);
    expect(replay.show()).toMatchObject({ step: 0 });
    expect(reported).toEqual(['n']);
    stream.end();
    await waitUntil('it is reported that the client is gone', () => reported.length === 0);
  } finally {
    client.close();
    await replay.close();
  }
});
