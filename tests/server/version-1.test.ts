import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import type { NumberedSeries } from '@/lib/load/load-excerpt';
import { readLoadValues } from '@/server/live/load/load-block';
import { LoadRecorder } from '@/server/live/load/load-recorder';
import type { Recorder } from '@/server/store/recorder/recorder';
import { storedKinds } from '@/server/store/stored-kinds';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { recordsOf } from '../support/builders/xdscope-files';
import {
  type GoldenContent,
  goldenDir,
  loadLine,
  plainClient,
  readGoldenContent,
  writeGoldenFiles,
} from '../support/golden-files';
import { ManualClock } from '../support/recorder-manual-clock';
import { tempDataDir } from '../support/recorder-temp-dir';

let content: GoldenContent;

beforeAll(async () => {
  if (process.env.XDSCOPE_WRITE_GOLDEN === '1') await writeGoldenFiles();
  content = readGoldenContent();
});

/** Opening a recording writes to it, so the test uses a copy. */
function copyOf(name: string): string {
  const dataDir = tempDataDir();
  cpSync(path.join(goldenDir, name), path.join(dataDir, name));
  return dataDir;
}

async function openCopy(): Promise<Recorder> {
  const recorder = await openWholeRecorder({ dataDir: copyOf('recording.sqlite'), clock: new ManualClock() });
  onTestFinished(() => recorder.close());
  return recorder;
}

/** Kinds that were added after the golden files were written. */
const later: readonly string[] = [
  ...['connections-changed', 'rpcs-counted', 'rpc-block-counted', 'test-client-configured', 'interop-step'],
  'test-server-set',
];

it('a recording of version 1 has the observations that were recorded, of every kind', async () => {
  const recorder = await openCopy();
  const found = [];
  for await (const page of recorder.replayAfter(0)) found.push(...page);
  expect(found).toEqual(content.observations);
  expect(new Set(found.map(({ kind }) => kind))).toEqual(
    new Set(storedKinds.filter((kind) => !later.includes(kind))),
  );
});

it('a recording of version 1 finds observations by client, name, version, error text and kind', async () => {
  const recorder = await openCopy();
  const count = (matches: (json: string) => boolean) =>
    content.observations.filter((each) => matches(JSON.stringify(each))).length;
  expect(await recorder.countHistory({ clientId: 'web-0' })).toBe(count((json) => json.includes('"web-0"')));
  expect(await recorder.countHistory({ resourceName: 'large-7' })).toBe(
    count((json) => json.includes('"large-7"')),
  );
  expect(await recorder.countHistory({ version: 'w5' })).toBe(1);
  expect(await recorder.countHistory({ errorText: 'bad lb policy', kinds: ['nack-sent'] })).toBe(40);
});

it('a recording of version 1 has the bodies that were recorded', async () => {
  const recorder = await openCopy();
  for (const { hash, typeUrl, base64 } of content.bodies) {
    const bytes = new Uint8Array(Buffer.from(base64, 'base64'));
    expect(await recorder.readBody(hash, typeUrl)).toEqual({ hash, typeUrl, bytes });
  }
  expect(recorder.stats().bodies).toBe(content.bodies.length);
});

it('a recording of version 1 has each client as it was, from its snapshots and from the log', async () => {
  const recorder = await openCopy();
  for (const { seq, client } of content.clients) {
    const { clientId } = client as { readonly clientId: string };
    const found = await recorder.readClientAt(clientId, { seq });
    expect(found && plainClient(found.client)).toEqual(client);
  }
});

it('a recording of version 1 has its checkpoint, gaps, pins and permalinks', async () => {
  const recorder = await openCopy();
  const checkpoint = await recorder.loadCheckpoint();
  expect(checkpoint?.seq).toBe(content.checkpoint.seq);
  expect(checkpoint?.clients.map(plainClient)).toEqual(content.checkpoint.clients);
  expect(checkpoint?.sources).toEqual(content.checkpoint.sources);
  expect(await recorder.readGaps()).toEqual(content.gaps);
  expect(await recorder.pins()).toEqual(content.pins);
  for (const permalink of content.permalinks) {
    expect(await recorder.readPermalink(permalink.id)).toEqual(permalink);
  }
});

function linesOf(values: Uint8Array, series: ReadonlyMap<number, NumberedSeries['series']>): string[] {
  const lines: string[] = [];
  readLoadValues(values, (id, _kind, each) => {
    const reported = series.get(id);
    if (reported === undefined) throw new Error(`series ${id} is missing`);
    lines.push(loadLine(reported, each));
  });
  return lines;
}

it('a load file of version 1 has the values that were reported, and their sums by minute and hour', async () => {
  const clock = new ManualClock(content.exported.madeAt);
  const loads = await LoadRecorder.open({ dataDir: copyOf('load.sqlite'), clock });
  onTestFinished(() => loads.close());
  const lines: string[] = [];
  const span = { from: content.observations[0]?.at ?? 0, to: content.exported.madeAt + 1 };
  for await (const { series, values } of loads.excerptParts({ span, clientId: undefined })) {
    lines.push(...linesOf(values, new Map(series.map((each) => [each.id, each.series]))));
  }
  expect(lines.sort()).toEqual(content.load);
  const question = { by: 'cluster', span, measures: [], limit: 10 } as const;
  for (const stepMs of [null, 10_000, 60_000, 3_600_000]) {
    const { groups } = await loads.read({ ...question, stepMs });
    // Two clients have 1,000 requests a report, and one more for each second since the beginning, and 5 elsewhere.
    const successful = 2 * (6 * 1_005 + 10 + 20 + 70 + 130 + 10_800);
    expect(groups.map(({ totals }) => totals.successful)).toEqual([successful]);
  }
});

it('an .xdscope file of version 1 has the observations, bodies, gaps, labels and load of the recording', async () => {
  const records = await recordsOf(readFileSync(path.join(goldenDir, 'recording.xdscope')));
  const all = <K extends (typeof records)[number]['kind']>(kind: K) =>
    records.filter(
      (record): record is Extract<(typeof records)[number], { kind: K }> => record.kind === kind,
    );
  expect(all('damage')).toEqual([]);
  expect(all('header')[0]?.header).toMatchObject(content.exported);
  expect(all('sources').flatMap(({ sources }) => sources)).toEqual(
    content.checkpoint.sources.map(({ lastAt: _, ...source }) => source),
  );
  expect(all('observations').flatMap(({ observations }) => observations)).toEqual(content.observations);
  const bodies = new Map(all('bodies').flatMap((record) => record.bodies.map((body) => [body.hash, body])));
  expect(bodies.size).toBe(content.bodies.length);
  for (const { hash, typeUrl, base64 } of content.bodies) {
    const { bytes, ...body } = bodies.get(hash) ?? { hash: '', bytes: new Uint8Array() };
    expect({ ...body, base64: Buffer.from(bytes).toString('base64') }).toEqual({ hash, typeUrl, base64 });
  }
  expect(all('gaps').flatMap(({ gaps }) => gaps)).toEqual(content.gaps);
  const labels = content.pins.map(({ from, to, label, clientId }) => ({ from, to, label, clientId }));
  expect(all('labels').flatMap((record) => record.labels)).toEqual(labels);
  const series = new Map(
    all('load').flatMap(({ load }) => load.series.map((each) => [each.id, each.series] as const)),
  );
  expect(
    all('load')
      .flatMap(({ load }) => linesOf(load.values, series))
      .sort(),
  ).toEqual(content.load);
});
