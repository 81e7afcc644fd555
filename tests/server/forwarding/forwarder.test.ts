import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Forwarder } from '@/server/forwarding/forwarder';
import { systemClock } from '@/server/observe';
import { ObservationLog } from '@/server/store/log';
import { openPostgres } from '@/server/store/open-postgres';
import type { Recorder } from '@/server/store/recorder/recorder';
import { bodyOf, emissionOf } from '@/tests/support/builders/recorder-emissions';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { findPostgres, type PostgresServer, startPostgres } from '@/tests/support/postgres';
import { isLong } from '@/tests/support/runs';
import { waitUntil } from '@/tests/support/wait-until';

const isThere = findPostgres() !== undefined;

describe.skipIf(!isThere)(isThere ? 'Forwarder' : 'Forwarder: skipped, no PostgreSQL is installed', () => {
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

  const openRecorder = async (): Promise<Recorder> => {
    const recorder = await openWholeRecorder();
    opened.push(recorder);
    return recorder;
  };
  const openStore = async () => {
    const store = await openPostgres({ url });
    opened.push(store);
    return new ObservationLog(store, systemClock);
  };
  const forward = (recorder: Recorder, collector: string) => {
    const forwarder = new Forwarder({
      recorder,
      collector,
      clock: systemClock,
      open: () => openPostgres({ url }),
    });
    opened.push(forwarder);
    forwarder.start();
    return forwarder;
  };
  const record = (recorder: Recorder, clientId: string, from: number, count: number) => {
    for (let n = from; n < from + count; n++)
      recorder.append(emissionOf(n, `${clientId} ${n}`, clientId, `cluster-${n % 50}`));
  };
  const isDone = (forwarder: Forwarder, seq: number) =>
    waitUntil(
      'all is forwarded',
      () => forwarder.state.problem === '' && (forwarder.state.reachedSeq ?? 0) >= seq,
    );
  const timesOf = async (log: ObservationLog, clientId: string) => {
    const times: number[] = [];
    for (let afterSeq = 0; ; ) {
      const page = await log.readObservations({ clientId, afterSeq, limit: 1_000, order: 'asc' });
      times.push(...page.map(({ at }) => at));
      const last = page.at(-1);
      if (last === undefined) return times;
      afterSeq = last.seq;
    }
  };
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

  it('copies observations and bodies of two recordings once, across restarts', async () => {
    url = await server.createDatabase();
    const [a, b] = [await openRecorder(), await openRecorder()];
    record(a, 'a', 1, 1_500);
    record(b, 'b', 1, 700);
    const first = [forward(a, 'one'), forward(b, 'two')];
    await isDone(first[0] as Forwarder, 1_500);
    await Promise.all(first.map((each) => each.close()));
    record(a, 'a', 1_501, 300);
    await Promise.all([isDone(forward(a, 'one'), 1_800), isDone(forward(b, 'two'), 700)]);
    const log = await openStore();
    expect(await timesOf(log, 'a')).toEqual(upTo(1_800));
    expect(await timesOf(log, 'b')).toEqual(upTo(700));
    const wanted = [bodyOf('a 1'), bodyOf('a 1800'), bodyOf('b 700')];
    const found = await log.readBodies(wanted.map(({ hash }) => hash));
    expect(wanted.map(({ hash }) => found.get(hash))).toEqual(wanted);
    const [row] = await log.readObservations({ clientId: 'a', limit: 1, order: 'asc' });
    const [own] = await a.readObservations({ clientId: 'a', limit: 1, order: 'asc' });
    expect({ ...row, seq: 0 }).toEqual({ ...own, seq: 0 });
  });

  it('loses and doubles nothing when the database is killed at random moments', async () => {
    url = await server.createDatabase();
    const recorder = await openRecorder();
    const forwarder = forward(recorder, 'one');
    const rounds = isLong ? 50 : 4;
    for (let round = 0; round < rounds; round++) {
      record(recorder, 'a', round * 2_000 + 1, 2_000);
      const aim = round * 2_000 + Math.floor(Math.random() * 2_000);
      await waitUntil('some are forwarded', () => (forwarder.state.reachedSeq ?? 0) >= aim);
      await server.kill();
      await waitUntil(
        'the loss of the database is stated',
        () => forwarder.state.problem !== '' || forwarder.state.waiting === 0,
      );
      await server.restart();
    }
    await isDone(forwarder, rounds * 2_000);
    expect(await timesOf(await openStore(), 'a')).toEqual(upTo(rounds * 2_000));
  });

  it('states why it does not forward, and how much waits', async () => {
    url = 'postgres://postgres@127.0.0.1:1/none';
    const recorder = await openRecorder();
    record(recorder, 'a', 1, 10);
    await recorder.flushed();
    const forwarder = forward(recorder, 'one');
    await waitUntil('the reason is stated', () => forwarder.state.problem.includes('ECONNREFUSED'));
    expect(forwarder.state).toMatchObject({ reachedSeq: null, waiting: null, sentAt: null });
    url = await server.createDatabase();
    await isDone(forwarder, 10);
    expect(forwarder.state).toMatchObject({ problem: '', reachedSeq: 10, waiting: 0 });
  });
});
