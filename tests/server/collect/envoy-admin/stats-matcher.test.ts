import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { readAnswers } from '@/server/collect/envoy-admin/read';
import { StatisticsRequests } from '@/server/collect/envoy-admin/statistics-requests';
import { systemClock } from '@/server/observe';

interface Bootstrap {
  readonly bootstrap: object;
}

const folder = path.join(import.meta.dirname, '../../../fixtures/captures/envoy');
const read = <T>(name: string): T => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as T;
const [dump] =
  read<readonly { readonly configDump: { readonly configs: readonly object[] } }[]>(
    'story-1.40.0-dumps.json',
  );
const [statistics] = read<readonly { readonly stats: string }[]>('story-1.40.0-stats.json');
const bootstrap = read<Bootstrap>('story-1.40.0-bootstrap.json');

/** The matcher in the bootstrap of a proxy of Istio. */
const istio = {
  stats_matcher: {
    inclusion_list: {
      patterns: ['cluster_manager', 'listener_manager', 'server'].map((prefix) => ({ prefix })),
    },
  },
};

/** The sentence for an Envoy with this stats_config and these statistics. */
async function notVisible(statsConfig: object | undefined, stats: string): Promise<string | undefined> {
  const own = { ...bootstrap, bootstrap: { ...bootstrap.bootstrap, stats_config: statsConfig } };
  const bytes = Buffer.from(JSON.stringify({ configs: [own, ...(dump?.configDump.configs ?? [])] }));
  const request = { absent: [], isWhole: true, sourceId: 's', target: 'envoy', at: 1 };
  const answers = [{ document: 'config_dump' as const, bytes }];
  const marker = createRedactionMarker(Buffer.from('tests'));
  const result = readAnswers(new Map(), new Map(), { ...request, answers }, marker);
  if (result.read.kind !== 'news') throw new Error('expected news');
  const answer = { kind: 'answer' as const, bytes: Buffer.from(stats), hash: '' };
  const requests = new StatisticsRequests(async () => answer, systemClock);
  await requests.next();
  requests.samples = result.read.samples;
  expect(requests.notes.includes(requests.notVisible ?? '')).toBe(requests.notVisible !== undefined);
  return requests.notVisible;
}

const all = statistics?.stats ?? '';
const some = all
  .split('\n')
  .filter((line) => /^(cluster_manager|listener_manager|server)\./.test(line))
  .join('\n');

it("states the types whose rejections are not visible because Envoy's stats_matcher leaves out their statistics", async () => {
  expect(await notVisible(istio, some)).toBe(
    "Rejections of RDS, EDS, SDS are not visible: the stats_matcher of Envoy's bootstrap leaves out their statistics.",
  );
  const reject = { stats_matcher: { reject_all: true } };
  expect(await notVisible(reject, '')).toMatch(/^Rejections of LDS, RDS, CDS, EDS, SDS are not visible: /);
});

it('states nothing if Envoy has the statistics, or no matcher', async () => {
  expect(await notVisible(istio, all)).toBeUndefined();
  expect(await notVisible(undefined, some)).toBeUndefined();
});
