import { describe, expect, it } from 'vitest';
import { stateOfGroup } from '@/lib/nacks/nack-group';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { NackSent, Observation, Recorded } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import type { StreamNotice } from '@/lib/views/stream/schema';
import { CDS } from '@/lib/xds/resource-type';
import { LogFollower } from '@/server/live/log-folds/log-follower';
import { findRejectedBody } from '@/server/live/nacks/find-rejected-body';
import { NackStore } from '@/server/live/nacks/nack-store';
import type { Recorder } from '@/server/store/recorder/recorder';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { sampleReport, sampleResource } from '../../../support/builders/observation-samples';
import { bodyOf } from '../../../support/builders/recorder-emissions';
import { ManualClock } from '../../../support/recorder-manual-clock';

const rejected = (over: Partial<ResourceState> = {}, failedHash: string | null = null): ResourceState =>
  sampleResource({
    clientStatus: 'NACKED',
    errorState: { details: 'lb_policy is bad', versionInfo: '2', lastUpdateAttempt: 5_000, failedHash },
    ...over,
  });

const nack = (over: Partial<NackSent> = {}): NackSent => ({
  kind: 'nack-sent',
  at: 5_000,
  vantage: 'tap',
  sourceId: 'tap',
  clientId: 'c1',
  streamId: 's',
  typeUrl: CDS.typeUrl,
  versionInfo: '1',
  rejectedVersion: '2',
  nonce: 'n',
  errorDetail: 'lb_policy is bad',
  changed: [],
  removed: [],
  ...over,
});

async function withRecorder(use: (recorder: Recorder) => Promise<void>): Promise<void> {
  const recorder = await openWholeRecorder();
  await use(recorder);
  await recorder.close();
}

class Process {
  readonly #recorder: Recorder;

  readonly clock = new ManualClock();
  readonly world: World = new Map();
  readonly notices: StreamNotice[] = [];
  readonly store: NackStore;
  readonly follower: LogFollower;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;

    this.store = new NackStore({ clock: this.clock, publish: (notice) => void this.notices.push(notice) });
    const { clock, world } = this;
    this.follower = new LogFollower({ clock, recorder, world, folds: [this.store] });
  }

  observe(observation: Observation): number {
    const recorded: Recorded = {
      ...observation,
      seq: this.#recorder.append({ observation, bodies: [] }),
    };
    foldObservation(this.world, recorded);
    this.follower.observe(recorded);
    return recorded.seq;
  }

  get states(): string[] {
    return [...this.store.book.groups.values()].map(
      (group) => `${group.name} ${stateOfGroup(group)} ${[...group.clients.keys()].join(' ')}`,
    );
  }
}

describe('NackStore', () => {
  it('publishes that groups changed', async () => {
    await withRecorder(async (recorder) => {
      const process = new Process(recorder);
      await process.follower.restore(0);
      process.notices.length = 0;
      process.observe(sampleReport({ changed: [rejected()] }));
      process.observe(sampleReport({ clientId: 'c2', changed: [sampleResource()] }));
      expect(process.notices).toEqual(['nacks']);
    });
  });

  it('has the same groups after a restart, with the same ids', async () => {
    await withRecorder(async (recorder) => {
      const first = new Process(recorder);
      await first.follower.restore(0);
      first.observe(sampleReport({ changed: [rejected(), rejected({ name: 'shop' })] }));
      first.observe(nack({ changed: [rejected()] }));
      first.observe(
        sampleReport({
          at: 9_000,
          changed: [sampleResource({ versionInfo: '3', hash: 'bb', lastUpdated: 8_000 })],
        }),
      );
      const newestSeq = first.observe({ kind: 'source-up', at: 9_500, vantage: 'csds', sourceId: 's' });
      await recorder.flushed();
      const second = new Process(recorder);
      await second.follower.restore(newestSeq);
      expect(second.states).toEqual(['cart resolved c1', 'shop open c1']);
      expect([...second.store.book.groups.values()]).toEqual([...first.store.book.groups.values()]);
    });
  });

  it('finds the client of an observation by its field, whatever its metadata contains', async () => {
    await withRecorder(async (recorder) => {
      const first = new Process(recorder);
      await first.follower.restore(0);
      first.observe(sampleReport({ changed: [rejected()] }));
      const accepted = sampleResource({ versionInfo: '3', lastUpdated: 8_000 });
      const { clientId, node, ...report } = sampleReport({ at: 9_000, changed: [accepted] });
      // JSON has the fields in this order.
      const metadata = { clientId: 'x', nested: { clientId: 'y' } };
      const newestSeq = first.observe({ node: { ...node, metadata }, ...report, clientId });
      await recorder.flushed();
      const second = new Process(recorder);
      await second.follower.restore(newestSeq);
      expect(second.states).toEqual(['cart resolved c1']);
    });
  });

  it('counts observations that arrive while the log is read exactly once', async () => {
    await withRecorder(async (recorder) => {
      const first = new Process(recorder);
      await first.follower.restore(0);
      for (let count = 0; count < 700; count++)
        first.observe(nack({ at: 5_000 + count, changed: [rejected()] }));
      await recorder.flushed();
      const second = new Process(recorder);
      const restored = second.follower.restore(700);
      for (let count = 0; count < 3_000; count++)
        second.observe(nack({ at: 6_000 + count, changed: [rejected()] }));
      await restored;
      second.observe(nack({ at: 9_900, changed: [rejected()] }));
      const [group] = second.store.book.groups.values();
      expect(group?.clients.get('c1')?.reportedBy.get('tap')?.times).toBe(3_701);
    });
  });

  it('has no NACKs of a client of a removed file, also after a restart', async () => {
    await withRecorder(async (recorder) => {
      const first = new Process(recorder);
      await first.follower.restore(0);
      const vantage = 'dump';
      first.observe(sampleReport({ vantage, changed: [rejected(), rejected({ name: 'shop' })] }));
      const accepted = sampleResource({ name: 'shop', versionInfo: '3', lastUpdated: 8_000 });
      first.observe(sampleReport({ vantage, at: 9_000, changed: [accepted] }));
      const newestSeq = first.observe(sampleReport({ clientId: 'c2', changed: [rejected()] }));
      expect(first.states).toEqual(['cart open c1 c2', 'shop resolved c1']);
      const client = first.world.get('c1') ?? expect.fail('expected the client');
      first.world.delete('c1');
      await first.store.forget(client);
      expect(first.states).toEqual(['cart open c2']);
      await recorder.flushed();
      const second = new Process(recorder);
      await second.follower.restore(newestSeq);
      expect(second.states).toEqual(['cart open c2']);
    });
  });

  it('restores current NACKs from the fold if the log begins after them', async () => {
    await withRecorder(async (recorder) => {
      const process = new Process(recorder);
      foldObservation(process.world, {
        ...sampleReport({ changed: [rejected({ changedAt: 4_000 })] }),
        seq: 1,
      });
      await process.follower.restore(1);
      expect(process.states).toEqual(['cart open c1']);
    });
  });
});

