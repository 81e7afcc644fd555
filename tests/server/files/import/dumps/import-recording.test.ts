import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ClientState } from '@/lib/observation/client-state';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation, Recorded } from '@/lib/observation/observation';
import { SourceDirectory } from '@/lib/observation/source-directory';
import { type ExportRequest, RecordingRecords } from '@/server/files/export/recording-records';
import { ImportNames, labelOf } from '@/server/files/import/import-names';
import { type ImportedRecording, importRecording } from '@/server/files/import/import-recording';
import { readXdscopeFile } from '@/server/files/xdscope-format/read-file';
import { writeXdscopeFile } from '@/server/files/xdscope-format/write-file';
import { LoadRecorder } from '@/server/live/load/load-recorder';
import { type Emission, systemClock } from '@/server/observe';
import type { Recorder } from '@/server/store/recorder/recorder';
import { clusterLoad, loadReported, localityLoad } from '@/tests/support/builders/load-samples';
import { sampleReport } from '@/tests/support/builders/observation-samples';
import { bodyOf, clusterType, emissionOf } from '@/tests/support/builders/recorder-emissions';
import { inPieces } from '@/tests/support/builders/xdscope-files';
import { connectionsStory } from '@/tests/support/connections-story';
import { streamStory } from '@/tests/support/log-story';
import { openLoads } from '@/tests/support/open-loads';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { ManualClock } from '@/tests/support/recorder-manual-clock';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';

/** Tests whose subject is not the load use these: one stays empty, and one is written and never read. */
let noLoad: LoadRecorder;
let unreadLoad: LoadRecorder;
beforeAll(async () => {
  noLoad = await LoadRecorder.open({ dataDir: tempDataDir(), clock: systemClock });
  unreadLoad = await LoadRecorder.open({ dataDir: tempDataDir(), clock: systemClock });
});
afterAll(() => Promise.all([noLoad.close(), unreadLoad.close()]));

async function openLog(emissions: readonly Emission[] = []): Promise<Recorder> {
  const recorder = await openWholeRecorder();
  onTestFinished(() => recorder.close());
  for (const emission of emissions) recorder.append(emission);
  await recorder.flushed();
  return recorder;
}

/** A stream with an ACK and a NACK from 1,000 on. CSDS reports the client at 500, 1,035 and 2,000. */
function emissions(): Emission[] {
  const body = bodyOf('cart of the stream');
  const reported = streamStory(1_000).map((each): Emission => {
    if (each.kind !== 'response-received') return { observation: each, bodies: [] };
    const resources = [{ name: 'cart', hash: body.hash, sizeBytes: body.bytes.length }];
    return { observation: { ...each, resources }, bodies: [body] };
  });
  const polled = [500, 1_035, 2_000].map((at) => emissionOf(at, `cart at ${at}`));
  return [...reported, ...polled].sort((a, b) => a.observation.at - b.observation.at);
}

const request: Omit<ExportRequest, 'clients'> = {
  madeBy: 'test',
  madeAt: 9_000,
  findSource: () => undefined,
};
const clientA = { clientId: 'client-a', nodeId: 'client-a', scope: '' };

async function fileFrom(log: Recorder, asked: Partial<ExportRequest> = {}, loads = noLoad): Promise<Buffer> {
  const records = new RecordingRecords(log, loads, {
    ...request,
    clients: [clientA],
    ...asked,
  });
  const parts: Buffer[] = [];
  for await (const part of writeXdscopeFile(records.read(), () => records.missingBodies)) parts.push(part);
  return Buffer.concat(parts);
}

async function importInto(
  log: Recorder,
  file: Buffer,
  label = 'a.xdscope',
  loads = unreadLoad,
): Promise<ImportedRecording> {
  const imported = await importRecording(readXdscopeFile(inPieces(file)), {
    names: new ImportNames(label),
    observe: (emission) => {
      log.append(emission);
      if (emission.isLoadApart !== true) loads.observe(emission.observation);
    },
    keepPace: () => log.keepPace(),
    addLoad: (values, findSeries) => loads.add(values, findSeries),
  });
  await log.flushed();
  return imported;
}

