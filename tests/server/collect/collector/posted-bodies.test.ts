import { renameSync } from 'node:fs';
import { BroadcastChannel, MessageChannel } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { BodyPost } from '@/server/collect/collector/body-post';
import { BodyRoute } from '@/server/collect/collector/body-route';
import { type Clock, type Emission, isPosted, systemClock } from '@/server/observe';
import { builtProgram } from '@/server/project-root';
import { HeldBodies } from '@/server/store/recorder/bodies/held-bodies';
import { openRecorder } from '@/server/store/recorder/open-recorder';
import type { Recorder } from '@/server/store/recorder/recorder';
import { bodyOf, emissionOf } from '@/tests/support/builders/recorder-emissions';
import { patienceMs } from '@/tests/support/patience';
import { ManualClock } from '@/tests/support/recorder-manual-clock';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';
import { workerProgram } from '@/tests/support/worker-program';

const patient = { timeout: patienceMs(60_000) };
const retention = { maxAgeMs: 1e12, maxBytes: 1e12 };

async function start({ clock = systemClock, program }: { clock?: Clock; program?: string } = {}) {
  const dataDir = tempDataDir();
  const recorder = await openRecorder({ dataDir, clock, retention }, program);
  onTestFinished(() => recorder.close());
  return { recorder, dataDir };
}

/** The two ends of a thread of sources, in this thread. */
async function connect(recorder: Recorder) {
  const post = new BodyPost();
  const route = new BodyRoute(
    () => recorder.openBodyChannel(),
    (channel, port) => {
      post.connect({ channel, port });
      return true;
    },
  );
  onTestFinished(() => route.end());
  /** Returns for each body whether the main thread received it without its bytes. */
  const send = ({ observation, bodies }: Emission): boolean[] => {
    const received = route.receive(post.pack(bodies).bodies);
    recorder.append({ observation, bodies: received.bodies });
    received.settle();
    return received.bodies.map(isPosted);
  };
  /** Waits until bodies are posted past the main thread. */
  const open = async (): Promise<void> => {
    await vi.waitFor(() => expect(send(emissionOf(0, 'first'))).toEqual([true]), patient);
    await recorder.flushed();
  };
  await open();
  return { send, open };
}

const textOf = async (recorder: Recorder, content: string) => {
  const body = await recorder.readBody(bodyOf(content).hash);
  return body && new TextDecoder().decode(body.bytes);
};

