import { describe, expect, it, onTestFinished } from 'vitest';
import { type CheckRunJson, checkRun, newCheckRun } from '@/lib/views/server-checks/schema';
import { ServerChecksApi } from '@/server/answers/server-checks/server-checks-api';
import { CheckRuns } from '@/server/lab/server-checks/check-runs';
import { startLabServer } from '@/server/lab/server-checks/lab-server';
import { referenceRuns } from '@/server/lab/server-checks/reference-runs';
import { SavedRuns } from '@/server/lab/server-checks/saved-runs';
import { resetConfig } from '@/server/lab/server-checks/served-config';
import { systemClock } from '@/server/observe';
import type { StateStore } from '@/server/store/state';
import { openTestState } from '../../../support/test-state';
import { waitUntil } from '../../../support/wait-until';

async function open(given?: StateStore) {
  const state = given ?? (await openTestState());
  const checkRuns = new CheckRuns({
    ...{ clock: systemClock, saved: await SavedRuns.open(state, 'server-checks/') },
    permalinks: await SavedRuns.open(state, 'server-check-permalinks/'),
  });
  onTestFinished(() => checkRuns.close());
  const api = new ServerChecksApi({ checkRuns, credentials: new Map(), version: '1.0' });
  const find = (id: string) => checkRun.parse(api.find(id, 'json'));
  return {
    ...{ api, checkRuns, state, find },
    start: (requested: object) => api.start(newCheckRun.parse(requested)),
    ended: (id: string) => waitUntil('the run has ended', () => find(id).state !== 'running' && find(id)),
  };
}

async function startServer() {
  const { server, target, adapter, close } = await startLabServer(systemClock);
  onTestFinished(close);
  await resetConfig(adapter.replace);
  return { server, target };
}

function runOf(id: string, change: Partial<CheckRunJson> = {}): CheckRunJson {
  return {
    ...{ id, server: 'a:1', origin: 'page', access: 'read-only', mayReject: false, startedAt: 1, endedAt: 2 },
    ...{ state: 'done', total: 1, isShared: false, verdicts: {}, results: [] },
    ...change,
  };
}

describe('a run of server checks', () => {
  it('reads a server, states its progress, and is there after a restart', async () => {
    const { target } = await startServer();
    const { start, ended, state: stored, find, checkRuns } = await open();
    const { id, state, total } = await start({
      target,
      settings: { nodeId: 'edge-1' },
      checks: ['S1', 'S4', 'S5', 'D1'],
    });
    expect({ state, total }).toEqual({ state: 'running', total: 4 });
    await waitUntil('a result is there', () => find(id).verdicts.S1 === 'passes');
    const run = await ended(id);
    expect(run).toMatchObject({
      ...{ server: target, nodeId: 'edge-1', access: 'read-only', state: 'done' },
      verdicts: { S1: 'passes', S4: 'not-asked', S5: 'not-asked', D1: 'passes' },
    });
    expect(run.results[0]?.messages.map(({ isSent }) => isSent)).toEqual([true, false]);
    await checkRuns.close();
    expect((await open(stored)).find(id)).toEqual(run);
  });

  it('changes the config of a management server of the lab without a target', async () => {
    const { start, ended } = await open();
    const run = await ended((await start({ checks: ['S4', 'S24'] })).id);
    expect(run).toMatchObject({
      ...{ server: 'xdscope lab', access: 'all' },
      verdicts: { S4: 'passes', S24: 'passes' },
    });
  });

  it('rejects a response only if that is allowed', async () => {
    const { target } = await startServer();
    const { start, ended } = await open();
    const run = await ended((await start({ target, checks: ['D15'], mayReject: true })).id);
    expect(run.verdicts).toEqual({ D15: 'passes' });
    expect(run.results[0]?.messages.at(-1)?.error).toBe('rejected by a server check of xdscope');
  });

  it('is alone, can be stopped, and keeps its results then', async () => {
    const { target } = await startServer();
    const { start, find, api } = await open();
    const { id } = await start({ target });
    await expect(start({ target })).rejects.toThrow(`expected no other run under way, got ${id}`);
    await waitUntil('a result is there', () => find(id).results.length > 0);
    await api.remove(id);
    const { state, detail, results } = find(id);
    expect([state, detail]).toEqual(['stopped', 'stopped by a user']);
    expect(results.length).toBeLessThan(10);
    await api.remove(id);
    expect(() => find(id)).toThrow(`no run of server checks has the id "${id}"`);
  });

  it('states why a server could not be checked', async () => {
    const { server, target } = await startServer();
    await server.close();
    const { start, ended } = await open();
    const { state, detail } = await ended((await start({ target, checks: ['S1'] })).id);
    expect(state).toBe('failed');
    expect(detail).toContain('the first request of CDS was not answered');
    expect(detail).toContain(target);
  });

  it('connects only where the dial policy allows', async () => {
    const { start, ended } = await open();
    const { state, detail } = await ended((await start({ target: '169.254.169.254:80', checks: ['S1'] })).id);
    expect([state, detail]).toEqual([
      'failed',
      expect.stringContaining('expected an address that may be dialled'),
    ]);
  });

  it('is rejected with the expected and the actual value', async () => {
    const { start } = await open();
    await expect(start({ target: 'nowhere' })).rejects.toThrow('nowhere');
    await expect(start({ checks: ['S1', 'X9'] })).rejects.toThrow('expected ids of checks, as in S1, got X9');
    await expect(start({ target: 'a:1', settings: { credentials: 'mesh' } })).rejects.toThrow('got "mesh"');
  });
});