describe('findRejectedBody', () => {
  const nodeIdOf = (clientId: string): string => clientId;

  /** Returns the role of the payload whose body is found after these observations. */
  async function roleAfter(...observations: readonly Observation[]): Promise<string> {
    let role = 'none';
    await withRecorder(async (recorder) => {
      recorder.append({
        observation: { kind: 'source-up', at: 1, vantage: 'csds', sourceId: 's' },
        bodies: [bad, good],
      });
      const process = new Process(recorder);
      await process.follower.restore(0);
      for (const observation of observations) process.observe(observation);
      await recorder.flushed();
      const [group] = process.store.book.groups.values();
      if (group === undefined) throw new Error('no group');
      const found = await findRejectedBody(group, { world: process.world, recorder, nodeIdOf });
      if (found !== undefined)
        role = `${found.payload.role} ${found.body.hash === bad.hash ? 'bad' : 'good'}`;
    });
    return role;
  }

  const bad = bodyOf('bad');
  const good = bodyOf('good');
  const reported = rejected({ hash: good.hash });

  it('uses the body that the tap observed', async () => {
    expect(await roleAfter(nack({ changed: [rejected({ hash: good.hash }, bad.hash)] }))).toBe(
      'rejected bad',
    );
  });

  it('uses the body that the control plane reports for the same version', async () => {
    const plane = { side: 'control-plane', sourceId: 'plane' } as const;
    const sent = sampleReport({ ...plane, changed: [sampleResource({ versionInfo: '2', hash: bad.hash })] });
    const resolved = sampleReport({
      ...plane,
      changed: [sampleResource({ versionInfo: '3', hash: good.hash })],
    });
    expect(await roleAfter(sampleReport({ changed: [reported] }), sent)).toBe('control-plane bad');
    expect(await roleAfter(sent, sampleReport({ changed: [reported] }), resolved), 'out of the log').toBe(
      'control-plane bad',
    );
    expect(await roleAfter(sampleReport({ changed: [reported] }), resolved), 'of another version').toBe(
      'none',
    );
  });

  it('uses the body that another client accepted, with a warning', async () => {
    const other = sampleReport({
      clientId: 'c2',
      changed: [sampleResource({ versionInfo: '2', hash: bad.hash })],
    });
    expect(await roleAfter(other, sampleReport({ changed: [reported] }))).toBe('other-client bad');
  });

  it('uses failed_configuration last, and not if it is the accepted body', async () => {
    const own = rejected({ hash: null }, bad.hash);
    expect(await roleAfter(sampleReport({ changed: [own] }))).toBe('rejected bad');
    expect(await roleAfter(sampleReport({ changed: [rejected({ hash: bad.hash }, bad.hash)] }))).toBe('none');
  });
});
