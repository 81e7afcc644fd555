import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type CheckRunJson, checkRun, newCheckRun } from '@/lib/views/server-checks/schema';
import { ServerChecksApi } from '@/server/answers/server-checks/server-checks-api';
import { systemClock } from '@/server/observe';
import { CheckRuns } from '@/server/server-checks/check-runs';
import { startLabServer } from '@/server/server-checks/lab-server';
import { referenceRuns } from '@/server/server-checks/reference-runs';
import { SavedRuns } from '@/server/server-checks/saved-runs';
import { resetConfig } from '@/server/server-checks/served-config';
import { waitUntil } from '../../../support/wait-until';

const root = mkdtempSync(path.join(os.tmpdir(), 'xdscope-server-checks-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function open(dataDir = mkdtempSync(path.join(root, 'data-'))) {
  const checkRuns = new CheckRuns({
    ...{ clock: systemClock, saved: new SavedRuns(dataDir) },
    permalinks: new SavedRuns(dataDir, 'server-check-permalinks'),
  });
  onTestFinished(() => checkRuns.close());
  const api = new ServerChecksApi({ checkRuns, credentials: new Map(), version: '1.0' });
  const find = (id: string) => checkRun.parse(api.find(id, 'json'));
  return {
    ...{ api, checkRuns, dataDir, find },
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
    const { start, ended, dataDir, find, checkRuns } = open();
    const { id, state, total } = start({
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
    expect(open(dataDir).find(id)).toEqual(run);
  });

  it('changes the config of a management server of the lab without a target', async () => {
    const { start, ended } = open();
    const run = await ended(start({ checks: ['S4', 'S24'] }).id);
    expect(run).toMatchObject({
      ...{ server: 'xdscope lab', access: 'all' },
      verdicts: { S4: 'passes', S24: 'passes' },
    });
  });

  it('rejects a response only if that is allowed', async () => {
    const { target } = await startServer();
    const { start, ended } = open();
    const run = await ended(start({ target, checks: ['D15'], mayReject: true }).id);
    expect(run.verdicts).toEqual({ D15: 'passes' });
    expect(run.results[0]?.messages.at(-1)?.error).toBe('rejected by a server check of xdscope');
  });

  it('is alone, can be stopped, and keeps its results then', async () => {
    const { target } = await startServer();
    const { start, find, api } = open();
    const { id } = start({ target });
    expect(() => start({ target })).toThrow(`expected no other run under way, got ${id}`);
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
    const { start, ended } = open();
    const { state, detail } = await ended(start({ target, checks: ['S1'] }).id);
    expect(state).toBe('failed');
    expect(detail).toContain('the first request of CDS was not answered');
    expect(detail).toContain(target);
  });

  it('connects only where the dial policy allows', async () => {
    const { start, ended } = open();
    const { state, detail } = await ended(start({ target: '169.254.169.254:80', checks: ['S1'] }).id);
    expect([state, detail]).toEqual([
      'failed',
      expect.stringContaining('expected an address that may be dialled'),
    ]);
  });

  it('is rejected with the expected and the actual value', () => {
    const { start } = open();
    expect(() => start({ target: 'nowhere' })).toThrow('nowhere');
    expect(() => start({ checks: ['S1', 'X9'] })).toThrow('expected ids of checks, as in S1, got X9');
    expect(() => start({ target: 'a:1', settings: { credentials: 'mesh' } })).toThrow('got "mesh"');
  });
});

describe('the runs of earlier processes', () => {
  it('are stopped if they had not ended, and a damaged one is left as it is', () => {
    const dataDir = mkdtempSync(path.join(root, 'data-'));
    const saved = new SavedRuns(dataDir);
    saved.read();
    saved.write(runOf('a', { state: 'running' }));
    const damaged = path.join(dataDir, 'server-checks', 'b.json');
    writeFileSync(damaged, '{');
    const { find, api } = open(dataDir);
    expect(find('a')).toMatchObject({ state: 'stopped', detail: 'xdscope ended during the run' });
    expect(() => api.find('b', 'json')).toThrow('no run of server checks has the id "b"');
    expect(readdirSync(path.dirname(damaged)).sort()).toEqual(['a.json', 'b.json']);
  });

  it('are removed beyond 50, except those that were shared', async () => {
    const dataDir = mkdtempSync(path.join(root, 'data-'));
    const saved = new SavedRuns(dataDir);
    saved.read();
    for (let at = 0; at < 51; at += 1) saved.write(runOf(`r${at}`, { startedAt: at }));
    const { api, checkRuns, start } = open(dataDir);
    expect(api.share('r0')).toEqual({ id: 'r0-0', url: '/p/checks/r0-0' });
    const { id } = start({ checks: ['S1'] });
    const kept = checkRuns.list().map((run) => run.id);
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([51, id, 'r0']);
    expect(kept).not.toContain('r1');
    expect(readdirSync(path.join(dataDir, 'server-checks'))).toHaveLength(51);
  });
});

describe('a permalink', () => {
  it('keeps a run with its messages when the run is removed, and over a restart', async () => {
    const { target } = await startServer();
    const { api, start, ended, dataDir, checkRuns } = open();
    const { id } = await ended(start({ target, checks: ['S1'] }).id);
    const { id: permalinkId } = api.share(id);
    expect(api.share(id).id).toBe(permalinkId);
    const shared = api.findShared(permalinkId);
    expect(shared.results[0]?.messages.map(({ isSent }) => isSent)).toEqual([true, false]);
    await api.remove(id);
    await checkRuns.close();
    expect(open(dataDir).api.findShared(permalinkId)).toEqual(shared);
  });

  it('keeps a run that ships with xdscope, which the next version replaces', () => {
    const { api, checkRuns } = open();
    const [run] = referenceRuns;
    const { id } = api.share(run?.id ?? '');
    expect(api.findShared(id).results).toHaveLength(run?.results.length ?? 0);
    expect(checkRuns.list()).toEqual([]);
  });

  it('is unknown by an id that leads out of the folder, and states what cannot be read', () => {
    const { api, dataDir } = open();
    for (const id of ['../server-checks/a', '..', '', 'absent'])
      expect(() => api.findShared(id)).toThrow('no permalink has the id');
    const { id } = api.share(referenceRuns[0]?.id ?? '');
    writeFileSync(path.join(dataDir, 'server-check-permalinks', `${id}.json`), '{');
    expect(() => api.findShared(id)).toThrow('expected a run of server checks, got');
  });
});

it('is a JUnit test suite on request', async () => {
  const { start, ended, api } = open();
  const { id } = await ended(start({ checks: ['S1'] }).id);
  const answer = api.find(id, 'junit');
  if (!(answer instanceof Response)) throw new Error('expected a response');
  expect(answer.headers.get('content-type')).toBe('application/xml; charset=utf-8');
  expect(await answer.text()).toContain('<testsuite name="xDS server checks of xdscope lab" tests="1"');
});
