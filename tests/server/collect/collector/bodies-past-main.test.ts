import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sha256 } from '@/server/codec/sha256';
import { Collector } from '@/server/collect/collector/collector';
import { ImportReader } from '@/server/files/import/import-reader';
import { RunningImports } from '@/server/files/import/running-imports';
import {
  type BodyChannel,
  isPosted,
  type OpenBodyChannel,
  type RoutedEmission,
  systemClock,
} from '@/server/observe';
import type { CollectorSetups } from '@/server/sources/collector-program';
import { HeldBodies, heldOperations } from '@/server/store/recorder/bodies/held-bodies';
import type { Recorder } from '@/server/store/recorder/recorder';
import { BodyChannels } from '@/server/store/recorder/thread/body-channels';
import { makeConfigDump } from '@/tests/support/builders/big-dump';
import { makeDay } from '@/tests/support/builders/make-day';
import { fileOf } from '@/tests/support/builders/xdscope-files';
import { startEnvoyAdmin } from '@/tests/support/envoy-admin';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { patienceMs } from '@/tests/support/patience';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';

const redactionKey = Buffer.from('tests');

async function openLog(): Promise<Recorder> {
  const recorder = await openWholeRecorder();
  onTestFinished(() => recorder.close());
  return recorder;
}

/** Appends to the log, and notes which bodies the main thread received. */
function observeInto(recorder: Recorder) {
  const hashes: string[] = [];
  const withBytes: string[] = [];
  const observe = (emission: RoutedEmission): void => {
    for (const body of emission.bodies) (isPosted(body) ? hashes : withBytes).push(body.hash);
    recorder.append(emission);
  };
  return { hashes, withBytes, observe };
}

async function expectStored(recorder: Recorder, hashes: readonly string[]): Promise<void> {
  await recorder.flushed();
  const stored = await recorder.readBodies(hashes);
  expect([...stored.keys()].sort()).toEqual([...new Set(hashes)].sort());
  for (const { hash, bytes } of stored.values()) expect(sha256(bytes)).toBe(hash);
  expect(await recorder.readGaps()).toEqual([]);
}

it('bodies of an Envoy reach the log thread, and the main thread has only their hashes', async () => {
  const recorder = await openLog();
  const envoy = await startEnvoyAdmin({
    ...{ nodeId: 'edge-1', version: '1.30.1', listeners: {}, hosts: {}, certificates: [] },
    clusters: { orders: { version: '1' }, users: { version: '1' } },
  });
  onTestFinished(() => envoy.close());
  let opened: Promise<BodyChannel> | undefined;
  const openBodyChannel: OpenBodyChannel = () => {
    opened = recorder.openBodyChannel();
    return opened;
  };
  const keepPace = () => recorder.keepPace();
  const collector = new Collector<CollectorSetups>({
    redactionKey,
    clock: systemClock,
    keepPace,
    openBodyChannel,
  });
  onTestFinished(() => collector.close());
  const { hashes, withBytes, observe } = observeInto(recorder);
  const source = collector.open('envoy-admin', {
    ...{ sourceId: 'envoy-admin:edge', vantage: 'envoy-admin', clock: systemClock, observe },
    setup: { target: envoy.target, isNamed: false, intervalMs: 30 },
    onStatus: () => undefined,
  });
  await opened;
  source.start();
  await vi.waitFor(() => expect(hashes.length).toBeGreaterThan(1), { timeout: patienceMs(60_000) });
  expect(withBytes).toEqual([]);
  await expectStored(recorder, hashes);
});

const dump = () =>
  Buffer.from(
    [...makeConfigDump({ clusters: 300, routes: 5, routesPerConfig: 10, endpoints: 300 })].join(''),
  );

function recording(): Promise<Buffer> {
  let seq = 0;
  const day = { startAt: 1e12, clients: 2, largeClients: 1, manyServices: 150, seed: 1, observations: 500 };
  function* records() {
    for (const batch of makeDay(day, { wire: 0, delta: 0 })) {
      yield { kind: 'bodies', bodies: batch.flatMap(({ bodies }) => bodies) } as const;
      const observations = batch.map(({ observation }) => ({ ...observation, seq: ++seq }));
      yield { kind: 'observations', observations } as const;
    }
  }
  return fileOf(records());
}

describe.each([
  ['a config dump', dump],
  ['a recording', recording],
] as const)('bodies of %s that is imported', (_, contentOf) => {
  async function read(
    openBodyChannel: OpenBodyChannel,
    observe: (emission: RoutedEmission, cancel: () => void) => void,
    stored = async (): Promise<void> => undefined,
  ): Promise<void> {
    const running = new RunningImports(systemClock, () => undefined).start('file', null);
    const reader = new ImportReader({
      ...{ dataDir: tempDataDir(), clock: systemClock, redactionKey, openBodyChannel, stored },
      observe: (emission) => observe(emission, () => running.controller.abort()),
      preview: () => undefined,
      keepPace: async () => undefined,
      addLoad: async () => undefined,
      onLargeFile: () => undefined,
      forget: () => undefined,
    });
    const bytes = Uint8Array.from(await contentOf());
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield bytes;
    }
    await reader.read(running, { chunks: chunks(), sizeBytes: bytes.length }, () => undefined);
  }

  it('reach the log thread, and the main thread has only their hashes', async () => {
    const recorder = await openLog();
    const { hashes, withBytes, observe } = observeInto(recorder);
    await read(
      () => recorder.openBodyChannel(),
      observe,
      async () => void (await recorder.flushed()),
    );
    expect(withBytes).toEqual([]);
    expect(hashes.length).toBeGreaterThan(100);
    await expectStored(recorder, hashes);
  });

  it.each([
    ['the log needs none of them', false],
    ['the import is canceled', true],
  ])('are freed when %s', async (_, isCanceled) => {
    const held = new HeldBodies();
    const operations = heldOperations(held);
    let mostBytes = 0;
    const drain = (): void => {
      held.drain();
      mostBytes = Math.max(mostBytes, held.sizeBytes);
    };
    const channels = new BodyChannels({
      holdBodies: async (channel, port) => operations.holdBodies(channel, port),
      call: async (operation, ...args) => {
        drain();
        return Reflect.apply(Reflect.get(operations, operation), undefined, args);
      },
    });
    let count = 0;
    const done = read(
      () => channels.open(),
      ({ bodies }, cancel) => {
        drain();
        count += bodies.length;
        if (isCanceled && count > 100) cancel();
      },
    );
    if (isCanceled) await expect(done).rejects.toThrow();
    else await done;
    expect(mostBytes).toBeGreaterThan(1_000);
    await expect.poll(() => held.sizeBytes).toBe(0);
  });
});
