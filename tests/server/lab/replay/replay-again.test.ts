import { expect, it, onTestFinished } from 'vitest';
import type { ReplayPlan, ReplayResource } from '@/lib/replay/replay-plan';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import { ReplayServer } from '@/server/lab/replay/replay-server';
import { bodyOf } from '@/tests/support/builders/recorder-emissions';
import { LabGrpcClient } from '@/tests/support/lab-ads-client';
import { ManualClock } from '@/tests/support/recorder-manual-clock';
import { waitUntil } from '@/tests/support/wait-until';

const nameField = new Map([
  [EDS.typeUrl, 'clusterName'],
  [CDS.typeUrl, 'name'],
  [LDS.typeUrl, 'name'],
]);

/** Each step is of one type: its names and the version. */
async function serve(
  steps: readonly { readonly typeUrl: string; readonly names: readonly string[]; readonly version: string }[],
  beforeBodies: () => Promise<void> = async () => {},
) {
  const clock = new ManualClock();
  const made = (typeUrl: string, name: string) =>
    bodyOf(encodeBody(typeUrl, { [nameField.get(typeUrl) ?? '']: name }), typeUrl);
  const all = steps.flatMap(({ typeUrl, names }) => names.map((name) => made(typeUrl, name)));
  const bodies = new Map(all.map((body) => [body.hash, body]));
  const plan: ReplayPlan = {
    ...{ mode: 'stream', nodeId: 'n', notes: [] },
    steps: steps.map(({ typeUrl, names, version: versionInfo }, at) => {
      const set = names.map((name): ReplayResource => {
        return { typeUrl, name, hash: made(typeUrl, name).hash, versionInfo };
      });
      const recorded = { isAccepted: true, errorDetail: '' };
      return { at, recorded, types: [{ typeUrl, versionInfo, removed: [], set }] };
    }),
  };
  const replay = new ReplayServer({
    ...{ id: 'r', label: 'again', plan, clock, onChange: () => {} },
    readBodies: async () => {
      await beforeBodies();
      return bodies;
    },
  });
  onTestFinished(() => replay.close());
  const address = await replay.listen(0);
  const connect = () => {
    const client = new LabGrpcClient(address);
    onTestFinished(() => client.close());
    return client;
  };
  return { clock, replay, connect };
}

it('serves a step once, whatever clients answer while its bodies are read', async () => {
  let release = (): void => {};
  const names = ['cart'];
  const steps = ['1', '2', '3'].map((version) => ({ typeUrl: EDS.typeUrl, names, version }));
  let reads = 0;
  const { clock, replay, connect } = await serve(steps, () => {
    reads += 1;
    return new Promise<void>((resolve) => {
      release = resolve;
    });
  });
  const stream = connect().sotw();
  replay.play(null);
  stream.send({ node: { id: 'n' }, typeUrl: EDS.typeUrl, resourceNames: names });
  const versions: (string | undefined)[] = [];
  for (const step of [1, 2, 3]) {
    await waitUntil('it reads the bodies', () => {
      clock.advance(0);
      return reads === step;
    });
    // A client subscribes to more just then.
    const other = connect().sotw();
    other.send({ node: { id: `other-${step}` }, typeUrl: LDS.typeUrl, resourceNames: [`l${step}`] });
    await waitUntil('it is heard', () => replay.show().clients.includes(`other-${step}`));
    clock.advance(0);
    release();
    const { versionInfo = '', nonce: responseNonce } = await stream.next();
    versions.push(versionInfo);
    stream.send({ typeUrl: EDS.typeUrl, resourceNames: names, versionInfo, responseNonce });
    await waitUntil('the answer is heard', () => replay.show().same === step);
  }
  clock.advance(60_000);
  expect(versions).toEqual(['1', '2', '3']);
  expect(replay.show()).toMatchObject({ step: 2, same: 3 });
  expect(reads).toBe(3);
});

