import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '@/server/api-error';
import { Notices } from '@/server/forwarding/notices';
import { openSharedStore } from '@/server/forwarding/open-shared-store';
import { type AnswerRelayed, QuestionServer } from '@/server/forwarding/question-server';
import { RelayedQuestions } from '@/server/forwarding/relayed-questions';
import type { FleetHolding } from '@/server/live/held-clients';
import { type Clock, systemClock } from '@/server/observe';
import { findPostgres, type PostgresServer, startPostgres } from '@/tests/support/postgres';
import { waitUntil } from '@/tests/support/wait-until';

const isThere = findPostgres() !== undefined;
const title = 'RelayedQuestions';

describe.skipIf(!isThere)(isThere ? title : `${title}: skipped, no PostgreSQL is installed`, () => {
  const opened: (() => Promise<void>)[] = [];
  let server: PostgresServer;
  let url: string;
  /** Moves the clocks of those who ask. */
  let aheadMs = 0;
  /** How often those who ask were called because some process answers. */
  let resumed = 0;
  const clock: Clock = { ...systemClock, now: () => Date.now() + aheadMs };
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    url = await server.createDatabase();
    aheadMs = 0;
    resumed = 0;
  });
  afterEach(async () => {
    for (const close of opened.splice(0).reverse()) await close();
  });

  const openStore = async () => {
    const shared = await openSharedStore(url, null);
    opened.push(() => shared.database.close());
    return shared;
  };
  const openAsking = async () => {
    const shared = await openStore();
    const relay = new RelayedQuestions({
      clock,
      shared,
      onAnswering: () => {
        resumed += 1;
      },
    });
    const notices = new Notices({ clock, database: shared.database, onNotice: () => relay.wake() });
    opened.push(
      () => relay.close(),
      () => notices.close(),
    );
    await relay.start();
    notices.start();
    return { relay, shared };
  };
  const openFolder = async (answer: AnswerRelayed, holding: Partial<FleetHolding> = {}) => {
    const shared = await openStore();
    const whole = { isWhole: true, isFolder: true, reachedSeq: 0, progress: '', ...holding };
    const answering = new QuestionServer({ clock, shared, holding: whole });
    const notices = new Notices({ clock, database: shared.database, onNotice: () => answering.wake() });
    opened.push(
      () => answering.close(),
      () => notices.close(),
    );
    answering.start(answer);
    notices.start();
    return whole;
  };
  const answering = ({ problem }: RelayedQuestions) => problem === '';

  it('passes on values, their absence, files and errors', async () => {
    await openFolder(async (question) => {
      const { kind } = question as { kind: string };
      if (kind === 'value') return { items: [1, 'a', null], question };
      if (kind === 'nothing') return undefined;
      if (kind === 'file') return new Response('a,b\n1,2\n', { headers: { 'content-type': 'text/csv' } });
      if (kind === 'missing') throw new ApiError(404, 'Client not found', 'no client "x"', 'id');
      throw new TypeError('a mistake');
    });
    const { relay, shared } = await openAsking();
    await waitUntil('it answers', () => answering(relay));
    expect(await relay.ask({ kind: 'value', text: 'ü\u0000' })).toEqual({
      items: [1, 'a', null],
      question: { kind: 'value', text: 'ü\u0000' },
    });
    expect(await relay.ask({ kind: 'nothing' })).toBeUndefined();
    const file = (await relay.ask({ kind: 'file' })) as Response;
    expect([file.headers.get('content-type'), await file.text()]).toEqual(['text/csv', 'a,b\n1,2\n']);
    await expect(relay.ask({ kind: 'missing' })).rejects.toMatchObject({
      ...{ status: 404, title: 'Client not found', detail: 'no client "x"', field: 'id' },
    });
    await expect(relay.ask({ kind: 'other' })).rejects.toMatchObject({ status: 500 });
    const left = await shared.database.db.selectFrom('fleet_questions').selectAll().execute();
    expect(left).toEqual([]);
  });

  it('asks once what several ask at the same time', async () => {
    let asked = 0;
    await openFolder(async () => ({ asked: ++asked }));
    const { relay } = await openAsking();
    await waitUntil('it answers', () => answering(relay));
    const answers = await Promise.all(Array.from({ length: 20 }, () => relay.ask({ kind: 'nacks' })));
    expect(answers).toEqual(Array.from({ length: 20 }, () => ({ asked: 1 })));
  });

  it('states that no process has folded the fleet, and that one is reading it', async () => {
    const { relay } = await openAsking();
    expect(relay.problem).toContain('no web process has folded the fleet');
    const asked = relay.ask({ kind: 'nacks' }).catch((error: unknown) => error);
    aheadMs = 6_000;
    expect(await asked).toMatchObject({ status: 503, title: 'Fleet not available' });
    const holding = await openFolder(async () => 'answered', { isWhole: false });
    await waitUntil('it reads', () => relay.problem.endsWith('is reading the fleet from the store'));
    await expect(relay.ask({ kind: 'nacks' })).rejects.toMatchObject({ status: 503 });
    holding.progress = '2 of 3 clients';
    await waitUntil('it states how far it is', () => relay.problem.endsWith('the store (2 of 3 clients)'));
    expect(resumed).toBe(0);
    holding.isWhole = true;
    await waitUntil('it answers', () => answering(relay));
    expect(resumed).toBe(1);
    expect(await relay.ask({ kind: 'nacks' })).toBe('answered');
  });

  it('is answered by the next process if the first one ends, within the patience of whoever asks', async () => {
    const first = await openFolder(
      (_question, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    );
    const { relay } = await openAsking();
    await waitUntil('it answers', () => answering(relay));
    const asked = relay.ask({ kind: 'nacks' });
    first.isFolder = false;
    await openFolder(async () => 'by the next one');
    expect(await asked).toBe('by the next one');
  });

  it('states that the process has ended, when it has not reported for 8 s', async () => {
    const holding = await openFolder(async () => 'answered');
    const { relay } = await openAsking();
    await waitUntil('it answers', () => answering(relay));
    holding.isFolder = false;
    aheadMs = 60_000;
    expect(relay.problem).toMatch(/has not reported for \d+ s; another one takes over/);
    await waitUntil('it is hopeless', async () => {
      const answer = await relay.ask({ kind: 'nacks' }).catch((error: unknown) => error);
      return answer instanceof ApiError && answer.status === 503;
    });
  });
});