describe('bodies that the thread of a source posts to the log thread', () => {
  it('are stored with the observation that names them, and never in the main thread', async () => {
    const { recorder } = await start();
    const { send } = await connect(recorder);
    expect(send(emissionOf(1, 'a'))).toEqual([true]);
    await recorder.flushed();
    expect(await textOf(recorder, 'a')).toBe('a');
    expect(recorder.stats().bodies).toBe(2);
    expect(await recorder.readGaps()).toEqual([]);
  });

  it('are read before they are stored, one by one, together, and for another thread', async () => {
    const { recorder } = await start({ clock: new ManualClock() });
    const { send } = await connect(recorder);
    send(emissionOf(1, 'a'));
    recorder.append(emissionOf(2, 'b'));
    const hashes = ['a', 'b'].map((content) => bodyOf(content).hash);
    expect(await textOf(recorder, 'a')).toBe('a');
    expect([...(await recorder.readBodies(hashes)).keys()].sort()).toEqual([...hashes].sort());
    expect(await recorder.readPendingBodies(hashes)).toHaveLength(2);
    await recorder.flushed();
    expect(await recorder.readPendingBodies(hashes)).toEqual([]);
    expect(await textOf(recorder, 'a')).toBe('a');
  });

  it('are read while the recording cannot be written, and stored once it can', async () => {
    const { recorder, dataDir } = await start();
    const { send } = await connect(recorder);
    const moved = `${dataDir}-moved`;
    renameSync(dataDir, moved);
    send(emissionOf(1, 'a'));
    await vi.waitFor(() => expect(recorder.stats().state).toBe('stopped'), patient);
    expect(await textOf(recorder, 'a')).toBe('a');
    renameSync(moved, dataDir);
    await vi.waitFor(() => expect(recorder.stats().state).toBe('recording'), patient);
    await recorder.flushed();
    expect(await recorder.readPendingBodies([bodyOf('a').hash])).toEqual([]);
    expect(await textOf(recorder, 'a')).toBe('a');
  });

  it('leave a gap that names them when the log thread ends before it stored them, and come again on a new port', async () => {
    const clock = new ManualClock();
    const name = `end-log-${process.pid}`;
    const program = workerProgram(`
      const { BroadcastChannel } = await import('node:worker_threads');
      new BroadcastChannel(${JSON.stringify(name)}).onmessage = () => process.exit(3);
      await import(${JSON.stringify(builtProgram('recorder-worker'))});`);
    const { recorder } = await start({ clock, program });
    const { send, open } = await connect(recorder);
    const seq = recorder.stats().newestSeq + 1;
    expect(send(emissionOf(7, 'lost'))).toEqual([true]);
    const end = new BroadcastChannel(name);
    end.postMessage('end');
    await vi.waitFor(() => expect(send(emissionOf(8, 'over the main thread'))).toEqual([false]), patient);
    // A write that the end of the thread broke is tried again after a while.
    await vi.waitFor(async () => {
      clock.advance(10_000);
      await recorder.flushed();
    }, patient);
    await open();
    end.close();
    expect(await recorder.readGaps()).toMatchObject([
      {
        ...{ fromSeq: seq, fromAt: 7 },
        reason: expect.stringMatching(
          /^expected the payloads of \d+ resources, got none: the log thread ended/,
        ),
      },
    ]);
    const [found] = await recorder.readObservations({ afterSeq: seq - 1, limit: 1, order: 'asc' });
    expect(found).toMatchObject({ seq, at: 7 });
    expect(await textOf(recorder, 'lost')).toBeUndefined();
    expect(send(emissionOf(9, 'lost'))).toEqual([true]);
    await recorder.flushed();
    expect(await textOf(recorder, 'lost')).toBe('lost');
  });

  it('come with their emission until the log thread has a port', async () => {
    const { recorder } = await start();
    const route = new BodyRoute(undefined, () => true);
    const { bodies } = route.receive(new BodyPost().pack(emissionOf(1, 'a').bodies).bodies);
    expect(bodies.map(isPosted)).toEqual([false]);
    recorder.append({ ...emissionOf(1, 'a'), bodies });
    await recorder.flushed();
    expect(await textOf(recorder, 'a')).toBe('a');
  });
});

describe('HeldBodies', () => {
  function holdings() {
    const held = new HeldBodies();
    const { port1, port2 } = new MessageChannel();
    onTestFinished(() => port2.close());
    held.open(1, port1);
    let message = 0;
    const post = (sizes: readonly number[]) => {
      const bytes = new ArrayBuffer(sizes.reduce((sum, size) => sum + size, 0));
      port2.postMessage({ message: ++message, bytes, count: sizes.length }, [bytes]);
      held.drain();
      return message;
    };
    return { held, post };
  }

  it('hold every body of a message until all are committed', () => {
    const { held, post } = holdings();
    const message = post([10, 20]);
    held.release([{ channel: 1, message }]);
    expect(held.sizeBytes).toBe(30);
    held.release([{ channel: 1, message }]);
    expect(held.sizeBytes).toBe(0);
  });

  it.each([
    ['none of them', [], 0],
    ['a small one of them, as a copy', [{ from: 0, to: 10 }], 10],
    ['a large one of them, in the message', [{ from: 10, to: 100 }], 100],
  ])('hold, of a message whose observations need %s, these alone', (_, kept, sizeBytes) => {
    const { held, post } = holdings();
    const message = post([10, 90]);
    held.keepOnly([{ channel: 1, message, kept }]);
    expect(held.sizeBytes).toBe(sizeBytes);
    for (const place of kept) {
      expect(held.find({ channel: 1, message, ...place })).toHaveLength(place.to - place.from);
    }
    held.release(kept.map(() => ({ channel: 1, message })));
    expect(held.sizeBytes).toBe(0);
  });

  it('free a message whose needed bodies are committed before it is settled', () => {
    const { held, post } = holdings();
    const message = post([10, 90]);
    held.release([{ channel: 1, message }]);
    held.keepOnly([{ channel: 1, message, kept: [{ from: 10, to: 100 }] }]);
    expect(held.sizeBytes).toBe(0);
  });

  it('free what a thread posted whose observations never came, once it has ended', () => {
    const { held, post } = holdings();
    post([10]);
    post([20]);
    held.end(1, 1);
    expect(held.sizeBytes).toBe(10);
    held.release([{ channel: 1, message: 1 }]);
    expect(held.sizeBytes).toBe(0);
  });
});
