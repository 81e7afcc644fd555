import { expect, it } from 'vitest';
import { chooseColumns, groupBySection } from '@/lib/views/server-checks/build-check-table';
import { describeRun } from '@/lib/views/server-checks/describe-run';
import type { CheckRunSummary, ServerCheckJson } from '@/lib/views/server-checks/schema';

function runOf(id: string, change: Partial<CheckRunSummary> = {}): CheckRunSummary {
  return {
    ...{ id, server: 'a:1', origin: 'page', access: 'read-only', mayReject: false, startedAt: 1 },
    ...{ state: 'done', total: 2, isShared: false, verdicts: {} },
    ...change,
  };
}

function checkOf(id: string, section: string): ServerCheckJson {
  const source = { section, sentence: 'It is.', url: 'https://example.com' };
  return { id, title: id, level: 'must', expected: 'It is.', source };
}

it('has the checks by section, in the order of the first check of each', () => {
  const checks = [checkOf('S1', 'Nonce'), checkOf('S2', 'Names'), checkOf('D1', 'Nonce')];
  expect(groupBySection(checks).map(({ title, checks: of }) => [title, of.map(({ id }) => id)])).toEqual([
    ['Nonce', ['S1', 'D1']],
    ['Names', ['S2']],
  ]);
});

it('has the three newest runs, the chosen one before them, and those that ship with xdscope', () => {
  const runs = [...['e', 'd', 'c', 'b', 'a'].map((id) => runOf(id)), runOf('lab', { origin: 'repository' })];
  const idsOf = (chosenId: string) => chooseColumns(runs, chosenId).map(({ id }) => id);
  expect(idsOf('')).toEqual(['e', 'd', 'c', 'lab']);
  expect(idsOf('d')).toEqual(['e', 'd', 'c', 'lab']);
  expect(idsOf('a')).toEqual(['a', 'e', 'd', 'c', 'lab']);
  expect(idsOf('lab')).toEqual(['e', 'd', 'c', 'lab']);
});

it('describes a run by its verdicts and by what was done to the server', () => {
  expect(describeRun(runOf('a', { state: 'running' }))).toBe(
    'No check has ended yet. The server was only read.',
  );
  const verdicts = { S1: 'passes', S5: 'non-strict', S10: 'fails', S4: 'not-asked' } as const;
  expect(describeRun(runOf('a', { verdicts, mayReject: true, nodeId: 'edge-1' }))).toBe(
    '1 of 4 checks pass, 1 fails, 1 is non-strict, 1 is not asked. The server was only read, and responses were rejected, as node edge-1.',
  );
  expect(describeRun(runOf('a', { verdicts: { S1: 'passes' }, access: 'all' }))).toBe(
    '1 of 1 checks pass. The checks changed its config.',
  );
});
