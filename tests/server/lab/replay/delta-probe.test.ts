import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildSnapshotSteps } from '@/lib/replay/build-snapshot-steps';
import type { ReplayPlan } from '@/lib/replay/replay-plan';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { clientIdOf } from '@/server/client-id';
import type { ProbeSettings } from '@/server/collect/xds/probe/probe-settings';
import { loadStreamPlan } from '@/server/lab/replay/load-stream-plan';
import { ReplayServer } from '@/server/lab/replay/replay-server';
import type { Recorder } from '@/server/store/recorder/recorder';
import { bodyOf, emissionOf } from '@/tests/support/builders/recorder-emissions';
import { clusterOf, packed } from '@/tests/support/builders/xds-wire';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { ClientStories, only, rowsOf } from '@/tests/support/xds-client-story';
import { type ProbeStory, probeNodeId, resourceOf, until } from '@/tests/support/xds-probe-story';

const names = ['kept', 'spoilt', 'gone'];
const cluster = (name: string, endpoints = 'endpoints') => resourceOf(name, clusterOf(name, endpoints));
/** Rule C1: the default type of a cluster is STATIC, which gRPC does not support. */
const broken = (name: string) => resourceOf(name, packed(CDS.typeUrl, { name }));
const endpoints = resourceOf('endpoints', packed(EDS.typeUrl, { clusterName: 'endpoints' }));
/** Less than the time after which a client takes a connection for broken. */
const apartMs = 2_000;

