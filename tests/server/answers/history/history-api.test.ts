import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type HistoryQuery,
  historyQuery,
  type TimelineQuery,
  timelineQuery,
} from '@/lib/views/history/query';
import { historyPage, historyTimeline } from '@/lib/views/history/schema';
import { HistoryApi, type HistoryApiOptions } from '@/server/answers/history/history-api';
import { parseQuery } from '@/server/answers/parse-input';
import { readQuery } from '@/server/http/answer-request';
import { systemClock } from '@/server/observe';
import type { Recorder } from '@/server/store/recorder/recorder';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { emissions, streamStory } from '../../../support/log-story';

let recorder: Recorder;
let api: HistoryApi;
beforeEach(async () => {
  recorder = await openWholeRecorder();
  const observations = [...streamStory(1_000), ...streamStory(2_000, 'client-b')];
  for (const emission of emissions(observations)) recorder.append(emission);
  api = apiOf(() => undefined);
});
afterEach(() => recorder.close());

const findSource = () => undefined;

function apiOf(fileOf: HistoryApiOptions['imports']['fileOf'], oldestAt?: number): HistoryApi {
  return new HistoryApi({
    ...{ recorder, clock: systemClock, nodeIdOf: (id: string) => `node of ${id}`, findSource },
    imports: { fileOf, oldestAt },
  });
}

function pageQuery(text: string): HistoryQuery {
  return parseQuery(historyQuery, readQuery(new URLSearchParams(text), historyQuery));
}

function timelineOf(text: string): TimelineQuery {
  return parseQuery(timelineQuery, readQuery(new URLSearchParams(text), timelineQuery));
}

async function page(query: string) {
  return historyPage.parse(await api.page(pageQuery(query)));
}

describe('GET history', () => {
  it('pages to both ends by cursor, newest first, without a cursor at an end', async () => {
    const first = await page('limit=6');
    expect(first.items.map(({ seq }) => seq)).toEqual([16, 15, 14, 13, 12, 11]);
    expect(first.newer).toBeUndefined();
    const second = await page(`limit=6&cursor=${first.older}`);
    expect(second.items.map(({ seq }) => seq)).toEqual([10, 9, 8, 7, 6, 5]);
    const third = await page(`limit=6&cursor=${second.older}`);
    expect(third.items.map(({ seq }) => seq)).toEqual([4, 3, 2, 1]);
    expect(third.older).toBeUndefined();
    const back = await page(`limit=6&cursor=${third.newer}`);
    expect(back.items).toEqual(second.items);
    const oldest = await page('limit=3&order=asc');
    expect(oldest.items.map(({ seq }) => seq)).toEqual([3, 2, 1]);
    expect([oldest.older, oldest.newer]).toEqual([undefined, expect.any(String)]);
  });

  it('reports a NACK with its error, its version and its response', async () => {
    const { items } = await page('kind=nack-sent&client=client-b&type=CDS');
    expect(items).toEqual([
      expect.objectContaining({
        kind: 'nack-sent',
        nodeId: 'node of client-b',
        service: 'CDS',
        versionInfo: 'v2',
        nonce: 'n2',
        errorText: 'cluster "cart": Bad LB policy',
        names: ['cart'],
        tookMs: 4.5,
        pairSeq: 13,
        isTrouble: true,
      }),
    ]);
  });

  it('marks events of a file that was removed', async () => {
    const parts = { recorder, clock: systemClock, nodeIdOf: () => undefined, findSource };
    const isOfRemovedFile = ({ clientId }: { readonly clientId: string }) => clientId === 'client-b';
    const reported = new HistoryApi({
      ...parts,
      isOfRemovedFile,
      imports: { fileOf: () => undefined, oldestAt: undefined },
    });
    const { items } = historyPage.parse(await reported.page(pageQuery('limit=100')));
    const removed = items.filter(({ ofRemovedFile }) => ofRemovedFile);
    expect(removed.length).toBeGreaterThan(0);
    expect(removed).toEqual(items.filter(({ clientId }) => clientId === 'client-b'));
  });

  it('finds the next rejection in either direction, however far away it is', async () => {
    const quiet = Array.from({ length: 5_000 }, (_, index) => ({
      kind: 'source-up' as const,
      at: 3_000 + index,
      vantage: 'csds' as const,
      sourceId: 'csds:a',
    }));
    const [late] = streamStory(10_000, 'client-c').filter(({ kind }) => kind === 'nack-sent');
    if (late === undefined) throw new Error('expected a story with a NACK');
    for (const emission of emissions([...quiet, late])) recorder.append(emission);
    const newest = await page('limit=1&rejected=true');
    expect(newest.items[0]).toMatchObject({ kind: 'nack-sent', clientId: 'client-c', seq: 5_017 });
    const before = await page(`limit=1&rejected=true&cursor=${newest.older}`);
    expect(before.items[0]).toMatchObject({ kind: 'nack-sent', clientId: 'client-b' });
    expect((await page(`limit=1&rejected=true&cursor=${before.newer}`)).items).toEqual(newest.items);
    const all = await page('limit=1000&rejected=true');
    expect(all.items.every(({ kind, errorText }) => kind === 'nack-sent' || errorText !== undefined)).toBe(
      true,
    );
  });

  it('rejects a query that is not valid, and names the field', async () => {
    const cases = [
      ['type=XDS', 'type.0'],
      ['kind=nack', 'kind.0'],
      ['from=yesterday', 'from'],
      ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'from'],
      ['limit=0', 'limit'],
      ['cursor=abc', 'cursor'],
      ['clientId=a', 'clientId'],
    ] as const;
    for (const [query, field] of cases) {
      await expect(page(query)).rejects.toMatchObject({ status: 400, field });
    }
  });
});