/** The client without names, for comparison. */
function plainState(client: ClientState | undefined): unknown {
  return [...(client?.reports.values() ?? [])]
    .map(({ sourceId, vantage, originalVantage = vantage, firstSeenAt: _, resources, ...report }) => ({
      ...report,
      vantage: originalVantage,
      source: sourceId.replace(/^.*#/, ''),
      rows: [...resources.values()],
    }))
    .sort((a, b) => (a.source < b.source ? -1 : 1));
}

async function observationsOf(log: Recorder, clientId: string): Promise<Recorded[]> {
  return log.readObservations({ clientId, limit: 10_000, order: 'asc' });
}

function plainObservation({ seq: _, originalVantage, ...observation }: Recorded): Observation {
  return {
    ...observation,
    vantage: originalVantage ?? observation.vantage,
    sourceId: observation.sourceId.replace(/^.*#/, ''),
    ...('clientId' in observation && { clientId: '' }),
    ...('streamId' in observation && { streamId: observation.streamId.replace(/^a\.xdscope /, '') }),
    ...('scope' in observation && { scope: '' }),
  };
}

const imported = new ImportNames('a.xdscope').clientId('client-a');

/** Totals by locality and series by cluster of one client. */
async function loadOf(loads: LoadRecorder, clientId: string) {
  const span = { from: 0, to: 10_000_000 };
  const common = { clientId, span, limit: 100 };
  const totals = await loads.read({ ...common, by: 'locality', stepMs: null, measures: [] });
  const series = await loads.read({
    ...common,
    by: 'cluster',
    stepMs: 10_000,
    measures: ['requests', 'in-flight'],
  });
  return { totals: totals.groups, series: series.groups };
}

describe('a recording that is exported and imported', () => {
  it.each([
    ['shop', 0],
    ['shop', 4],
    ['edge', 0],
    ['edge', 4],
  ])('has the connections of %s, with a range from observation %i', async (id, first) => {
    const log = await openLog(connectionsStory.map((observation) => ({ observation, bodies: [] })));
    const clients = [{ clientId: id, nodeId: id, scope: '' }];
    const file = await fileFrom(log, {
      clients,
      clientId: id,
      from: connectionsStory[first]?.at ?? 0,
      to: 9e12,
    });
    const other = await openLog();
    await importInto(other, file);
    const connectionsOf = async (recorder: Recorder, clientId: string) => {
      const found = await recorder.readClientAt(clientId, 9e12);
      return [...(found?.client.reports.values() ?? [])].map(({ connections }) => connections);
    };
    const [recorded] = await connectionsOf(log, id);
    expect(recorded?.length).toBeGreaterThan(1);
    expect(await connectionsOf(other, new ImportNames('a.xdscope').clientId(id))).toEqual([recorded]);
  });

  it.each([0, 3, 9_000])('has the RPCs of a test client, with a range from %i', async (from) => {
    const { node, scope } = sampleReport();
    const base = { vantage: 'interop', sourceId: 'interop:a:1', clientId: 'c1', node, scope } as const;
    const ended = [{ code: 0, count: 5 }];
    const peers = [{ peer: 'b1', count: 5 }];
    const configured = {
      types: ['UNARY_CALL' as const],
      metadata: [{ type: 'UNARY_CALL' as const, key: 'rpc-behavior', value: 'keep-open' }],
    };
    const block = { requested: 5, timeoutMs: 1_000, tookMs: 10, failed: 0, peers, methods: [] };
    const reported: Observation[] = [
      { ...base, at: 1, kind: 'rpcs-counted', methods: [] },
      { ...base, at: 2, kind: 'test-client-configured', ...configured },
      { ...base, at: 3, kind: 'rpcs-counted', methods: [{ method: 'UNARY_CALL', started: 7, ended }] },
      { ...base, at: 4, kind: 'rpc-block-counted', ...block },
    ];
    const log = await openLog(reported.map((observation) => ({ observation, bodies: [] })));
    const clients = [{ clientId: 'c1', nodeId: 'web', scope: '' }];
    const other = await openLog();
    await importInto(other, await fileFrom(log, { clients, clientId: 'c1', from, to: 9e12 }));
    const testClientsOf = async (recorder: Recorder, clientId: string) => {
      const found = await recorder.readClientAt(clientId, 9e12);
      return [...(found?.client.reports.values() ?? [])].map(({ testClient }) => testClient);
    };
    const [recorded] = await testClientsOf(log, 'c1');
    expect(recorded).toMatchObject({ counts: { at: 3, previous: { at: 1 } }, block: { at: 4 } });
    expect(await testClientsOf(other, new ImportNames('a.xdscope').clientId('c1'))).toEqual([recorded]);
  });

  it('has the same load, although the log has few of the reports', async () => {
    // No load is beyond the retention.
    const clock = new ManualClock();
    const [loads, otherLoads] = [await openLoads(clock), await openLoads(clock)];
    const reported = { clientId: 'client-a' };
    const reports = Array.from({ length: 500 }, (_, report) => {
      const zones = ['a', 'b'].map((zone) =>
        localityLoad(zone, { successful: `${report}`, inProgress: `${report % 7}` }),
      );
      return loadReported(1_000 + report * 10_000, [clusterLoad(zones)], reported);
    });
    for (const report of reports) loads.observe(report);
    loads.observe(loadReported(1_000, [clusterLoad([localityLoad('a', { successful: '9' })])]));
    // The log has a part of the reports.
    const log = await openLog(reports.slice(0, 3).map((observation) => ({ observation, bodies: [] })));
    const other = await openLog();
    const file = await fileFrom(log, { madeAt: 9_000_000 }, loads);
    const result = await importInto(other, file, 'a.xdscope', otherLoads);
    expect(result).toMatchObject({ observations: 3, damage: [] });
    expect(await loadOf(otherLoads, imported)).toEqual(await loadOf(loads, 'client-a'));
    // Exports one client, and then a part of the time.
    const part = { clientId: 'client-a', from: 2_001_000, to: 2_021_000, madeAt: 9_000_000 };
    const partLoads = await openLoads(clock);
    await importInto(await openLog(), await fileFrom(log, part, loads), 'a.xdscope', partLoads);
    const web = await loadOf(partLoads, new ImportNames('a.xdscope').clientId('web'));
    expect(web.totals).toEqual([]);
    const { totals } = await loadOf(partLoads, imported);
    expect(totals.map(({ totals: { successful } }) => successful)).toEqual([603, 603]);
  });

  it('has the same history, the same bodies, and the same fold at every moment', async () => {
    const log = await openLog(emissions());
    const other = await openLog();
    const result = await importInto(other, await fileFrom(log));
    expect(result).toMatchObject({ observations: 11, damage: [], notes: [], from: 500, to: 2_000 });
    const [before, after] = [await observationsOf(log, 'client-a'), await observationsOf(other, imported)];
    expect(after.map(plainObservation)).toEqual(before.map(plainObservation));
    for (const { at } of before) {
      const was = await log.readClientAt('client-a', at);
      const is = await other.readClientAt(imported, at);
      expect(plainState(is?.client)).toEqual(plainState(was?.client));
    }
    const { hash } = bodyOf('cart of the stream');
    expect(await other.readBody(hash, clusterType)).toEqual(await log.readBody(hash, clusterType));
  });

  it('declares its sources as the recording did, and those that it did not by what they observed', async () => {
    const polled = sampleReport({ clientId: 'client-a', sourceId: 's-2', vantage: 'istiod', at: 3_000 });
    const log = await openLog([...emissions(), { observation: polled, bodies: [] }]);
    const tap = { kind: 'tap', target: 'a=b', server: 'b', fileId: 'inner' } as const;
    const findSource = (id: string) => (id === 'tap:1' ? tap : undefined);
    const other = await openLog();
    await importInto(other, await fileFrom(log, { findSource }));
    const sources = new SourceDirectory();
    for await (const page of other.replayAfter(0)) {
      for (const observation of page) {
        sources.fold(observation);
        expect(sources.find(observation.sourceId)).toBeDefined();
      }
    }
    const names = new ImportNames('a.xdscope');
    expect(sources.find(names.sourceOf('tap:1'))).toEqual({ ...tap, fileId: names.sourceId });
    const declared = { kind: 'istiod', target: 's-2', fileId: names.sourceId };
    expect(sources.find(names.sourceOf('s-2'))).toEqual(declared);
  });

  it('of a range begins with the state of the client', async () => {
    const log = await openLog(emissions());
    const other = await openLog();
    const result = await importInto(other, await fileFrom(log, { from: 1_045, to: 1_100 }));
    expect(result.from).toBeGreaterThanOrEqual(1_045);
    expect(result.to).toBeLessThanOrEqual(1_100);
    for (const at of [1_045, 1_050, 1_070, 1_100]) {
      const was = await log.readClientAt('client-a', at);
      const is = await other.readClientAt(imported, at);
      expect(plainState(is?.client)).toEqual(plainState(was?.client));
    }
  });

  it('of a range without observations has only the state', async () => {
    const log = await openLog(emissions());
    const other = await openLog();
    expect(await importInto(other, await fileFrom(log, { from: 1_500, to: 1_600 }))).toMatchObject({
      observations: 0,
    });
    const was = await log.readClientAt('client-a', 1_550);
    expect(plainState((await other.readClientAt(imported, 1_550))?.client)).toEqual(plainState(was?.client));
  });

  it('is a client next to the live one in the same log, and neither changes the other', async () => {
    const log = await openLog(emissions());
    const before = await log.readClientAt('client-a', 1_035);
    await importInto(log, await fileFrom(log));
    const world: World = new Map();
    for await (const page of log.replayAfter(0)) for (const each of page) foldObservation(world, each);
    expect([...world.keys()].sort()).toEqual(['client-a', imported].sort());
    expect(world.get(imported)).toMatchObject({ node: { id: 'client-a' }, scope: 'a.xdscope' });
    const now = await log.readClientAt('client-a', 1_035);
    expect(now?.seq).toBe(before?.seq);
    expect(plainState(now?.client)).toEqual(plainState(before?.client));
    expect(plainState((await log.readClientAt(imported, 1_035))?.client)).toEqual(plainState(before?.client));
  });

  it('is exported only by itself, and not with all clients', async () => {
    const log = await openLog(emissions());
    await importInto(log, await fileFrom(log));
    const again = await openLog();
    expect(await importInto(again, await fileFrom(log))).toMatchObject({ observations: 11 });
    const alone = await fileFrom(log, {
      clientId: imported,
      clients: [{ clientId: imported, nodeId: 'client-a', scope: 'a.xdscope' }],
    });
    expect(await importInto(again, alone, 'b.xdscope')).toMatchObject({ observations: 11 });
  });

  it('brings its gaps and pins, those of all clients for each client of the file', async () => {
    const log = await openLog(emissions());
    const gaps = [{ fromSeq: 5, toSeq: 9, fromAt: 1_010, toAt: 1_020, reason: 'the disk was full' }];
    const pin = { from: 1_000, to: 1_100, label: 'the incident' };
    const labels = ['client-a', null, 'somebody else'].map((clientId) => ({ ...pin, clientId }));
    const result = await importInto(await openLog(), await fileFrom(log, { gaps, labels }));
    expect(result.gaps).toEqual(gaps);
    expect(result.labels).toEqual([
      { ...pin, clientId: imported },
      { ...pin, clientId: imported },
    ]);
    expect(result.notes).toEqual([
      expect.stringMatching(/^5 observations .* were not recorded: the disk was full$/),
    ]);
    const many = Array.from({ length: 60 }, () => ({ ...pin, clientId: null }));
    const cut = await importInto(await openLog(), await fileFrom(log, { labels: many }));
    expect(cut.labels).toHaveLength(50);
    expect(cut.notes).toEqual(['10 pins of the file were left out: at most 50 of one file are kept']);
  });

  it('notes the number of bodies that were deleted before the export', async () => {
    const gone = emissionOf(500, 'gone');
    const log = await openLog([{ ...gone, bodies: [] }]);
    const other = await openLog();
    const result = await importInto(other, await fileFrom(log));
    expect(result.notes).toEqual(['1 resource bodies were no longer there when the file was made']);
  });
});

describe('the label of a file', () => {
  it('is its name without secrets and separators, and unique', () => {
    const taken = new Set(['a.xdscope', 'a.xdscope (2)']);
    expect(labelOf('a.xdscope', (label) => taken.has(label))).toBe('a.xdscope (3)');
    expect(labelOf('../../etc#x\n.xdscope', () => false)).toBe('.._.._etc_x_.xdscope');
    expect(labelOf('', () => false)).toBe('recording.xdscope');
  });
});
