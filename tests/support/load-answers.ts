import type { LoadExcerpt } from '@/lib/load/load-excerpt';
import { type LoadGrouping, loadGroupings, loadMeasures, loadSorts } from '@/lib/load/load-question';
import type { LoadScope, LoadSeries } from '@/lib/load/load-series';
import { floorTo, hourMs, minuteMs } from '@/lib/load/plan-load-reading';
import { splitLoadReport } from '@/lib/load/split-load-report';
import type { ClusterLoad, LocalityLoad } from '@/lib/observation/observation';
import { pickOne, type Random, seededRandom } from '@/server/lab/random';
import type { LoadExcerptQuestion } from '@/server/live/load/excerpt-load';
import { LoadBlockWriter } from '@/server/live/load/load-block';
import type { LoadAnswer, LoadJobs, LoadReadQuestion } from '@/server/live/load/load-jobs';
import { LoadNames } from '@/server/live/load/load-names';
import { defaultLoadRetention } from '@/server/live/load/load-retention';
import { clusterLoad, localityLoad } from './builders/load-samples';

/** The jobs of the recorder of load, whichever thread they are in. */
export type LoadRunner = {
  readonly [Kind in Exclude<keyof LoadJobs, 'close' | 'blocksAfter' | 'takeWaiting'>]: (
    input: LoadJobs[Kind]['input'],
  ) => LoadJobs[Kind]['output'] | Promise<LoadJobs[Kind]['output']>;
};

const start = 500_000 * hourMs;
const storyHours = 5;
const end = start + storyHours * hourMs;
const retention = { ...defaultLoadRetention, rawMs: 2 * hourMs, minutesMs: 3 * hourMs };

/** Sources, of which a tap observes some of what the receiver receives, and one is imported. */
const sources = [
  { sourceId: 'lrs', vantage: 'lrs' },
  { sourceId: 'file:a#lrs', vantage: 'lrs', fileId: 'file:a' },
  { sourceId: 'tap', vantage: 'tap' },
] as const;

/** With a tap, whose reports count once, sums over all clients are not read. */
export const loadStories = ['without-tap', 'with-tap'] as const;
export type LoadStory = (typeof loadStories)[number];

function localityOf(random: Random, zone: string): LocalityLoad {
  const number = (below: number): string => String(Math.floor(random() * below));
  const metrics = [{ name: 'queue', count: number(5), sum: random() < 0.1 ? null : random() * 100 }];
  const endpoints = ['10.0.0.1:80', '10.0.0.2:80'].map((address) => ({
    ...{ address, successful: number(100), errors: number(3), issued: number(110), inProgress: number(4) },
    metrics,
  }));
  return localityLoad(zone, {
    // The largest count of a report is 2^64 - 1, and sums are larger.
    successful: random() < 0.02 ? '18446744073709551615' : number(1_000),
    ...{ errors: number(20), issued: random() < 0.2 ? null : number(1_100), inProgress: number(9) },
    ...(random() < 0.3 && {
      priority: 1,
      metrics,
      endpoints,
      newConnections: number(9),
      activeConnections: number(9),
    }),
  });
}

function clusterOf(random: Random): ClusterLoad {
  return clusterLoad(
    ['a', 'b', 'c'].filter(() => random() < 0.7).map((zone) => localityOf(random, zone)),
    {
      clusterName: pickOne(random, ['cart', 'user', 'c\u0000ü']) ?? '',
      clusterServiceName: random() < 0.2 ? 'eds' : '',
      intervalMs: random() < 0.1 ? null : (pickOne(random, [5_000, 10_000, 60_000]) ?? null),
      totalDropped: String(Math.floor(random() * 9)),
      dropped: random() < 0.3 ? [{ category: 'lb', count: '1' }] : [],
    },
  );
}