describe('a delta stream replayed to a delta client', () => {
  let stories: ClientStories;
  let log: Recorder;

  beforeEach(async () => {
    stories = new ClientStories();
    log = await openWholeRecorder({ clock: stories.clock });
  });
  afterEach(async () => {
    await stories.close();
    await log.close();
  });

  const settings: Partial<ProbeSettings> = {
    transport: 'delta-ads',
    mode: 'validate',
    interest: only(CDS.typeUrl, ...names),
  };
  /** Returns what CSDS would report, without times. */
  const held = (story: ProbeStory) =>
    [...rowsOf(story.reported).values()]
      .filter(({ typeUrl }) => typeUrl === CDS.typeUrl)
      .map(({ name, versionInfo, clientStatus, hash, errorState }) => {
        const { details = null, failedHash = null } = errorState ?? {};
        return { name, versionInfo, clientStatus, hash, details, failedHash };
      })
      .sort((a, b) => a.name.localeCompare(b.name));
  const statusOf = (story: ProbeStory, name: string) => rowsOf(story.reported).get(name)?.clientStatus;

  const serve = (plan: ReplayPlan): ReplayServer =>
    new ReplayServer({
      ...{ id: 'r1', label: 'delta', plan, clock: stories.clock, onChange: () => {} },
      readBodies: (hashes) => log.readBodies(hashes),
    });

  /** Three moments, two seconds apart: all resources are valid; one is invalid; another is removed. */
  async function record(): Promise<ProbeStory> {
    const { server, target } = await stories.server();
    server.setResources('*', [...names.map((name) => cluster(name)), endpoints], 'v1');
    const story = stories.start(target, settings);
    for (const name of [...names, 'endpoints']) {
      await until(() => expect(statusOf(story, name)).toBe('ACKED'));
    }
    stories.clock.advance(apartMs);
    server.setResource('*', broken('spoilt'), 'v2');
    await until(() => expect(statusOf(story, 'spoilt')).toBe('NACKED'));
    stories.clock.advance(apartMs);
    server.removeResource('*', CDS.typeUrl, 'gone', 'v3');
    await until(() => expect(statusOf(story, 'gone')).toBe('DOES_NOT_EXIST'));
    const responses = story.reported.filter((each) => each.kind === 'response-received');
    expect(responses.at(-1)).toMatchObject({ resources: [], removedNames: ['gone'] });
    for (const observation of story.reported) log.append({ observation, bodies: story.bodies });
    await log.flushed();
    return story;
  }

  it('ends with the same resources, has the same NACKs, and follows the recorded times', async () => {
    const recorded = await record();
    const plan = await loadStreamPlan(log, { clientId: clientIdOf(probeNodeId, ''), nodeId: probeNodeId });
    if (plan === undefined) throw new Error('nothing to replay');
    expect(plan.steps.map((step) => step.recorded?.isAccepted)).toEqual([true, true, false, true]);
    expect(plan.steps.at(-1)?.types).toMatchObject([{ removed: ['gone'], set: [] }]);
    const replay = serve(plan);
    try {
      const second = stories.start(await replay.listen(0), settings);
      replay.play(2);
      await until(() => {
        stories.clock.advance(0);
        expect(replay.show().steps[1]?.comparison).toBe('same');
      });
      // At twice the speed there is one second between two steps.
      for (const step of [2, 3]) {
        stories.clock.advance(apartMs / 2 - 1);
        expect(replay.show().step).toBe(step - 1);
        stories.clock.advance(1);
        await until(() => expect(replay.show().steps[step]?.comparison).toBe('same'));
      }
      await until(() => expect(held(second)).toEqual(held(recorded)));
      const [rejection] = replay.show().steps.filter(({ recorded: answer }) => answer?.isAccepted === false);
      expect(rejection?.replayed?.errorDetail).toBe(rejection?.recorded?.errorDetail);
      expect(replay.show()).toMatchObject({ same: 4, differs: 0, playing: false });

      // One step back, the removed resource exists again, and the invalid one is still invalid.
      await replay.jump(2);
      await until(() => expect(statusOf(second, 'gone')).toBe('ACKED'));
      await replay.jump(1);
      await until(() => expect(statusOf(second, 'spoilt')).toBe('ACKED'));
    } finally {
      await replay.close();
    }
  });

  it('replays the state at a moment to a delta client', async () => {
    const recorded = await record();
    const nodeId = probeNodeId;
    for (const moment of [{ seq: log.stats().newestSeq }, stories.clock.now() - apartMs]) {
      const was = await log.readClientAt(clientIdOf(nodeId, ''), moment);
      const [report] = was?.client.reports.values() ?? [];
      const rows = [...(report?.resources.values() ?? [])];
      expect(rows.map(({ clientStatus }) => clientStatus)).toContain('NACKED');
      const plan = { mode: 'snapshot', nodeId, steps: buildSnapshotSteps(rows, 0), notes: [] } as const;
      const replay = serve(plan);
      try {
        const second = stories.start(await replay.listen(0), settings);
        replay.play(null);
        const rejected = (story: ProbeStory) => held(story).find(({ name }) => name === 'spoilt');
        await until(() => {
          stories.clock.advance(0);
          const now = rejected(second);
          const then = rejected(recorded);
          expect([now?.clientStatus, now?.hash, now?.failedHash]).toEqual([
            then?.clientStatus,
            then?.hash,
            then?.failedHash,
          ]);
          expect(statusOf(second, 'kept')).toBe('ACKED');
        });
        // The client has answered before the server receives the answer.
        await until(() => expect(replay.show()).toMatchObject({ same: 2, differs: 0, step: 1 }));
      } finally {
        await replay.close();
      }
    }
  });

  it('continues after an empty response', async () => {
    const at = 0;
    const recorded = { isAccepted: true, errorDetail: '' };
    const typeUrl = CDS.typeUrl;
    const { bytes } = cluster('kept');
    const body = bodyOf(bytes, typeUrl);
    log.append({ ...emissionOf(0, null), bodies: [body] });
    await log.flushed();
    const first = { typeUrl, name: 'kept', hash: body.hash, versionInfo: 'v1' };
    const replay = serve({
      ...{ mode: 'stream', nodeId: probeNodeId, notes: [] },
      steps: [
        { at, types: [{ typeUrl, versionInfo: 'v1', set: [first], removed: [] }], recorded },
        { at, types: [{ typeUrl, versionInfo: 'v1', set: [], removed: [] }], recorded },
        {
          at,
          types: [{ typeUrl, versionInfo: 'v2', set: [{ ...first, versionInfo: 'v2' }], removed: [] }],
          recorded,
        },
      ],
    });
    try {
      stories.start(await replay.listen(0), settings);
      replay.play(null);
      await until(() => {
        stories.clock.advance(0);
        const { steps, step } = replay.show();
        expect(step).toBe(2);
        expect(steps.map(({ comparison }) => comparison)).toEqual(['same', 'unknown', 'same']);
      });
    } finally {
      await replay.close();
    }
  });
});
