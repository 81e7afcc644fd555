import { afterEach, describe, expect, it } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation, Recorded } from '@/lib/observation/observation';
import { CDS, EDS } from '@/lib/xds/resource-type';
import type { HistoryFilter } from '@/server/store/history-query';
import type { Recorder } from '@/server/store/recorder/recorder';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { emissionOf } from '../../../support/builders/recorder-emissions';
import { emissions, streamStory } from '../../../support/log-story';

let recorder: Recorder | undefined;
afterEach(async () => {
  await recorder?.close();
  recorder = undefined;
});

async function openWith(observations: readonly Observation[]): Promise<Recorder> {
  recorder = await openWholeRecorder();
  for (const emission of emissions(observations)) recorder.append(emission);
  await recorder.flushed();
  return recorder;
}

async function seqsOf(log: Recorder, filter: HistoryFilter): Promise<number[]> {
  const rows = await log.readHistory({ ...filter, order: 'asc', limit: 100 });
  return rows.map(({ seq }) => seq);
}

const two = [...streamStory(1_000), ...streamStory(2_000, 'client-b')];

describe('readHistory()', () => {
  it('filters by client, stream, source, type, kind, vantage, name, version, error text and time', async () => {
    const log = await openWith(two);
    expect(await seqsOf(log, {})).toHaveLength(16);
    expect(await seqsOf(log, { clientId: 'client-b' })).toEqual([9, 10, 11, 12, 13, 14, 15, 16]);
    expect(await seqsOf(log, { streamId: 'client-a-1' })).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await seqsOf(log, { sourceId: 'tap:2' })).toEqual([]);
    expect(await seqsOf(log, { vantages: ['csds', 'tap'] })).toHaveLength(16);
    expect(await seqsOf(log, { vantages: ['csds'] })).toEqual([]);
    expect(await seqsOf(log, { typeUrls: [EDS.typeUrl] })).toEqual([7, 15]);
    expect(await seqsOf(log, { typeUrls: [EDS.typeUrl, CDS.typeUrl], clientId: 'client-a' })).toEqual([
      2, 3, 4, 5, 6, 7,
    ]);
    expect(await seqsOf(log, { kinds: ['nack-sent', 'stream-closed'] })).toEqual([6, 8, 14, 16]);
    expect(await seqsOf(log, { resourceName: 'cart' })).toEqual([3, 4, 5, 6, 11, 12, 13, 14]);
    expect(await seqsOf(log, { resourceName: 'car' })).toEqual([]);
    expect(await seqsOf(log, { resourceName: 'cart-endpoints' })).toEqual([7, 15]);
    expect(await seqsOf(log, { version: 'v2' })).toEqual([5, 6, 13, 14]);
    expect(await seqsOf(log, { errorText: 'bad lb' })).toEqual([6, 14]);
    expect(await seqsOf(log, { errorText: 'RESET' })).toEqual([8, 16]);
    expect(await seqsOf(log, { from: 1_070, to: 2_010 })).toEqual([8, 9, 10]);
    expect(await log.countHistory({ version: 'v2', clientId: 'client-a' })).toBe(2);
  });

  it('continues after or before a seq while new observations are appended', async () => {
    const log = await openWith(two);
    const newest = await log.readHistory({ order: 'desc', limit: 3 });
    expect(newest.map(({ seq }) => seq)).toEqual([16, 15, 14]);
    for (const emission of emissions(streamStory(3_000))) log.append(emission);
    await log.flushed();
    const older = await log.readHistory({ order: 'desc', limit: 3, beforeSeq: 14 });
    expect(older.map(({ seq }) => seq)).toEqual([13, 12, 11]);
    const newer = await log.readHistory({ order: 'asc', limit: 2, afterSeq: 16 });
    expect(newer.map(({ seq }) => seq)).toEqual([17, 18]);
  });

  it('pairs a response with its ACK or NACK, in both directions, with the time between them', async () => {
    const log = await openWith(two);
    const rows = await log.readHistory({ order: 'asc', limit: 100 });
    const pairs = rows.filter(({ pairSeq }) => pairSeq !== null).map(({ seq, pairSeq }) => [seq, pairSeq]);
    expect(pairs).toEqual([
      [3, 4],
      [4, 3],
      [5, 6],
      [6, 5],
      [11, 12],
      [12, 11],
      [13, 14],
      [14, 13],
    ]);
    expect(rows[2]?.pairMs).toBe(10);
    const [nack] = await log.readHistory({ order: 'desc', limit: 1, kinds: ['nack-sent'] });
    expect(nack).toMatchObject({ seq: 14, pairSeq: 13 });
    const [response] = await log.readHistory({ order: 'asc', limit: 1, kinds: ['response-received'] });
    expect(response).toMatchObject({ seq: 3, pairSeq: 4 });
  });

  it('reports no time for a repeated NACK', async () => {
    const story = streamStory(1_000);
    const nack = story.find(({ kind }) => kind === 'nack-sent');
    if (nack?.kind !== 'nack-sent') throw new Error('the story has a NACK');
    const { tookMs: _, ...untimed } = nack;
    const log = await openWith([...story, { ...untimed, at: 60_000 }]);
    const [again] = await log.readHistory({ order: 'desc', limit: 1 });
    expect(again).toMatchObject({ seq: 9, pairSeq: 5, pairMs: null });
    const { marks } = await log.readMarks({}, 100);
    expect(marks[8]).toMatchObject({ seq: 9, pairSeq: 5, tookMs: null });
    expect(marks[4]).toMatchObject({ seq: 5, pairSeq: 6 });
  });
});

