import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { hostStates } from '@/lib/observation/connection-states';
import { foldObservation, type World } from '@/lib/observation/fold';
import { RecordingRecords } from '@/server/files/export/recording-records';
import { writeXdscopeFile } from '@/server/files/xdscope-format/write-file';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { damageOf, recordsOf } from '../support/builders/xdscope-files';
import { connectionsStory } from '../support/connections-story';
import { openLoads } from '../support/open-loads';
import { ManualClock } from '../support/recorder-manual-clock';

const file = path.join(import.meta.dirname, '../fixtures/version-1-connections/recording.xdscope');

async function writeGoldenFile(): Promise<void> {
  const clock = new ManualClock(Date.UTC(2026, 0, 2));
  const recorder = await openWholeRecorder({ clock });
  for (const observation of connectionsStory) recorder.append({ observation, bodies: [] });
  await recorder.flushed();
  const records = new RecordingRecords(recorder, await openLoads(), {
    ...{ madeBy: 'xdscope 0.1.0', madeAt: clock.now(), findSource: () => undefined },
    clients: ['shop', 'edge'].map((clientId) => ({ clientId, nodeId: clientId, scope: '' })),
  });
  const parts: Buffer[] = [];
  for await (const part of writeXdscopeFile(records.read(), () => records.missingBodies)) parts.push(part);
  await recorder.close();
  writeFileSync(file, Buffer.concat(parts));
}

it('an .xdscope file of version 1 has the connections of channelz and Envoy, and their changes', async () => {
  if (process.env.XDSCOPE_WRITE_GOLDEN === '1') await writeGoldenFile();
  const records = await recordsOf(readFileSync(file));
  expect(damageOf(records)).toEqual([]);
  const observations = records.flatMap((record) =>
    record.kind === 'observations' ? record.observations : [],
  );
  expect(observations.map(({ seq: _, ...observation }) => observation)).toEqual(connectionsStory);
  const states = observations.flatMap((each) =>
    each.kind === 'connections-changed' ? each.connections.map(({ state }) => state) : [],
  );
  expect(states).toEqual(expect.arrayContaining([...hostStates, 'READY', 'TRANSIENT_FAILURE']));
  const world: World = new Map();
  for (const observation of observations) foldObservation(world, observation);
  const connectionsOf = (clientId: string) =>
    [...(world.get(clientId)?.reports.values() ?? [])].flatMap(({ connections = [] }) =>
      connections.map(({ id, state }) => `${id} ${state}`),
    );
  expect(connectionsOf('shop')).toEqual([
    ...['channel 1 READY', 'subchannel 2 TRANSIENT_FAILURE', 'listener 7 READY'],
  ]);
  expect(connectionsOf('edge')).toEqual([
    ...['host cart P0 10.0.0.1:80 HEALTHY', 'listener web 0.0.0.0:80 READY'],
  ]);
});
