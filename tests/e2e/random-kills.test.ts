import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Health } from '@/lib/views/health/schema';
import { systemClock } from '@/server/observe';
import { ObservationLog } from '@/server/store/log';
import { openPostgres } from '@/server/store/open-postgres';
import type { StoreDatabase } from '@/server/store/schema';
import { type CsdsServer, clientWithClusters, csdsAnswer, startCsdsServer } from '../support/csds-server';
import { getJson, type RunningServer, startServer } from '../support/e2e-server';
import { openWholeRecorder } from '../support/open-recorder';
import { findPostgres, type PostgresServer, startPostgres } from '../support/postgres';
import { tempDataDir } from '../support/recorder-temp-dir';
import { isLong } from '../support/runs';
import '../support/seeded-properties';
import { waitUntil } from '../support/wait-until';

const isThere = findPostgres() !== undefined;
const story = 'kill -9 of collector, web and PostgreSQL at random moments';
const rounds = isLong ? 50 : 3;
const clients = 20;

interface Round {
  readonly victim: 'collector' | 'web' | 'postgres';
  /** Observations that are stored before it is killed. */
  readonly after: number;
}

const anyRounds = fc.array(
  fc.record({
    victim: fc.constantFrom<Round['victim']>('collector', 'web', 'postgres'),
    after: fc.integer({ min: 1, max: 100 }),
  }),
  { minLength: rounds, maxLength: rounds },
);

describe.skipIf(!isThere)(isThere ? story : `${story}: skipped, no PostgreSQL is installed`, () => {
  const dirs = { collector: path.join(tempDataDir(), 'data'), web: path.join(tempDataDir(), 'data') };
  const running: Partial<Record<'collector' | 'web', RunningServer>> = {};
  let peer: CsdsServer;
  let postgres: PostgresServer;
  let store: StoreDatabase;
  let log: ObservationLog;
  let url: string;

  const start = async (role: 'collector' | 'web') => {
    const observing =
      role === 'web' ? [] : ['--csds', `127.0.0.1:${peer.target.port}`, '--csds-interval', '200ms'];
    const shared = ['--no-lab', '--data-dir', dirs[role], '--store', url, '--role', role];
    running[role] = await startServer([...observing, ...shared]);
  };
  const healthOf = (role: 'collector' | 'web') => getJson<Health>(`${running[role]?.url}/api/v1/health`);
  /** What a process has folded of each client, as JSON. */
  const foldOf = async (role: 'collector' | 'web') => {
    const { items } = await getJson<{ items: { id: string; resources: number; types: unknown }[] }>(
      `${running[role]?.url}/api/v1/clients`,
    );
    const known = items.map(({ id, resources, types }) => ({ id, resources, types }));
    return JSON.stringify(known.sort((a, b) => (a.id < b.id ? -1 : 1)));
  };
  /** 0 while the database does not answer. */
  const newestSeq = () =>
    log.readHeads().then(
      (heads) => heads.newestSeq,
      () => 0,
    );

  beforeAll(async () => {
    let version = 0;
    peer = await startCsdsServer(() => {
      version += 1;
      const config = Array.from({ length: clients }, (_, n) =>
        clientWithClusters(`node-${n}`, { a: `${version}`, b: `${Math.floor(version / 7)}` }),
      );
      return csdsAnswer({ config });
    });
    postgres = await startPostgres({ isDurable: true });
    url = await postgres.createDatabase();
    store = await openPostgres({ url });
    log = new ObservationLog(store, systemClock);
    await start('collector');
    mkdirSync(dirs.web, { recursive: true });
    copyFileSync(path.join(dirs.collector, 'redaction.key'), path.join(dirs.web, 'redaction.key'));
    await start('web');
  });
  afterAll(async () => {
    for (const server of Object.values(running)) await server.stop('SIGKILL');
    peer?.close();
    await store?.close();
    await postgres?.stop();
  });

  const kill = async (victim: Round['victim']) => {
    if (victim === 'postgres') {
      await postgres.kill();
      await postgres.restart();
    } else {
      await running[victim]?.stop('SIGKILL');
      await start(victim);
    }
  };
  /** The whole recording of a process that has ended. */
  const readRecording = async (dataDir: string) => {
    const recorder = await openWholeRecorder({ dataDir });
    try {
      return await readAll((query) => recorder.readObservationTexts(query));
    } finally {
      await recorder.close();
    }
  };

  it(
    'loses and doubles nothing that the recording of the collector has, in the store and in the web process',
    async () => {
      const seed = Number(process.env.XDSCOPE_SEED ?? 20_261_121);
      const [plan = []] = fc.sample(anyRounds, { numRuns: 1, seed });
      process.stdout.write(
        `seed ${seed}: ${plan.map(({ victim, after }) => `${victim} after ${after}`).join(', ')}\n`,
      );
      for (const { victim, after } of plan) {
        const before = await waitUntil('the store answers', newestSeq);
        await waitUntil(`${after} more are stored`, async () => (await newestSeq()) >= before + after);
        await kill(victim);
      }
      const answer = csdsAnswer({ config: [] });
      peer.react = () => answer;
      await waitUntil('the collector has copied everything', async () => {
        const { sharedStore, recorder } = await healthOf('collector');
        return sharedStore?.problem === '' && sharedStore.waiting === 0 && recorder.waiting === 0;
      });
      const newest = await newestSeq();
      await waitUntil('the web process has read everything', async () => {
        const { recorder } = await healthOf('web');
        return recorder.newestSeq >= newest && recorder.waiting === 0;
      });
      const folded = await foldOf('collector');
      await waitUntil('the web process has folded the same', async () => (await foldOf('web')) === folded);
      for (const role of ['collector', 'web'] as const) await running[role]?.stop('SIGTERM');
      const stored = await readAll((query) => log.readObservationTexts(query));
      expect(stored.length).toBeGreaterThan(clients);
      expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1));
      const recorded = await readRecording(dirs.collector);
      expect(stored.map(({ json }) => json)).toEqual(
        recorded.slice(0, stored.length).map(({ json }) => json),
      );
      process.stdout.write(`${rounds} kills: ${recorded.length} recorded, ${stored.length} stored\n`);
    },
    isLong ? 3_600_000 : 120_000,
  );
});

type Text = Awaited<ReturnType<ObservationLog['readObservationTexts']>>[number];

async function readAll(
  read: (query: { afterSeq: number; limit: number; order: 'asc' }) => Promise<readonly Text[]>,
): Promise<Text[]> {
  const all: Text[] = [];
  for (;;) {
    const page = await read({ afterSeq: all.at(-1)?.seq ?? 0, limit: 1_000, order: 'asc' });
    if (page.length === 0) return all;
    all.push(...page);
  }
}
