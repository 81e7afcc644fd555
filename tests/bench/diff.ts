import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { isDeepStrictEqual } from 'node:util';
import { type DiffAnswer, diffQuery } from '@/lib/api/diff';
import type { ResourceRow } from '@/lib/api/schema';
import { buildClientDetail } from '@/lib/view-model/client/build-client-summary';
import { DiffApi } from '@/server/answers/diff/diff-api';
import { noSettings } from '@/server/answers/findings/known-settings';
import { decodeBody } from '@/server/codec/decode-body';
import { Differ } from '@/server/diff/differ';
import { type Body, systemClock } from '@/server/observe';
import { openRecorder } from '@/server/recorder/open-recorder';
import { clientStateOf } from '../support/recorder-emissions';
import { makeTwoSnapshots } from '../support/two-snapshots';

/** `GET diff` of two snapshots whose bodies are on the disk, beside comparing everything with what is at hand. */
const resources = 30_000;
const every = 100;
const rounds = 5;

interface Took<T> {
  readonly ms: number;
  readonly cpuMs: number;
  readonly heldMs: number;
  readonly answer: T;
}

async function timed<T>(work: () => T | Promise<T>): Promise<Took<T>> {
  const delay = monitorEventLoopDelay({ resolution: 2 });
  delay.enable();
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  const answer = await work();
  const { user, system } = process.cpuUsage(cpuBefore);
  const ms = performance.now() - startedAt;
  await new Promise(setImmediate);
  delay.disable();
  return { ms, cpuMs: (user + system) / 1_000, heldMs: delay.max / 1e6, answer };
}

const median = <T>(took: readonly Took<T>[]): Took<T> => {
  const middle = [...took].sort((a, b) => a.ms - b.ms)[Math.floor(took.length / 2)];
  if (middle === undefined) throw new Error('bench: nothing was measured');
  return middle;
};

function print<T>(what: string, { ms, cpuMs, heldMs }: Took<T>, more = ''): void {
  const reported = `${ms.toFixed(0).padStart(6)} ms, ${cpuMs.toFixed(0)} ms of processor, event loop held at most ${heldMs.toFixed(0)} ms`;
  process.stdout.write(`  ${what.padEnd(44)} ${reported}${more === '' ? '' : `: ${more}`}\n`);
}

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-bench-diff-'));
try {
  const { left, right, bodies, sizeBytes } = makeTwoSnapshots(resources, every);
  const mb = (sizeBytes / 1e6).toFixed(1);
  process.stdout.write(
    `diff: two snapshots of ${resources} resources, ${mb} MB each, ${100 / every} % changed\n`,
  );
  const retention = { maxAgeMs: 1e15, maxBytes: 1e15 };
  const recorder = await openRecorder({ dataDir, clock: systemClock, retention });
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
    ...{ client: detail, rows, reported: noSettings, at: '2026-11-21T00:00:00.000Z' },
    ...{ source: { list: 'c', rows: () => rows }, revision: String(revision) },
  });
  const start = () => {
    const differ = new Differ({ recorder });
    const subjects = { find: async (id: string) => viewOf(id === 'left' ? left : right) };
    const api = new DiffApi({
      differ,
      subjects: { ...subjects, findWord: async () => undefined },
      permalinks: { findSubject: async () => undefined },
    });
    return { differ, find: () => api.find(diffQuery.parse({ left: 'client/left', right: 'client/right' })) };
  };
  const first: Took<DiffAnswer>[] = [];
  const warm: Took<DiffAnswer>[] = [];
  const again: Took<DiffAnswer>[] = [];
  for (let round = 0; round < rounds; round++) {
    const { differ, find } = start();
    first.push(await timed(find));
    await differ.close();
  }
  const { differ, find } = start();
  for (let round = 0; round <= rounds; round++) {
    const took = await timed(find);
    const page = await timed(find);
    // The thread is there and knows its types; every body is compared anew.
    differ.forget();
    revision += 1;
    if (round === 0) continue;
    warm.push(took);
    again.push(page);
  }
  await differ.close();
  const diff = median(warm);
  print('the diff, its thread started for it', median(first), median(first).answer.summary.join(' '));
  print('the diff', diff, JSON.stringify(diff.answer.counts));
  print('another page of it', median(again));

  const readAll = async (rows: readonly ResourceRow[]): Promise<unknown[]> => {
    const stored: Map<string, Body> = await recorder.readBodies(rows.flatMap(({ hash }) => hash ?? []));
    return rows.map(({ typeUrl, hash }) => {
      const body = stored.get(hash ?? '');
      return body && decodeBody(typeUrl, body.bytes).json;
    });
  };
  const strings = await timed(async () => {
    const [one, other] = [await readAll(left), await readAll(right)];
    return one.filter((json, at) => JSON.stringify(json) !== JSON.stringify(other[at])).length;
  });
  print('all of it read, decoded, JSON.stringify', strings, `${strings.answer} differ in text`);
  const [one, other] = [await readAll(left), await readAll(right)];
  const texts = await timed(
    () => one.filter((json, at) => JSON.stringify(json) !== JSON.stringify(other[at])).length,
  );
  print('JSON.stringify alone, all of it decoded before', texts, `${texts.answer} differ in text`);
  const deep = await timed(() => one.filter((json, at) => !isDeepStrictEqual(json, other[at])).length);
  print('isDeepStrictEqual alone, decoded before', deep, `${deep.answer} differ`);
  const ratio = (took: Took<unknown>): string => `${(took.ms / diff.ms).toFixed(1)} x`;
  process.stdout.write(
    `  beside the diff: read, decoded and stringified ${ratio(strings)}, stringified ${ratio(texts)}, deeply compared ${ratio(deep)}\n`,
  );
  process.stdout.write(
    `  aim: under 250 ms. ${diff.ms < 250 ? 'Met' : 'Missed'}: ${diff.ms.toFixed(0)} ms\n`,
  );
  await recorder.close();
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