describe('GET history/timeline', () => {
  it('of a live client begins with its own events, where a file is from before them', async () => {
    const query = timelineOf('client=client-b');
    const without = await api.timeline(query);
    const withFile = await apiOf(() => undefined, 1_000).timeline(query);
    expect([without.from, withFile.from]).toEqual([1_000, 2_000]);
    const all = await apiOf(() => undefined, 1_000).timeline(timelineOf(''));
    expect(all.from).toBe(1_000);
  });

  it('answers each event as a mark in the lane of its stream and type', async () => {
    const timeline = historyTimeline.parse(await api.timeline(timelineOf('client=client-a')));
    if (timeline.kind !== 'marks') throw new Error(`expected marks, got ${timeline.kind}`);
    expect(timeline.seq).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(timeline.lanes.map(({ streamId, service }) => [streamId, service])).toEqual([
      ['client-a-1', undefined],
      ['client-a-1', 'CDS'],
      ['client-a-1', 'EDS'],
    ]);
    expect(timeline.tookMs[5]).toBe(4.5);
  });

  it('begins with the recording, however early the time range begins', async () => {
    const { from } = await api.timeline(timelineOf('from=1970-01-01T00:00:00.000Z'));
    expect(from).toBe(recorder.stats().oldestAt);
    const later = await api.timeline(timelineOf('from=1970-01-01T00:00:01.500Z'));
    expect(later.from).toBe(1_500);
  });
});

describe("the history of a file's client", () => {
  const gap = { fromSeq: 3, toSeq: 4, fromAt: 1_010, toAt: 1_030, reason: 'the disk was full' };
  const reported = {
    fromSeq: 3,
    toSeq: 4,
    reason: gap.reason,
    from: gap.fromAt,
    to: gap.toAt,
  };
  const ofFile = () =>
    apiOf((id) => (id === 'client-a' ? { from: 1_000, to: 1_100, gaps: [gap] } : undefined));

  it('covers the time range of the file, not up to now', async () => {
    const own = historyTimeline.parse(await ofFile().timeline(timelineOf('client=client-a')));
    expect(own).toMatchObject({ kind: 'marks', from: 1_000, to: 1_100 });
    const other = historyTimeline.parse(await ofFile().timeline(timelineOf('client=client-b')));
    expect(other.to).toBeGreaterThan(1e12);
    const asked = await ofFile().timeline(
      timelineOf(`client=client-a&from=${new Date(1_020).toISOString()}&to=${new Date(1_040).toISOString()}`),
    );
    expect(asked).toMatchObject({ from: 1_020, to: 1_040 });
  });

  it('has the gaps of the file, unlike the history of other clients', async () => {
    expect((await ofFile().timeline(timelineOf('client=client-a'))).gaps).toEqual([reported]);
    expect((await ofFile().page(pageQuery('client=client-a'))).gaps).toEqual([reported]);
    expect((await ofFile().timeline(timelineOf('client=client-b'))).gaps).toEqual([]);
    expect((await ofFile().page(pageQuery(''))).gaps).toEqual([]);
  });
});
