import { describe, expect, it } from 'vitest';
import { findIssueAt } from '@/lib/issues/issue-at';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation, Recorded } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import type { StreamNotice } from '@/lib/views/stream/schema';
import { LDS } from '@/lib/xds/resource-type';
import { IssueStore } from '@/server/live/issues/issue-store';
import { Mutes, mutesEntry } from '@/server/live/issues/mutes';
import { LogFollower } from '@/server/live/log-folds/log-follower';
import type { Recorder } from '@/server/store/recorder/recorder';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { sampleReport, sampleResource } from '../../../support/builders/observation-samples';
import { ManualClock } from '../../../support/recorder-manual-clock';
import { tempDataDir } from '../../../support/recorder-temp-dir';
import { openKept } from '../../../support/test-state';

const absent = (over: Partial<ResourceState> = {}): ResourceState =>
  sampleResource({
    ...{ typeUrl: LDS.typeUrl, name: 'shop', clientStatus: 'DOES_NOT_EXIST', versionInfo: '', hash: null },
    ...over,
  });

class Process {
  readonly #recorder: Recorder;

  readonly clock = new ManualClock();
  readonly world: World = new Map();
  readonly notices: StreamNotice[] = [];
  readonly store: IssueStore;
  readonly follower: LogFollower;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;

    const { clock, world } = this;
    this.store = new IssueStore({ clock, publish: (notice) => void this.notices.push(notice) });
    this.follower = new LogFollower({ clock, recorder, world, folds: [this.store] });
  }

  observe(observation: Observation): number {
    const seq = this.#recorder.append({ observation, bodies: [] });
    const recorded: Recorded = { ...observation, seq };
    foldObservation(this.world, recorded);
    this.follower.observe(recorded);
    return seq;
  }

  /** The open issues, such as "shop 2000 c1". */
  get open(): string[] {
    return [...this.store.index.records.values()].flatMap((record) => {
      const found = findIssueAt(record, 100_000);
      if (found === undefined || found.resolvedAt !== undefined) return [];
      const clients = found.periods.map(({ clientId }) => clientId).join(' ');
      return [`${record.cause.name} ${found.since} ${clients}`];
    });
  }
}

async function withRecorder(use: (recorder: Recorder) => Promise<void>): Promise<void> {
  const recorder = await openWholeRecorder();
  await use(recorder);
  await recorder.close();
}

describe('IssueStore', () => {
  it('has the same issues after a restart, with the same ids and onsets', async () => {
    await withRecorder(async (recorder) => {
      const first = new Process(recorder);
      await first.follower.restore(0);
      first.observe(sampleReport({ changed: [absent()] }));
      first.observe(
        sampleReport({ at: 5_000, clientId: 'c2', changed: [absent(), absent({ name: 'web' })] }),
      );
      const repaired = [absent({ name: 'web', clientStatus: 'ACKED', hash: 'aa' })];
      const newestSeq = first.observe(sampleReport({ at: 9_000, clientId: 'c2', changed: repaired }));
      expect(first.open).toEqual(['shop 2000 c1 c2']);
      await recorder.flushed();
      const second = new Process(recorder);
      await second.follower.restore(newestSeq);
      expect([...second.store.index.records]).toEqual([...first.store.index.records]);
    });
  });

  it('has the onset of the checkpoint if the log begins after it', async () => {
    await withRecorder(async (recorder) => {
      const process = new Process(recorder);
      const changed = [absent({ changedAt: 1_500 })];
      foldObservation(process.world, { ...sampleReport({ changed }), seq: 1 });
      await process.follower.restore(1);
      expect(process.open).toEqual(['shop 1500 c1']);
    });
  });

  it('publishes that issues changed', async () => {
    await withRecorder(async (recorder) => {
      const process = new Process(recorder);
      await process.follower.restore(0);
      process.notices.length = 0;
      process.observe(sampleReport({ changed: [absent()] }));
      process.observe(sampleReport({ clientId: 'c2', changed: [sampleResource()] }));
      expect(process.notices).toEqual(['issues']);
    });
  });

  it('has no issues of a client of a removed file', async () => {
    await withRecorder(async (recorder) => {
      const process = new Process(recorder);
      await process.follower.restore(0);
      process.observe(sampleReport({ vantage: 'dump', changed: [absent()] }));
      process.observe(sampleReport({ at: 3_000, clientId: 'c2', changed: [absent()] }));
      const client = process.world.get('c1') ?? expect.fail('expected the client');
      await process.store.forget(client);
      expect(process.open).toEqual(['shop 3000 c2']);
    });
  });
});

describe('Mutes', () => {
  it('last until their time, also after a restart', async () => {
    const dataDir = tempDataDir();
    const mutes = new Mutes(await openKept(mutesEntry, dataDir));
    await mutes.set(['a'], 5_000, 1_000);
    await mutes.set(['b'], 6_000, 1_000);
    await mutes.set(['b'], null, 2_000);
    const restarted = new Mutes(await openKept(mutesEntry, dataDir));
    expect([
      restarted.find(['a'], 4_999),
      restarted.find(['a'], 5_000),
      restarted.find(['b'], 3_000),
    ]).toEqual([5_000, undefined, undefined]);
  });

  it('cover an issue while each of its subjects is muted', async () => {
    const mutes = new Mutes(await openKept(mutesEntry));
    await mutes.set(['a', 'b'], 5_000, 1_000);
    expect([mutes.find(['a', 'b'], 2_000), mutes.find(['b'], 2_000)]).toEqual([5_000, 5_000]);
    expect([mutes.find(['a', 'b', 'c'], 2_000), mutes.find([], 2_000)]).toEqual([undefined, undefined]);
    await mutes.set(['c'], 4_000, 1_000);
    expect(mutes.find(['a', 'b', 'c'], 2_000)).toBe(4_000);
  });
});
