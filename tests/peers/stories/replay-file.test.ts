import { describe, expect, it, onTestFinished } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import { CDS } from '@/lib/xds/resource-type';
import { clientIdOf } from '@/server/client-id';
import { encodeBody } from '@/server/codec/encode-body';
import { RecordingRecords } from '@/server/files/export/recording-records';
import { ImportNames } from '@/server/files/import/import-names';
import { importRecording } from '@/server/files/import/import-recording';
import { readXdscopeFile } from '@/server/files/xdscope-format/read-file';
import { writeXdscopeFile } from '@/server/files/xdscope-format/write-file';
import type { ShopClient } from '@/server/lab/clients/shop-clients';
import { shopClients } from '@/server/lab/clients/shop-clients';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { findPython } from '@/server/lab/python-client/find-python';
import { loadStreamPlan } from '@/server/lab/replay/load-stream-plan';
import { ReplayServer } from '@/server/lab/replay/replay-server';
import { buildShop } from '@/server/lab/shop/build-shop';
import { ShopMesh } from '@/server/lab/shop-mesh';
import { systemClock } from '@/server/observe';
import type { Recorder } from '@/server/store/recorder/recorder';
import { openLoads } from '@/tests/support/open-loads';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { plainRows, startRealClient } from '@/tests/support/real-client';
import { startTap } from '@/tests/support/tap-story';
import { waitUntil } from '@/tests/support/wait-until';

async function openLog(): Promise<Recorder> {
  const recorder = await openWholeRecorder();
  onTestFinished(() => recorder.close());
  return recorder;
}

async function recordBehindTap(upstream: string, log: Recorder): Promise<string> {
  const { address, close } = await startTap(upstream, (emission) => void log.append(emission));
  onTestFinished(close);
  return address;
}

interface Recorded {
  readonly log: Recorder;
  readonly rows: Record<string, unknown>;
}

/** A valid state, then a cluster that the client rejects, then a valid one again. */
async function recordStory(client: ShopClient, spoilt: string, python: string): Promise<Recorded> {
  const server = new ManagementServer({ clock: systemClock });
  onTestFinished(() => server.close());
  // Nothing listens on these ports, but two endpoints with one address are rejected.
  const ports = new Map<string, number>();
  const portOf = (backend: string): number => {
    const port = ports.get(backend) ?? ports.size + 1;
    ports.set(backend, port);
    return port;
  };
  const mesh = new ShopMesh(server, portOf);
  mesh.change({ activeFaults: new Set() });
  const log = await openLog();
  const real = await startRealClient(client, await recordBehindTap(await server.listen(0), log), python);
  onTestFinished(() => real.close());
  const clusters = () => [...real.rows().values()].filter(({ typeUrl }) => typeUrl === CDS.typeUrl);
  const isCalm = () =>
    clusters().length > 0 && [...real.rows().values()].every(({ clientStatus }) => clientStatus === 'ACKED');
  await waitUntil('all is accepted', () => clusters().some(({ name }) => name === spoilt) && isCalm());
  const typeUrl = CDS.typeUrl;
  const cluster = buildShop(mesh.state, portOf).find(
    (each) => each.typeUrl === typeUrl && each.name === spoilt,
  );
  const publish = (change: object): void =>
    mesh.override({
      set: [{ typeUrl, name: spoilt, bytes: encodeBody(typeUrl, { ...cluster?.json, ...change }) }],
    });
  publish({ lbPolicy: 'MAGLEV' });
  await waitUntil('it is rejected', () => clusters().some(({ clientStatus }) => clientStatus === 'NACKED'));
  // The cluster is not as it was at first, because grpc-js-xds and C-core would then leave it NACKED in CSDS.
  publish({ circuitBreakers: { thresholds: [{ maxRequests: 777 }] } });
  await waitUntil('it is resolved', isCalm);
  const rows = plainRows(real.rows());
  await real.close();
  await waitUntil('the end of its stream is recorded', async () => {
    await log.flushed();
    return (await log.countHistory({ kinds: ['stream-closed'] })) > 0;
  });
  return { log, rows };
}

async function throughFile(from: Recorder, nodeId: string): Promise<{ log: Recorder; clientId: string }> {
  const clientId = clientIdOf(nodeId, '');
  const world: World = new Map();
  for await (const page of from.replayAfter(0)) for (const each of page) foldObservation(world, each);
  expect([...world.keys()]).toEqual([clientId]);
  const records = new RecordingRecords(from, await openLoads(), {
    clients: [{ clientId, nodeId, scope: '' }],
    madeBy: 'test',
    madeAt: Date.now(),
    findSource: () => undefined,
  });
  const log = await openLog();
  const loads = await openLoads();
  const names = new ImportNames('story.xdscope');
  const result = await importRecording(readXdscopeFile(writeXdscopeFile(records.read())), {
    names,
    observe: (emission) => void log.append(emission),
    keepPace: () => log.keepPace(),
    addLoad: (values, findSeries) => loads.add(values, findSeries),
  });
  await log.flushed();
  expect(result.damage).toEqual([]);
  return { log, clientId: names.clientId(clientId) };
}

async function replayTo(client: ShopClient, spoilt: string, python = ''): Promise<void> {
  const recorded = await recordStory(client, spoilt, python);
  const { log, clientId } = await throughFile(recorded.log, client.name);
  const plan = await loadStreamPlan(log, { clientId, nodeId: client.name });
  if (plan === undefined) throw new Error('nothing to replay');
  const rejected = plan.steps.filter(({ recorded: answer }) => answer?.isAccepted === false);
  expect(rejected).toHaveLength(1);
  const replay = new ReplayServer({
    id: 'r1',
    label: 'story',
    plan,
    clock: systemClock,
    readBodies: (hashes) => log.readBodies(hashes),
    onChange: () => {},
  });
  onTestFinished(() => replay.close());
  const second = await startRealClient(client, await replay.listen(0), python);
  onTestFinished(() => second.close());
  replay.play(null);
  await waitUntil('the replay is at its end', () => replay.show().step === plan.steps.length - 1, 60_000);
  await waitUntil(
    'the same CSDS answer',
    () => JSON.stringify(plainRows(second.rows())) === JSON.stringify(recorded.rows),
  ).catch(() => expect(plainRows(second.rows())).toEqual(recorded.rows));
  // CSDS can report a rejection before the replay receives it.
  const answers = await waitUntil('the rejection is received', () => {
    const rejections = replay.show().steps.filter(({ recorded: answer }) => answer?.isAccepted === false);
    return rejections.every(({ replayed }) => replayed !== undefined) && rejections;
  });
  expect(answers).toHaveLength(1);
  expect(answers[0]?.replayed?.errorDetail).toBe(answers[0]?.recorded?.errorDetail);
  expect(replay.show().differs).toBe(0);
}

function findClient(name: string): ShopClient {
  const found = shopClients.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no client ${name}`);
  return found;
}

describe('a real client of a replay from a file', () => {
  it('ends with the same CSDS answer and the same NACKs: grpc-js-xds', () =>
    replayTo(findClient('shop-web'), 'recommendations'));

  it('ends with the same CSDS answer and the same NACKs: C-core', async (context) => {
    const python = await findPython();
    if (python.kind === 'absent') return context.skip();
    await replayTo(findClient('shop-warehouse'), 'inventory', python.command);
  });
});
