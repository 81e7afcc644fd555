import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FleetQuestion } from '@/lib/views/fleet/build-fleet-view';
import { parseFleetFilter } from '@/lib/views/fleet/fleet-filter';
import type { IssuesByClient } from '@/lib/views/fleet/schema';
import { CDS } from '@/lib/xds/resource-type';
import { HeadsWriter } from '@/server/forwarding/heads-writer';
import { mostOfEach } from '@/server/forwarding/pending-heads';
import { FleetIndex } from '@/server/live/fleet/fleet-index';
import { systemClock } from '@/server/observe';
import { buildHead } from '@/server/store/heads/build-head';
import { ClientHeads } from '@/server/store/heads/client-heads';
import { openPostgres } from '@/server/store/open-postgres';
import type { StoreDatabase } from '@/server/store/schema';
import { sampleReport, sampleResource } from '@/tests/support/builders/observation-samples';
import { openLiveState } from '@/tests/support/open-live-state';
import { findPostgres, type PostgresServer, startPostgres } from '@/tests/support/postgres';
import { isLong } from '@/tests/support/runs';
import { waitUntil } from '@/tests/support/wait-until';

const wholeFleet: FleetQuestion = {
  ...{ filter: parseFleetFilter('', 0), group: undefined },
  sort: { columnId: 'client', descending: false },
};

const isThere = findPostgres() !== undefined;