describe('readMarks() and readDensity()', () => {
  it('return every matching observation, or their number', async () => {
    const log = await openWith(two);
    const { marks, total, gaps } = await log.readMarks({ clientId: 'client-b' }, 100);
    expect([marks.length, total, gaps]).toEqual([8, 8, []]);
    expect(marks[5]).toMatchObject({
      seq: 14,
      at: 2_050,
      kind: 'nack-sent',
      clientId: 'client-b',
      streamId: 'client-b-1',
      typeUrl: CDS.typeUrl,
      tookMs: 4.5,
    });
    expect(await log.readMarks({}, 15)).toMatchObject({ marks: [], total: 16 });
    const density = await log.readDensity({ kinds: ['nack-sent', 'ack-sent'] }, 1_000);
    expect(density.map(({ at, kind, count }) => [at, kind, count])).toEqual([
      [1_000, 'ack-sent', 1],
      [1_000, 'nack-sent', 1],
      [2_000, 'ack-sent', 1],
      [2_000, 'nack-sent', 1],
    ]);
  });
});

describe('readClientAt()', () => {
  it('returns the fold of everything up to the moment', async () => {
    const log = await openWith(two);
    const world: World = new Map();
    for (const [index, observation] of two.entries()) {
      const recorded: Recorded = { ...observation, seq: index + 1 };
      foldObservation(world, recorded);
      const found = await log.readClientAt('client-a', { seq: recorded.seq });
      expect(found?.client).toEqual(world.get('client-a'));
      expect(found).toMatchObject({ beginsAt: 1_000, incomplete: '' });
    }
    expect((await log.readClientAt('client-b', 1_999))?.client).toBeUndefined();
    expect((await log.readClientAt('client-b', 2_035))?.seq).toBe(12);
    expect(await log.readClientAt('nobody', 5_000)).toBeUndefined();
  });

  it('folds in nothing observed after the moment, even if earlier observations were appended later', async () => {
    const story = [
      emissionOf(1_000, 'old'),
      emissionOf(3_000, 'new'),
      emissionOf(2_500, 'late', 'client-a', 'other'),
    ];
    const log = await openWith(story.map(({ observation }) => observation));
    expect((await log.readClientAt('client-a', 2_600))?.seq).toBe(1);
    expect((await log.readClientAt('client-a', 3_000))?.seq).toBe(3);
  });

  it('reads a client of a file by the times in the file, whatever its id is', async () => {
    const ofFile = [1_000, 2_000].map((at) => ({
      ...emissionOf(at, `file at ${at}`, 'client-b').observation,
      vantage: 'dump' as const,
    }));
    const live = [1_500, 3_000].map((at) => emissionOf(at, `live at ${at}`).observation);
    const log = await openWith([...live, ...ofFile]);
    const seqs = async (clientId: string) =>
      Promise.all(
        [999, 1_600, 2_000, 9_000].map(async (at) => (await log.readClientAt(clientId, at))?.client.seq),
      );
    expect(await seqs('client-b')).toEqual([undefined, 3, 4, 4]);
    expect(await seqs('client-a')).toEqual([undefined, 1, 1, 2]);
  });

  it('folds in observations of other sources', async () => {
    const log = await openWith([...streamStory(1_000), emissionOf(1_500, null).observation]);
    const found = await log.readClientAt('client-a', 2_000);
    expect([...(found?.client.reports.keys() ?? [])]).toEqual(['tap:1', 'csds:127.0.0.1:1']);
  });
});