const growing = [
  { typeUrl: LDS.typeUrl, names: ['l'], version: '1' },
  { typeUrl: CDS.typeUrl, names: ['a'], version: '1' },
  { typeUrl: CDS.typeUrl, names: ['a', 'b'], version: '2' },
];
const asksForBoth = { node: { id: 'n' }, typeUrl: CDS.typeUrl, resourceNames: ['a', 'b'] };

it('serves nothing of later steps when it is played again for new clients', async () => {
  const { replay, connect } = await serve(growing);
  for (const step of [0, 1, 2, 0, 1]) await replay.jump(step);
  const stream = connect().sotw();
  stream.send(asksForBoth);
  const { versionInfo, resources = [] } = await stream.next();
  expect({ versionInfo, count: resources.length }).toEqual({ versionInfo: '1', count: 1 });
  expect(replay.show().notes).toEqual([]);
});

it('deletes nothing of a connected client when it is played again, and adds a note', async () => {
  const { replay, connect } = await serve(growing);
  const stream = connect().sotw();
  stream.send(asksForBoth);
  await waitUntil('the client is known', () => replay.show().clients.length > 0);
  const counts: number[] = [];
  for (const step of [0, 1, 2, 0, 1]) {
    await replay.jump(step);
    if (step === 0) continue;
    const { versionInfo = '', nonce: responseNonce, resources = [] } = await stream.next();
    counts.push(resources.length);
    stream.send({ ...asksForBoth, versionInfo, responseNonce });
    await waitUntil('the answer is heard', () => replay.show().steps[step]?.comparison === 'same');
  }
  expect(counts).toEqual([1, 2, 2]);
  expect(replay.show().notes.join()).toContain('was moved back while a client was connected');
  stream.end();
  await waitUntil('it is gone', () => replay.show().clients.length === 0);
  expect(replay.show().notes).toEqual([]);
  const later = connect().sotw();
  later.send(asksForBoth);
  expect((await later.next()).resources).toHaveLength(1);
});

it('waits at a step for names that no client has requested, for a limited time', async () => {
  const { clock, replay, connect } = await serve([
    { typeUrl: EDS.typeUrl, names: ['a', 'b', 'nobody'], version: '1' },
    { typeUrl: EDS.typeUrl, names: ['a', 'b', 'nobody'], version: '2' },
    { typeUrl: EDS.typeUrl, names: ['a', 'b'], version: '3' },
  ]);
  const stream = connect().sotw();
  stream.send({ node: { id: 'n' }, typeUrl: EDS.typeUrl, resourceNames: ['a'] });
  await waitUntil('the client is known', () => replay.show().clients.length > 0);
  const accept = async (version: string): Promise<void> => {
    const { versionInfo = '', nonce: responseNonce } = await stream.next();
    expect(versionInfo).toBe(version);
    stream.send({ typeUrl: EDS.typeUrl, resourceNames: ['a', 'b'], versionInfo, responseNonce });
  };
  await replay.jump(0);
  replay.play(null);
  await accept('1');
  await waitUntil('the answer is heard', () => replay.show().same === 1);
  clock.advance(900);
  expect(replay.show().step).toBe(0);
  await accept('1');
  clock.advance(100);
  await accept('2');
  // A name that no client requests is waited for once.
  await waitUntil('the next step', () => {
    clock.advance(0);
    return replay.show().step === 2;
  });
  await accept('3');
});

it('sends a version again when it is played again, in delta too', async () => {
  const { replay, connect } = await serve([
    { typeUrl: EDS.typeUrl, names: ['cart'], version: '1' },
    { typeUrl: EDS.typeUrl, names: ['cart'], version: '1' },
  ]);
  const stream = connect().delta();
  stream.send({ node: { id: 'n' }, typeUrl: EDS.typeUrl, resourceNamesSubscribe: ['cart'] });
  await waitUntil('the client is known', () => replay.show().clients.length > 0);
  for (const step of [0, 1, 0]) {
    await replay.jump(step);
    const { nonce: responseNonce, resources = [] } = await stream.next();
    expect(resources.map(({ version }) => version)).toEqual(['1']);
    stream.send({ typeUrl: EDS.typeUrl, responseNonce });
    await waitUntil('the answer is heard', () => replay.show().same === step + 1);
  }
});
