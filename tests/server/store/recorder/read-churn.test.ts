import { expect, it } from 'vitest';
import { ChurnIndex } from '@/lib/churn/churn-index';
import type { Observation, Recorded } from '@/lib/observation/observation';
import { buildChurn } from '@/lib/views/churn/build-churn';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { seededRandom } from '@/server/lab/random';
import { LogReader } from '@/server/store/recorder/log-reader';
import { openRecorder } from '@/server/store/recorder/open-recorder';
import { readChurn } from '@/server/store/recorder/read-log';
import type { Recorder } from '@/server/store/recorder/recorder';
import { takeAwaitingSteps } from '@/tests/support/awaiting-steps';
import { acked, closed, nacked, opened, polled, sent } from '@/tests/support/push-story';
import { ManualClock } from '@/tests/support/recorder-manual-clock';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';

const startAt = Date.UTC(2026, 10, 20);
const spanMs = 3_600_000;
const clients = Array.from({ length: 9 }, (_, index) => `client-${index}`);

/** Pushes of all kinds, some of them appended late, as copies of a tap are. */
function randomObservations(count: number, seed: number): Observation[] {
  const random = seededRandom(seed);
  const below = (most: number) => Math.floor(random() * most);
  return Array.from({ length: count }, (_, index) => {
    const push = {
      clientId: clients[below(clients.length)] ?? '',
      at: startAt + Math.floor((index * spanMs) / count) - (random() < 0.1 ? below(90_000) : 0),
      version: `v${below(12) + Math.floor(index / 100)}`,
      name: `cluster "${below(30)}" ü`,
      server: `server-${below(3)}`,
      ...(random() < 0.7 && { hash: `hash-${below(6)}-${Math.floor(index / 300)}` }),
    };
    const dice = random();
    if (dice < 0.1) return acked(push);
    if (dice < 0.15) return nacked(push, 'no such policy');
    if (dice < 0.2) return opened(push.clientId, push.at);
    if (dice < 0.22) return closed(push.clientId, push.at);
    if (dice < 0.4) return polled({ ...push, hash: push.hash ?? 'hash' });
    const response = sent(push);
    if (response.kind !== 'response-received') return response;
    const more = random();
    return {
      ...response,
      sizeBytes: 1 + below(100_000),
      ...(random() < 0.4 && { typeUrl: EDS.typeUrl }),
      ...(more < 0.2 && { repeats: 1 + below(5) }),
      ...(more > 0.8 && { removedNames: ['gone'] }),
      ...(more > 0.5 && { unchangedResources: below(4) }),
      ...(more > 0.9 && { controlPlane: '' }),
    };
  });
}

/** Compares the churn of random ranges, types and clients with that of the logged observations. */
async function compare(recorder: Recorder, reader: LogReader, seed: number): Promise<void> {
  await recorder.flushed();
  const log: Recorded[] = [];
  for await (const page of recorder.replayAfter(0)) log.push(...page);
  const random = seededRandom(seed);
  for (let round = 0; round < 8; round++) {
    const [a, b] = [random(), random()].map((share) => startAt + Math.floor(share * 1.1 * spanMs));
    const extent = {
      from: round === 0 ? 0 : Math.min(a ?? 0, b ?? 0),
      until: round === 0 ? startAt + 2 * spanMs : Math.max(a ?? 0, b ?? 0),
      bucketMs: 60_000,
      ...(random() < 0.4 && { typeUrl: random() < 0.5 ? CDS.typeUrl : EDS.typeUrl }),
    };
    const clientId = random() < 0.4 ? clients[Math.floor(random() * clients.length)] : undefined;
    const folded = new ChurnIndex(extent);
    for (const observation of log) {
      const isWanted =
        clientId === undefined || ('clientId' in observation && observation.clientId === clientId);
      if (isWanted) folded.addObservation(observation);
    }
    const read = new ChurnIndex(extent);
    const range = { from: extent.from, to: extent.until, clientId };
    await takeAwaitingSteps(readChurn(reader, range, (entry) => read.add(entry)));
    expect(buildChurn(read)).toEqual(buildChurn(folded));
  }
  expect(log.length).toBeGreaterThan(1_000);
}

it.each([1, 2, 3])(
  'churn equals that of the logged observations while writing, after a restart, retention and pins (seed %i)',
  async (seed) => {
    const dataDir = tempDataDir();
    const clock = new ManualClock(startAt + spanMs);
    const start = (maxAgeMs: number) =>
      openRecorder({ dataDir, clock, retention: { maxAgeMs, maxBytes: 1e12 } });
    const observations = randomObservations(6_000, seed);
    const first = await start(1e12);
    // Appends in batches, because retention deletes whole blocks.
    const append = async (to: Recorder, from: number, until: number) => {
      let seq = 0;
      for (const observation of observations.slice(from, until)) {
        seq = to.append({ observation, bodies: [] });
        if (seq % 1_000 === 0) await to.flushed();
      }
      return seq;
    };
    await append(first, 0, 3_000);
    const beside = new LogReader(first.file);
    await compare(first, beside, seed);
    await beside.close();
    await first.close();

    const second = await start(spanMs / 3);
    const seq = await append(second, 3_000, 5_900);
    const reader = new LogReader(second.file);
    await compare(second, reader, seed + 10);
    const pinned = startAt + spanMs / 4;
    await second.pin({ from: pinned, to: pinned + 60_000, clientId: null, label: '', createdAt: 1 });
    await second.saveCheckpoint(seq, []);
    await second.applyRetention();
    await append(second, 5_900, 6_000);
    await compare(second, reader, seed + 20);
    await reader.close();
    const [oldest] = await second.readObservations({ limit: 1, order: 'asc' });
    expect(oldest?.seq).toBeGreaterThan(1);
    await second.close();
  },
  60_000,
);
