import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FleetPage } from '@/lib/views/fleet/schema';
import type { Health } from '@/lib/views/health/schema';
import type { LoadTotalsAnswer } from '@/lib/views/load/schema';
import type { Source } from '@/lib/views/sources/schema';
import { openContext } from '../support/e2e-browser';
import { getJson, type RunningServer, sendJson, startServer } from '../support/e2e-server';
import { findPostgres, type PostgresServer, startPostgres } from '../support/postgres';
import { tempDataDir } from '../support/recorder-temp-dir';
import { waitUntil } from '../support/wait-until';

interface Client {
  readonly id: string;
  readonly nodeId: string;
  readonly freshness: string;
}

const isThere = findPostgres() !== undefined;
const story = isThere ? 'a shared store' : 'a shared store: skipped, no PostgreSQL is installed';

describe.skipIf(!isThere)(story, () => {
  let postgres: PostgresServer;
  let url = '';
  let collector: RunningServer;
  let webs: RunningServer[] = [];
  let dirsOfWebs: string[] = [];

  const dataDir = () => path.join(tempDataDir(), 'data');
  const api = <T>(server: RunningServer, what: string) => getJson<T>(`${server.url}/api/v1/${what}`);
  const clientsOf = async (server: RunningServer) => {
    const { items } = await api<{ items: Client[] }>(server, 'clients');
    return items.sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
  };
  const startWeb = (own: string) => startServer(['--data-dir', own, '--store', url, '--role', 'web']);
  /** All clients as the page lists them, without the times of the newest polls. */
  const listOf = async (server: RunningServer) => {
    const { newestAt: _, ...page } = await api<FleetPage>(server, 'fleet?sort=status&limit=500');
    const text = JSON.stringify(page, (key, value) => (key === 'lastSeenAt' ? undefined : value));
    return { page, text };
  };
  const fleetQuestions = [
    ...['clients', 'fleet?sort=status&limit=500', 'cohorts', 'sizes', 'divergences', 'certificates', 'nacks'],
    ...['issues', 'issues/strip', 'convergence/recent', 'churn', 'search?q=cluster', 'load', 'events'],
    ...['history?order=asc&limit=50', 'interop/fleet', 'interop/control-planes', 'sources'],
  ];
  const clientTabs = [
    ...[
      '',
      '/resources',
      '/graph',
      '/resolved',
      '/findings',
      '/lb-tree',
      '/connections',
      '/tears',
      '/failovers',
    ],
    ...['/propagation', '/witnesses'],
  ];
  /** What depends on when an answer was asked for, and not on what was observed. */
  const varying = new Set([
    'at',
    'to',
    'until',
    'revision',
    'lastSeenAt',
    'newestAt',
    'requests',
    'reportedTo',
  ]);
  const comparable = async (server: RunningServer, question: string) =>
    JSON.stringify(await api<unknown>(server, question), (key, value) =>
      varying.has(key) ? undefined : value,
    );
  const expectSameAnswers = async (clientId: string) => {
    const [a, b] = webs as [RunningServer, RunningServer];
    for (const question of [...fleetQuestions, ...clientTabs.map((tab) => `clients/${clientId}${tab}`)])
      await waitUntil(`both answer ${question} alike`, async () => {
        const [one, other] = await Promise.all([comparable(a, question), comparable(b, question)]);
        return one === other;
      });
  };
  /** Load until some seconds ago is the same as at the collector, which may report more than its log has. */
  const expectSameLoad = async () => {
    const to = new Date(Date.now() - 10_000).toISOString();
    const totalsOf = async (server: RunningServer) => {
      const what = `load/totals?by=cluster&from=2020-01-01T00:00:00Z&to=${to}`;
      return (await api<LoadTotalsAnswer>(server, what)).groups.map(({ name, totals }) => ({ name, totals }));
    };
    await waitUntil('the lab has reported load', async () => (await totalsOf(collector)).length > 0);
    for (const web of webs)
      await waitUntil('it has the load of the collector', async () =>
        isDeepStrictEqual(await totalsOf(web), await totalsOf(collector)),
      );
  };
  /** When a page of the server had each position of the log that it read after a notice. */
  const announcedBy = async (server: RunningServer, signal: AbortSignal) => {
    const seen = new Map<number, number>();
    const { body } = await fetch(`${server.url}/api/v1/stream?topics=history,fleet`, { signal });
    void (async () => {
      let text = '';
      for await (const chunk of body ?? []) {
        text += Buffer.from(chunk).toString('utf8');
        const end = text.lastIndexOf('\n\n');
        if (text.slice(0, Math.max(end, 0)).includes('"history"')) {
          const at = Date.now();
          const { newestSeq } = await api<{ newestSeq: number }>(server, 'history?limit=1');
          if (!seen.has(newestSeq)) seen.set(newestSeq, at);
        }
        text = text.slice(Math.max(end, 0));
      }
    })().catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    return seen;
  };
  const writesHeads = (server: RunningServer) =>
    server.output().includes('this process writes the heads of the clients');
  const healthOf = (server: RunningServer) => api<Health>(server, 'health');

  beforeAll(async () => {
    postgres = await startPostgres({ isDurable: true });
    url = await postgres.createDatabase();
    const ofCollector = dataDir();
    collector = await startServer([
      ...['--lab', '--data-dir', ofCollector, '--store', url, '--role', 'collector'],
    ]);
    await waitUntil(
      'the collector has copied',
      async () => (await healthOf(collector)).sharedStore?.waiting === 0,
    );
    dirsOfWebs = [dataDir(), dataDir()];
    for (const own of dirsOfWebs) {
      mkdirSync(own, { recursive: true });
      copyFileSync(path.join(ofCollector, 'redaction.key'), path.join(own, 'redaction.key'));
    }
    webs = await Promise.all(dirsOfWebs.map(startWeb));
  });
  afterAll(async () => {
    for (const server of [...webs, collector]) await server?.stop('SIGKILL');
    await postgres?.stop();
  });

  it('lets every web process show the clients and the sources of the collector', async () => {
    const expected = await waitUntil('the lab has its clients', async () => {
      const found = await clientsOf(collector);
      return found.filter(({ freshness }) => freshness === 'live').length >= 5 ? found : undefined;
    });
    const { items: sources } = await api<{ items: Source[] }>(collector, 'sources');
    for (const web of webs) {
      await waitUntil('the clients are live', async () => {
        const found = await clientsOf(web);
        return expected.every(({ id }) => found.some((each) => each.id === id && each.freshness === 'live'));
      });
      const shown = await waitUntil('all sources are listed', async () => {
        const { items } = await api<{ items: Source[] }>(web, 'sources');
        return sources.every(({ id }) => items.some((each) => each.id === id)) ? items : undefined;
      });
      expect(new Set(shown.map(({ origin }) => origin))).toEqual(new Set(['collector']));
    }
  });

  it('answers the same from every process: a moment, a body, a permalink', async () => {
    const [a, b] = webs as [RunningServer, RunningServer];
    const [client] = await clientsOf(a);
    const id = client?.id ?? '';
    const created = await sendJson('POST', `${a.url}/api/v1/permalinks`, { clientId: id });
    expect(created.status).toBe(201);
    const { id: permalinkId } = (await created.json()) as { id: string };
    const bytesOf = async (server: RunningServer) =>
      (await fetch(`${server.url}/api/v1/permalinks/${permalinkId}`)).text();
    expect(await bytesOf(b)).toBe(await bytesOf(a));
    for (const web of webs)
      await waitUntil('it is counted', async () => (await healthOf(web)).recorder.permalinks.count === 1);
    const history = async (server: RunningServer) =>
      (await api<{ items: { seq: number; at: string }[] }>(server, `history?client=${id}&order=asc&limit=20`))
        .items;
    await waitUntil('both have the same', async () => isDeepStrictEqual(await history(b), await history(a)));
  });

  it('shows a change in every process within a second of each other', async () => {
    const ending = new AbortController();
    const [a, b] = await Promise.all(webs.map((web) => announcedBy(web, ending.signal)));
    const lags = await waitUntil('both announced ten positions', () => {
      const both = [...(a ?? [])].flatMap(([seq, at]) => {
        const [, other] = [...(b ?? [])].find(([reached]) => reached >= seq) ?? [];
        return other === undefined ? [] : [Math.max(0, other - at)];
      });
      return both.length >= 10 ? both : undefined;
    });
    ending.abort();
    lags.sort((one, other) => one - other);
    expect(lags[Math.floor(lags.length / 2)]).toBeLessThan(1_000);
  });

  it('answers the same from the process that holds the fleet and from one that opens clients', async () => {
    const held = async () =>
      Promise.all(webs.map(async (web) => (await healthOf(web)).sharedStore?.holdsFleet));
    await waitUntil('one process holds the fleet', async () => (await held()).includes(true));
    expect((await held()).sort()).toEqual([false, true]);
    const [client] = await clientsOf(webs[0] as RunningServer);
    await expectSameAnswers(client?.id ?? '');
    await expectSameLoad();
  });

  it('lists the clients as one process writes them, and goes on when that one is killed', async () => {
    const [a, b] = webs as [RunningServer, RunningServer];
    await waitUntil('one process writes', () => webs.some(writesHeads));
    expect(webs.filter(writesHeads)).toHaveLength(1);
    const { page } = await waitUntil('both list the same', async () => {
      const [one, other] = [await listOf(a), await listOf(b)];
      return one.text === other.text && one.page.total.live >= 5 ? one : undefined;
    });
    const context = await openContext({ baseURL: b.url });
    const tab = await context.newPage();
    await tab.goto('/clients');
    const [first] = page.items.flatMap((line) => (line.kind === 'client' ? [line.client.nodeId] : []));
    await tab
      .getByText(first ?? '', { exact: true })
      .first()
      .waitFor();
    await context.close();

    const killed = webs.findIndex(writesHeads);
    const survivor = webs[1 - killed] as RunningServer;
    await webs[killed]?.stop('SIGKILL');
    const killedAt = Date.now();
    await waitUntil('the other one writes', () => writesHeads(survivor));
    const after = await waitUntil('a change after that is listed', async () => {
      const { items, total, lines } = (await listOf(survivor)).page;
      const isNew = items.some(
        (line) => line.kind === 'client' && new Date(line.client.lastChangedAt).getTime() > killedAt,
      );
      return isNew ? { items, total, lines } : undefined;
    });
    const ids = after.items.flatMap((line) => (line.kind === 'client' ? [line.client.id] : []));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.sort()).toEqual((await clientsOf(survivor)).map(({ id }) => id).sort());
    webs[killed] = await startWeb(dirsOfWebs[killed] ?? '');
    const restarted = webs[killed];
    await waitUntil(
      'both list the same again',
      async () => (await listOf(restarted)).text === (await listOf(survivor)).text,
    );
    expect((await healthOf(restarted)).sharedStore).toMatchObject({ holdsFleet: false, fleetProblem: '' });
    await expectSameAnswers(ids[0] ?? '');
    await expectSameLoad();
  });

  it('leaves the metrics of load to the collectors', async () => {
    const linesOf = async (server: RunningServer) =>
      (await (await fetch(`${server.url}/metrics`)).text()).match(/^xdscope_load_requests_total\{.*$/gm) ??
      [];
    expect((await linesOf(collector)).length).toBeGreaterThan(0);
    for (const web of webs) expect(await linesOf(web)).toEqual([]);
  });

  it('observes nothing in a web process, and says so', async () => {
    const answer = await sendJson('POST', `${webs[0]?.url}/api/v1/sources`, {
      kind: 'csds',
      target: '127.0.0.1:1',
    });
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({ title: 'Process observes nothing' });
  });

  it('goes on after the database was killed', async () => {
    await postgres.kill();
    for (const server of [collector, ...webs])
      await waitUntil('the loss is stated', async () => (await healthOf(server)).sharedStore?.problem !== '');
    await postgres.restart();
    const { newestSeq } = (await healthOf(webs[0] as RunningServer)).recorder;
    for (const web of webs)
      await waitUntil('it goes on', async () => {
        const { recorder, sharedStore } = await healthOf(web);
        return sharedStore?.problem === '' && recorder.newestSeq > newestSeq;
      });
  });

  it('states that the clients of a collector that was killed are no longer observed', async () => {
    await collector.stop('SIGKILL');
    for (const web of webs)
      await waitUntil('its sources are down', async () => {
        const { items } = await api<{ items: Source[] }>(web, 'sources');
        return items.every(({ state, problem }) => state === 'down' && problem?.code === 'COLLECTOR_SILENT');
      });
    const found = await clientsOf(webs[0] as RunningServer);
    expect(found.some(({ freshness }) => freshness === 'live')).toBe(false);
  });
});
