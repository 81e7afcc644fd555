import { expect, it } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Source } from '@/lib/views/sources/schema';
import { LDS } from '@/lib/xds/resource-type';
import { IssuesApi, type IssuesApiParts } from '@/server/answers/issues/issues-api';
import { OwnIssues } from '@/server/answers/issues/own-issues';
import { ApiError } from '@/server/api-error';
import { IssueStore } from '@/server/issues/issue-store';
import { Mutes } from '@/server/issues/mutes';
import { RecorderError } from '@/server/recorder/recorder-error';
import { sampleReport, sampleResource } from '../../support/builders/observation-samples';
import { ManualClock } from '../../support/recorder-manual-clock';

const gone = '/data was deleted or moved while xdscope uses it';

function makeApi(
  assess: IssuesApiParts['assessor']['assess'],
  reports: readonly Parameters<typeof sampleReport>[0][] = [{}],
  isSourceDown = false,
): IssuesApi {
  const clock = new ManualClock();
  const issues = new IssueStore({ clock, publish: () => undefined });
  const row = sampleResource({
    typeUrl: LDS.typeUrl,
    name: 'shop',
    clientStatus: 'DOES_NOT_EXIST',
    hash: null,
  });
  const world: World = new Map();
  if (isSourceDown)
    issues.fold({
      ...{ kind: 'source-down', at: 1, seq: 0, vantage: 'csds', sourceId: 'csds:a:1' },
      problem: { code: 'CONNECTION_REFUSED', message: 'connection refused', hint: '' },
    });
  for (const [index, each] of reports.entries()) {
    const report = { ...sampleReport({ ...each, changed: [row] }), seq: index + 1 };
    foldObservation(world, report);
    issues.fold(report);
  }
  const parts = {
    live: { world, clientCountOf: () => 0 },
    recorder: { stats: () => ({ state: 'stopped', reason: gone }) } as IssuesApiParts['recorder'],
    mutes: new Mutes('/data/that/was/deleted'),
    issues,
  };
  const own = new OwnIssues({
    ...parts,
    registry: { find: (id) => ({ id, label: 'a:1', kind: 'csds' }) as Source },
    variants: { list: async () => ({ pairs: [], items: [], total: 0, at: 0 }) },
    requestErrors: { find: () => [] },
    loadErrors: { find: () => Promise.reject(new RecorderError('CLOSED', gone)) },
  });
  return new IssuesApi({
    ...parts,
    clock: { now: () => Number.MAX_SAFE_INTEGER / 2 ** 10 },
    own,
    checks: { find: async () => [], progress: { checked: 0, total: 0 } },
    certificates: { find: async () => [], records: async () => [] },
    assessor: { assess },
    measured: { find: () => Promise.reject(new RecorderError('CLOSED', gone)) },
    timeOf: async () => 0,
  });
}

it.each([new RecorderError('CLOSED', gone), new ApiError(503, 'Graph not available', gone)])(
  'the issues stay, with the reason, when the recording cannot be read: %s',
  async (error) => {
    const { items } = await makeApi(() => Promise.reject(error)).list({ state: 'open', limit: 10 });
    expect(items.map(({ title, impact, requests }) => [title, impact.text, requests])).toEqual([
      ['Recording has stopped', 'What happens now is not recorded', undefined],
      [
        'Listener shop does not exist',
        `Not known: the effective config could not be read: ${gone}`,
        undefined,
      ],
    ]);
  },
);

it('states which of the clients of an issue are probes of xdscope', async () => {
  const api = makeApi(async () => undefined, [{ clientId: 'a' }, { clientId: 'b', vantage: 'probe' }]);
  const { items } = await api.list({ state: 'open', limit: 10 });
  const { total, probes, items: clients } = items.find(({ kind }) => kind === 'absent')?.clients ?? {};
  expect([total, probes, clients?.map(({ clientId, isProbe }) => [clientId, isProbe])]).toEqual([
    2,
    1,
    [
      ['a', false],
      ['b', true],
    ],
  ]);
});

it('does not hide another error', async () => {
  const api = makeApi(() => Promise.reject(new Error('a defect')));
  await expect(api.list({ state: 'open', limit: 10 })).rejects.toThrow('a defect');
});

it('lists sources that do not answer after the issues of clients, whatever their severity', async () => {
  const assess: IssuesApiParts['assessor']['assess'] = async () => ({
    nodeId: 'a',
    isEnvoy: false,
    impact: { level: 'none', listener: null, cluster: null, reason: 'no RPC uses it' },
  });
  const { items } = await makeApi(assess, [{}], true).list({ state: 'open', limit: 10 });
  expect(items.map(({ kind, severity }) => [kind, severity])).toEqual([
    ['recorder', 'major'],
    ['absent', 'minor'],
    ['source-down', 'warning'],
  ]);
});
