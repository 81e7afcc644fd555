import { isDeepStrictEqual } from 'node:util';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { buildClientDetail } from '@/lib/views/client/build-client-summary';
import { type DiffAnswer, diffQuery } from '@/lib/views/compare/schema';
import { DiffApi } from '@/server/answers/diff/diff-api';
import { noSettings } from '@/server/answers/subjects/known-settings';
import { decodeBody } from '@/server/codec/decode-body';
import { Differ } from '@/server/compute/diff/differ';
import { type Body, systemClock } from '@/server/observe';
import { openRecorder } from '@/server/store/recorder/open-recorder';
import { clientStateOf } from '../support/builders/recorder-emissions';
import { makeTwoSnapshots } from '../support/builders/two-snapshots';
import { type Measured, measure, print, tempDir } from './measure';

/** `GET diff` of two snapshots whose bodies are on the disk, compared with simpler comparisons of all bodies. */
const resources = 30_000;
const every = 100;
const rounds = 5;

const median = <T>(took: readonly Measured<T>[]): Measured<T> => {
  const middle = [...took].sort((a, b) => a.wallMs - b.wallMs)[Math.floor(took.length / 2)];
  if (middle === undefined) throw new Error('bench: nothing was measured');
  return middle;
};

function printMeasured<T>(what: string, { wallMs, cpuMs, blockMs }: Measured<T>, more = ''): void {
  const reported = `${wallMs.toFixed(0).padStart(6)} ms, ${cpuMs.toFixed(0)} ms of processor, event loop held at most ${blockMs.toFixed(0)} ms`;
  print(`  ${what.padEnd(44)} ${reported}${more === '' ? '' : `: ${more}`}`);
}

const { left, right, bodies, sizeBytes } = makeTwoSnapshots(resources, every);
const mb = (sizeBytes / 1e6).toFixed(1);
print(`diff: two snapshots of ${resources} resources, ${mb} MB each, ${100 / every} % changed`);
const retention = { maxAgeMs: 1e15, maxBytes: 1e15 };
const recorder = await openRecorder({ dataDir: tempDir(), clock: systemClock, retention });
const all = [...bodies.values()];
const kind = 'client-gone';
const rest = { sourceId: 'csds:a:1', vantage: 'csds', side: 'client', reason: '' } as const;
for (let from = 0; from < all.length; from += 500) {
  const observation = { kind, seq: 0, at: systemClock.now(), clientId: 'c', ...rest } as const;
  recorder.append({ observation, bodies: all.slice(from, from + 500) });
  await recorder.flushed();
}
const detail = buildClientDetail(clientStateOf('c', 1, []), () => ({
  freshness: 'live',
  reason: '',
  lastSeenAt: 1,
}));
let revision = 0;
const viewOf = (rows: readonly ResourceRow[]) => ({
  ...{ client: detail, rows, reported: noSettings, at: Date.parse('2026-11-21T00:00:00Z') },
  ...{ source: { list: 'c', read: () => ({ rows }) }, revision: String(revision) },
});
const start = () => {
  const differ = new Differ({ recorder });
  const subjects = { find: async (id: string) => viewOf(id === 'left' ? left : right) };
  const api = new DiffApi({
    differ,
    subjects: { ...subjects, findReportedRows: async () => undefined },
    permalinks: { findSubject: async () => undefined },
  });
  return { differ, find: () => api.find(diffQuery.parse({ left: 'client/left', right: 'client/right' })) };
};
const first: Measured<DiffAnswer>[] = [];
const warm: Measured<DiffAnswer>[] = [];
const again: Measured<DiffAnswer>[] = [];
for (let round = 0; round < rounds; round++) {
  const { differ, find } = start();
  first.push(await measure(find));
  await differ.close();
}
const { differ, find } = start();
for (let round = 0; round <= rounds; round++) {
  const took = await measure(find);
  const page = await measure(find);
  // The thread keeps running with its types; every body is compared again.
  differ.forget();
  revision += 1;
  if (round === 0) continue;
  warm.push(took);
  again.push(page);
}
await differ.close();
const diff = median(warm);
printMeasured('the diff, its thread started for it', median(first), median(first).result.summary.join(' '));
printMeasured('the diff', diff, JSON.stringify(diff.result.counts));
printMeasured('another page of it', median(again));

const readAll = async (rows: readonly ResourceRow[]): Promise<unknown[]> => {
  const stored: Map<string, Body> = await recorder.readBodies(rows.flatMap(({ hash }) => hash ?? []));
  return rows.map(({ typeUrl, hash }) => {
    const body = stored.get(hash ?? '');
    return body && decodeBody(typeUrl, body.bytes).json;
  });
};
const strings = await measure(async () => {
  const [one, other] = [await readAll(left), await readAll(right)];
  return one.filter((json, at) => JSON.stringify(json) !== JSON.stringify(other[at])).length;
});
printMeasured('all of it read, decoded, JSON.stringify', strings, `${strings.result} differ in text`);
const [one, other] = [await readAll(left), await readAll(right)];
const texts = await measure(
  () => one.filter((json, at) => JSON.stringify(json) !== JSON.stringify(other[at])).length,
);
printMeasured('JSON.stringify alone, all of it decoded before', texts, `${texts.result} differ in text`);
const deep = await measure(() => one.filter((json, at) => !isDeepStrictEqual(json, other[at])).length);
printMeasured('isDeepStrictEqual alone, decoded before', deep, `${deep.result} differ`);
const ratio = (took: Measured<unknown>): string => `${(took.wallMs / diff.wallMs).toFixed(1)} x`;
print(
  `  beside the diff: read, decoded and stringified ${ratio(strings)}, stringified ${ratio(texts)}, deeply compared ${ratio(deep)}`,
);
print(`  aim: under 250 ms. ${diff.wallMs < 250 ? 'Met' : 'Missed'}: ${diff.wallMs.toFixed(0)} ms`);
await recorder.close();
