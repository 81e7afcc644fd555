import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Follower } from '@/server/forwarding/follower';
import { Notices } from '@/server/forwarding/notices';
import { HeldClients } from '@/server/live/held-clients';
import { type Clock, systemClock } from '@/server/observe';
import { ObservationLog } from '@/server/store/log';
import { openPostgres } from '@/server/store/open-postgres';
import { emissionOf } from '@/tests/support/builders/recorder-emissions';
import { openLiveState } from '@/tests/support/open-live-state';
import { hasPgBouncer, startPgBouncer } from '@/tests/support/pgbouncer';
import { findPostgres, type PostgresServer, startPostgres } from '@/tests/support/postgres';
import { waitUntil } from '@/tests/support/wait-until';

const isThere = findPostgres() !== undefined;

/** No time passes: nothing is read again unless a notice arrives. */
const stoppedClock: Clock = { ...systemClock, setTimeout: () => ({ cancel() {} }) };

describe.skipIf(!isThere)(isThere ? 'Follower' : 'Follower: skipped, no PostgreSQL is installed', () => {
  const opened: { close(): Promise<void> }[] = [];
  let server: PostgresServer;
  let url: string;
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.createDatabase();
  });
  afterAll(() => server.stop());
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each.close();
  });

  const open = async (at = url) => {
    const database = await openPostgres({ url: at });
    opened.push(database);
    return { database, log: new ObservationLog(database, systemClock) };
  };
  const append = (log: ObservationLog) =>
    log.append({ observations: [emissionOf(1, 'a 1', 'a', 'cluster').observation] });
  const follow = async (clock: Clock, at = url, withNotices = true, from?: number) => {
    const { database, log } = await open(at);
    const { newestSeq } = await log.readHeads();
    const observed: (number | undefined)[] = [];
    const follower = new Follower({
      ...{
        clock,
        log,
        holding: { reachedSeq: from ?? newestSeq },
        held: { followed: undefined, takes: () => true },
      },
      ...{ skip: () => undefined, observeLoad: () => undefined },
      observe: ({ seq }) => observed.push(seq),
      keepPace: () => Promise.resolve(),
    });
    const notices = new Notices({ clock, database, onNotice: () => follower.wake() });
    opened.push(follower, notices);
    follower.start();
    if (withNotices) notices.start();
    return { notices, observed, follower };
  };

  it('observes what another process appends when it is notified, without reading again and again', async () => {
    const { notices, observed } = await follow(stoppedClock);
    await waitUntil('notices arrive', () => notices.isReceiving === true);
    const { log } = await open();
    const seqs = [await append(log), await append(log)];
    await waitUntil('both are observed', () => observed.length === 2);
    expect(observed).toEqual(seqs);
  });

  it('reads what concerns clients that it follows, and one that is opened meanwhile as of a later moment', async () => {
    const { database, log } = await open();
    const writer = (await open()).log;
    const appendOf = (clientId: string, n: number) =>
      writer.append({ observations: [emissionOf(n, `${clientId} ${n}`, clientId, 'cluster').observation] });
    await appendOf('opened', 0);
    const holding = {
      isWhole: false,
      isFolder: false,
      progress: '',
      reachedSeq: await writer.findTail(0).then((tail) => tail.newestSeq),
    };
    const live = openLiveState({ append: ({ seq }) => seq ?? 0 });
    const held = new HeldClients({
      ...{ clock: systemClock, live, holding, recorder: log, hasSubscriber: () => true },
    });
    held.followFleet(async (ids) => new Set(ids));
    const folded: (number | undefined)[] = [];
    const skipped = new Set<string | null>();
    const follower = new Follower({
      ...{
        clock: systemClock,
        log,
        holding,
        held,
        observeLoad: () => undefined,
        keepPace: () => Promise.resolve(),
      },
      observe: (emission) => {
        folded.push(emission.seq);
        live.observe(emission);
      },
      skip: (_, clientId) => skipped.add(clientId),
    });
    const notices = new Notices({ clock: systemClock, database, onNotice: () => follower.wake() });
    opened.push(follower, notices);
    follower.start();
    notices.start();
    // While it follows, clients are opened at any moment, and all of them change.
    const clients = Array.from({ length: 10 }, (_, n) => `c${n}`);
    for (let n = 1; n <= 20; n++) {
      await Promise.all([...clients, 'never opened'].map((clientId) => appendOf(clientId, n)));
      const next = clients[n % clients.length];
      if (next !== undefined) await held.open(next);
    }
    const { newestSeq } = await writer.findTail(0);
    await waitUntil('everything is read', () => holding.reachedSeq === newestSeq);
    for (const clientId of clients)
      expect(live.world.get(clientId)).toEqual(
        (await log.readClientAt(clientId, { seq: newestSeq }))?.client,
      );
    expect(live.world.size).toBe(clients.length);
    expect(new Set(folded).size).toBe(folded.length);
    expect(skipped.has('never opened')).toBe(false);
  });

  it('states that retention deleted what it has not read', async () => {
    const { log, database } = await open();
    await append(log);
    await database.db.deleteFrom('observations').where('seq', '=', 1).execute();
    const { follower } = await follow(systemClock, url, false, 0);
    await waitUntil('it is stated', () =>
      follower.state.problem.startsWith('expected observation 1, got none up to'),
    );
  });

  it('repairs a lost notice by reading each second', async () => {
    const { observed } = await follow(systemClock, url, false);
    const { log } = await open();
    const seq = await append(log);
    await waitUntil('it is observed', () => observed.length === 1);
    expect(observed).toEqual([seq]);
  });

  it('receives notices again after the database was killed', async () => {
    const { notices, observed, follower } = await follow(systemClock);
    await waitUntil('notices arrive', () => notices.isReceiving === true);
    await server.kill();
    await waitUntil('the loss is known', () => notices.isReceiving === undefined);
    await server.restart();
    await waitUntil('notices arrive again', () => notices.isReceiving === true);
    const { log } = await open();
    const seq = await append(log);
    await waitUntil('it is observed', () => observed.at(-1) === seq);
    expect(follower.state.problem).toBe('');
  });

  const title = 'finds that PgBouncer in transaction mode passes no notices on, and reads each second';
  it.skipIf(!hasPgBouncer)(hasPgBouncer ? title : `${title}: skipped, it is not installed`, async () => {
    const bouncer = await startPgBouncer(url);
    opened.push({ close: () => bouncer.stop() });
    const { notices, observed } = await follow(systemClock, bouncer.url);
    await waitUntil('it is known', () => notices.isReceiving === false);
    const { log } = await open(bouncer.url);
    const seq = await append(log);
    await waitUntil('it is observed', () => observed.at(-1) === seq);
  });
});