describe('the runs of earlier processes', () => {
  it('are stopped if they had not ended', async () => {
    const state = await openTestState();
    const saved = await SavedRuns.open(state, 'server-checks/');
    await saved.write(runOf('a', { state: 'running' }));
    const { find } = await open(state);
    expect(find('a')).toMatchObject({ state: 'stopped', detail: 'xdscope ended during the run' });
  });

  it('are removed beyond 50, except those that were shared', async () => {
    const state = await openTestState();
    const saved = await SavedRuns.open(state, 'server-checks/');
    for (let at = 0; at < 51; at += 1) await saved.write(runOf(`r${at}`, { startedAt: at }));
    const { api, checkRuns, start } = await open(state);
    expect(await api.share('r0')).toEqual({ id: 'r0-0', url: '/p/checks/r0-0' });
    const { id } = await start({ checks: ['S1'] });
    const kept = checkRuns.list().map((run) => run.id);
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([51, id, 'r0']);
    expect(kept).not.toContain('r1');
    expect((await SavedRuns.open(state, 'server-checks/')).count).toBe(51);
  });
});

describe('a permalink', () => {
  it('keeps a run with its messages when the run is removed, and over a restart', async () => {
    const { target } = await startServer();
    const { api, start, ended, state, checkRuns } = await open();
    const { id } = await ended((await start({ target, checks: ['S1'] })).id);
    const { id: permalinkId } = await api.share(id);
    expect((await api.share(id)).id).toBe(permalinkId);
    const shared = api.findShared(permalinkId);
    expect(shared.results[0]?.messages.map(({ isSent }) => isSent)).toEqual([true, false]);
    await api.remove(id);
    await checkRuns.close();
    expect((await open(state)).api.findShared(permalinkId)).toEqual(shared);
  });

  it('keeps a run that ships with xdscope, which the next version replaces', async () => {
    const { api, checkRuns } = await open();
    const [run] = referenceRuns;
    const { id } = await api.share(run?.id ?? '');
    expect(api.findShared(id).results).toHaveLength(run?.results.length ?? 0);
    expect(checkRuns.list()).toEqual([]);
  });

  it('is unknown by any other id', async () => {
    const { api } = await open();
    for (const id of ['../server-checks/a', '..', '', 'absent'])
      expect(() => api.findShared(id)).toThrow('no permalink has the id');
  });
});

it('is a JUnit test suite on request', async () => {
  const { start, ended, api } = await open();
  const { id } = await ended((await start({ checks: ['S1'] })).id);
  const answer = api.find(id, 'junit');
  if (!(answer instanceof Response)) throw new Error('expected a response');
  expect(answer.headers.get('content-type')).toBe('application/xml; charset=utf-8');
  expect(await answer.text()).toContain('<testsuite name="xDS server checks of xdscope lab" tests="1"');
});