describe.skipIf(!isThere)(
  isThere ? 'HeadsWriter' : 'HeadsWriter: skipped, no PostgreSQL is installed',
  () => {
    const opened: { close(): Promise<void> }[] = [];
    let server: PostgresServer;
    let url: string;
    beforeAll(async () => {
      server = await startPostgres({ isDurable: true });
    });
    afterAll(() => server.stop());
    afterEach(async () => {
      for (const each of opened.splice(0).reverse()) await each.close();
    });

    const openStore = async (): Promise<StoreDatabase> => {
      const store = await openPostgres({ url });
      opened.push(store);
      return store;
    };

    /** What a web process has of it: a fold, and connections of its own. */
    const openProcess = async () => {
      const live = openLiveState();
      const fleet = new FleetIndex(live);
      const database = await openStore();
      const writer = new HeadsWriter({
        ...{ clock: systemClock, database, fleet, foldedSeq: () => live.seq },
        ...{ hold: () => Promise.resolve(), onFolder: () => undefined },
      });
      opened.push(writer);
      /** Unknown at first, as while a process restores them. */
      const found: { issues?: IssuesByClient } = {};
      writer.start(async () => found.issues);
      const observe = (clientId: string, hash: string): void => {
        const { node } = sampleReport({});
        const changed = [sampleResource({ typeUrl: CDS.typeUrl, name: 'cart', hash })];
        const observation = sampleReport({ clientId, node: { ...node, id: clientId }, changed, removed: [] });
        live.observe({ observation, bodies: [] });
      };
      return { live, fleet, writer, observe, found };
    };
    const expectedOf = async ({ fleet }: Awaited<ReturnType<typeof openProcess>>) => {
      const { members } = await fleet.find();
      return members
        .map((member) => [member.summary.id, buildHead(member).row.digest.toString('base64')])
        .sort();
    };
    /** The connections that have the lock. */
    const findHolders = async ({ db }: StoreDatabase) => {
      const { rows } = await sql<{ pid: number }>`
      select pid from pg_locks where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())`.execute(db);
      return rows.map(({ pid }) => pid);
    };
    const isWritten = (heads: ClientHeads, of: Awaited<ReturnType<typeof openProcess>>) =>
      waitUntil('the heads are written', async () => {
        const written = JSON.stringify([...(await heads.digests())].sort());
        return (await heads.position()) !== undefined && written === JSON.stringify(await expectedOf(of));
      });

    it('writes changed and removed clients, from one of several processes', async () => {
      url = await server.createDatabase();
      const processes = [await openProcess(), await openProcess()];
      const [one] = processes as [(typeof processes)[0]];
      const store = await openStore();
      const heads = new ClientHeads(store);
      for (const { observe } of processes) for (const id of ['a', 'b', 'c']) observe(id, '1');
      await isWritten(heads, one);
      expect(await findHolders(store)).toHaveLength(1);
      for (const { observe, live } of processes) {
        observe('a', '2');
        live.forgetClient('b');
        observe('d', '1');
      }
      await isWritten(heads, one);
      expect((await heads.position())?.totals).toMatchObject({
        clients: 3,
        counts: { clients: 3 },
        typeUrls: [CDS.typeUrl],
      });
      const { version } = (await heads.position()) ?? {};
      for (const { live } of processes) live.markDirty('a');
      for (const { observe } of processes) observe('c', '2');
      await isWritten(heads, one);
      expect(await heads.position()).toMatchObject({ seq: 6, version: (version ?? 0) + 1 });
    });

    it('writes the issues of clients, which another process keeps until it knows them', async () => {
      url = await server.createDatabase();
      const one = await openProcess();
      for (const id of ['a', 'b']) one.observe(id, '1');
      const heads = new ClientHeads(await openStore());
      const issuesOf = async () => {
        const page = await heads.find(wholeFleet, { open: new Set(), offset: 0, limit: 10 });
        return page?.lines.map((line) => line.kind === 'client' && line.member.issues);
      };
      const areWritten = (what: string, expected: Awaited<ReturnType<typeof issuesOf>>) =>
        waitUntil(what, async () => JSON.stringify(await issuesOf()) === JSON.stringify(expected));
      await isWritten(heads, one);
      expect((await heads.position())?.totals.areIssuesKnown).toBe(undefined);
      const rejected = { id: 'i1', title: 'Cluster cart is rejected' };
      one.found.issues = new Map([
        ['a', [rejected]],
        ['b', [rejected]],
      ]);
      await areWritten('issues of both', [[rejected], [rejected]]);
      const { version } = (await heads.position()) ?? {};
      one.found.issues = new Map([['b', [rejected]]]);
      await areWritten('issues of one', [undefined, [rejected]]);
      expect((await heads.position())?.version).toBe((version ?? 0) + 1);

      await one.writer.close();
      const two = await openProcess();
      for (const id of ['a', 'b', 'c']) two.observe(id, '1');
      await isWritten(heads, two);
      expect((await heads.position())?.totals).toMatchObject({ clients: 3, areIssuesKnown: true });
      expect(await issuesOf()).toEqual([undefined, [rejected], undefined]);
      two.found.issues = new Map();
      await areWritten('no issues', [undefined, undefined, undefined]);
    });

    it('is continued by another process, with nothing lost or doubled, when connections are killed at random', async () => {
      url = await server.createDatabase();
      const processes = [await openProcess(), await openProcess(), await openProcess()];
      const [one] = processes as [(typeof processes)[0]];
      const store = await openStore();
      const heads = new ClientHeads(store);
      const rounds = isLong ? 50 : 6;
      for (let round = 0; round < rounds; round++) {
        for (let n = 0; n < 40; n++) {
          const id = `client-${Math.floor(Math.random() * 100)}`;
          for (const { observe } of processes) observe(id, `${round} ${n}`);
        }
        const removed = `client-${Math.floor(Math.random() * 100)}`;
        for (const { live } of processes) live.forgetClient(removed);
        const holder = await waitUntil('one has the lock', async () => (await findHolders(store))[0]);
        await sql`select pg_terminate_backend(${holder}::int)`.execute(store.db);
        await waitUntil('another connection has it', async () => {
          const [next] = await findHolders(store);
          return next !== undefined && next !== holder;
        });
      }
      for (const { observe } of processes) observe('last', 'x');
      await isWritten(heads, one);
      const { rows } = await sql`select id from head_contents except select id from client_heads`.execute(
        store.db,
      );
      expect(rows).toEqual([]);
    });

    it('does not go back to the state of a process that has not folded what is written', async () => {
      url = await server.createDatabase();
      const ahead = await openProcess();
      for (const id of ['a', 'b', 'c']) ahead.observe(id, '1');
      const store = await openStore();
      const heads = new ClientHeads(store);
      await isWritten(heads, ahead);
      const behind = await openProcess();
      behind.observe('a', '1');
      await ahead.writer.close();
      await waitUntil('the lock is free', async () => (await findHolders(store)).length === 0);
      behind.observe('b', '1');
      expect((await heads.digests()).size).toBe(3);
      behind.observe('c', '2');
      await isWritten(heads, behind);
    });

    it('shows the first heads when all clients have one', async () => {
      url = await server.createDatabase();
      const clients = mostOfEach * 2 + 1;
      const process = await openProcess();
      for (let n = 0; n < clients; n++) process.observe(`client-${n}`, '1');
      const heads = new ClientHeads(await openStore());
      const position = await waitUntil('the list is shown', () => heads.position());
      expect([position.totals.clients, (await heads.digests()).size]).toEqual([clients, clients]);
    });
  },
);