/** Records the same hours of load each time, with roll-up and retention; some reports are late. */
export async function recordLoadStory(runner: LoadRunner, story: LoadStory): Promise<void> {
  const random = seededRandom(45);
  const observing = sources.slice(0, story === 'with-tap' ? 3 : 2);
  const names = new LoadNames(100_000);
  const { nextRawId, series } = await runner.open(null);
  names.restore(series);
  let firstId = nextRawId;
  let tidiedAt = start;
  for (let now = start; now < end; now += 20_000 + Math.floor(random() * 60_000)) {
    const blocks = new Map<number, LoadBlockWriter>();
    for (let report = 0; report < 3; report++) {
      const at = now - (random() < 0.05 ? Math.floor(random() * 2 * hourMs) : Math.floor(random() * 9_000));
      const cluster = clusterOf(random);
      const source = pickOne(random, observing) ?? sources[0];
      const scope: LoadScope = {
        ...{ ...source, clientId: `client-${Math.floor(random() * 3)}`, stream: random() < 0.1 ? 1 : 0 },
        ...{ clusterName: cluster.clusterName, clusterServiceName: cluster.clusterServiceName },
        isTimed: cluster.intervalMs !== null,
      };
      const minute = floorTo(at, minuteMs);
      const block = blocks.get(minute) ?? new LoadBlockWriter();
      blocks.set(minute, block);
      splitLoadReport(cluster, at, (part, values) => {
        block.add(names.idOf(names.streamOf(scope), scope, part) ?? 0, part.kind, values);
      });
    }
    const written = [...blocks].map(([minute, block]) => ({ minute, bytes: block.finish() }));
    await runner.append({ firstId, series: names.takeNew(), blocks: written });
    firstId += written.length;
    if (now - tidiedAt < 10 * minuteMs) continue;
    tidiedAt = now;
    while (await runner.tidy({ now, retention }));
  }
}

const spans = [
  { from: start, to: end },
  { from: end - 13 * minuteMs - 777, to: end },
  { from: start + 90 * minuteMs + 1, to: start + 200 * minuteMs + 12_345 },
  { from: start - hourMs, to: start + 10 * minuteMs },
];

function questions(): LoadReadQuestion[] {
  const filters = [
    {},
    { cluster: 'cart' },
    { clientId: 'client-1' },
    { cluster: 'c\u0000ü', clientId: 'client-2' },
  ];
  const base = { measures: loadMeasures, limit: 5 };
  const steps = [null, 10_000, minuteMs, 5 * minuteMs, hourMs];
  const all = loadGroupings.flatMap((by: LoadGrouping) =>
    filters.flatMap((filter) =>
      spans.flatMap((span) => steps.map((stepMs) => ({ ...base, ...filter, by, span, stepMs }))),
    ),
  );
  // Every seventh, so that each combination of two comes up in a second.
  const some = all.filter((_, index) => index % 7 === 0);
  return [
    ...some,
    ...loadSorts.map((sort) => ({
      ...base,
      by: 'locality' as const,
      span: { from: start, to: end },
      stepMs: minuteMs,
      sort,
    })),
    ...some
      .filter(({ stepMs }) => stepMs !== null)
      .slice(0, 20)
      .map((each) => ({ ...each, endsExactly: true })),
  ];
}

const excerpts: readonly LoadExcerptQuestion[] = [
  { span: { from: start, to: end }, stepMs: 10 * minuteMs },
  { span: { from: start + 777, to: end }, stepMs: null, clientId: 'client-0' },
  { span: { from: start, to: end }, stepMs: minuteMs, clientId: 'client-2' },
];

const asText = (answer: unknown): string =>
  JSON.stringify(answer, (_, each) => (typeof each === 'bigint' ? `${each}n` : each));

function excerptText({ span, series, values }: LoadExcerpt): string {
  const sorted = (one: { readonly id: number; readonly series: LoadSeries }) => [one.id, one.series];
  return asText([span, series.map(sorted), Buffer.from(values).toString('base64')]);
}

/** Asks some hundred questions about the story. Returns a text for each answer. */
export async function readLoadAnswers(runner: LoadRunner): Promise<string[]> {
  const answers: string[] = [];
  for (const question of questions()) {
    const { span, stepMs, ...groups }: LoadAnswer = await runner.read(question);
    // Answers of version 1 stated the first step with values, which was the beginning of the span.
    answers.push(asText({ span, stepMs, valuesFrom: span.from, ...groups }));
  }
  for (const question of excerpts) answers.push(excerptText(await runner.excerpt(question)));
  for (const clientId of [undefined, 'client-1']) {
    for (let from: number | null = Number.NEGATIVE_INFINITY; from !== null; ) {
      const { excerpt, next }: LoadJobs['excerptPart']['output'] = await runner.excerptPart({
        span: { from, to: 8.64e15 },
        clientId,
      });
      answers.push(excerptText(excerpt));
      from = next;
    }
  }
  return answers;
}
