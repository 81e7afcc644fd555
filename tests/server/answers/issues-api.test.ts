import { describe, expect, it } from 'vitest';
import type { FoundErrors } from '@/lib/views/issues/build-load-issue';
import type { Condition } from '@/lib/views/issues/read-conditions';
import { CDS } from '@/lib/xds/resource-type';
import { ClientIssues } from '@/server/answers/issues/client-issues';
import type { IssuesApi, IssuesApiParts } from '@/server/answers/issues/issues-api';
import { ApiError } from '@/server/api-error';
import { RecorderError } from '@/server/store/recorder/recorder-error';
import { sampleReport } from '../../support/builders/observation-samples';
import { gone, listIssues, makeApi, now, row, sourceDown } from '../../support/issues-api-story';
import { ManualClock } from '../../support/recorder-manual-clock';

async function muteAll(api: IssuesApi): Promise<void> {
  const { items } = await api.list({ state: 'current', limit: 10 });
  for (const { id } of items) await api.mute(id, now + 60_000);
}

it.each([new RecorderError('CLOSED', gone), new ApiError(503, 'Graph not available', gone)])(
  'the issues stay, with the reason, when the recording cannot be read: %s',
  async (error) => {
    const { api } = await makeApi({
      assess: () => Promise.reject(error),
      observed: [sampleReport({ changed: [row] })],
    });
    const { items } = await api.list({ state: 'open', limit: 10 });
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
  const { api } = await makeApi({
    observed: [
      sampleReport({ clientId: 'a', changed: [row] }),
      sampleReport({ clientId: 'b', vantage: 'probe', changed: [row] }),
    ],
  });
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

it('states since when no source reports whether an issue lasts', async () => {
  const { api, observe } = await makeApi({
    observed: [sampleReport({ clientId: 'a', sourceId: 'csds:a:1', changed: [row] })],
  });
  const stepsOf = async () => {
    const { items } = await api.list({ state: 'open', limit: 10 });
    return items.find(({ kind }) => kind === 'absent')?.cause.filter(({ step }) => step === 'report');
  };
  expect(await stepsOf()).toEqual([]);
  observe(sourceDown('csds:a:1', 40_000));
  expect(await stepsOf()).toEqual([
    { step: 'report', text: 'Whether it lasts is not known: its sources stopped answering', at: 40_000 },
  ]);
  observe(sampleReport({ clientId: 'b', sourceId: 'csds:b:1', changed: [row] }));
  expect(await stepsOf()).toEqual([
    {
      step: 'report',
      text: 'Whether it lasts at 1 of 2 clients is not known: its sources stopped answering',
      at: 40_000,
    },
  ]);
  observe({ kind: 'source-up', at: 80_000, vantage: 'csds', sourceId: 'csds:a:1' });
  expect(await stepsOf()).toEqual([]);
});

it('states the issues of each client that has one', async () => {
  const observed = ['a', 'b'].map((clientId) => sampleReport({ clientId, changed: [row] }));
  const { api } = await makeApi({ observed });
  const issues = new ClientIssues({ clock: new ManualClock(), findOpen: () => api.findOpen() });
  const found = await issues.find();
  expect([...found].map(([id, issues]) => [id, issues.map(({ title }) => title)])).toEqual([
    ['a', ['Listener shop does not exist']],
    ['b', ['Listener shop does not exist']],
  ]);
});

describe('the list of issues, the strip, the clients and the metrics', () => {
  const errorsOf = (clusterName: string, client: string): FoundErrors => ({
    ...{ clusterName, from: 2_000, to: undefined, measured: { errors: 9, completed: 9, ofAll: 9 } },
    ...{ clients: [client], moreClients: 0 },
  });
  const unserved = (name: string, clientId: string, to?: number): Condition => ({
    cause: { kind: 'unserved', side: 'client', typeUrl: CDS.typeUrl, name, text: 'no usable endpoint' },
    period: {
      ...{
        clientId,
        from: 3_000,
        to,
        end: to === undefined ? undefined : 'repaired',
        fromSeq: null,
        toSeq: null,
      },
      ...{ versionInfo: '', keepsAccepted: null, resources: 1 },
      impact: { level: 'some-fail', listener: null, cluster: name, reason: '' },
    },
  });
  const assess: IssuesApiParts['assessor']['assess'] = async (_, cause, { clientId, impact }) => ({
    ...{ nodeId: clientId, isEnvoy: false },
    impact: impact ?? { level: 'all-fail', listener: cause.name, cluster: null, reason: '' },
  });
  /** Each is an issue, except the failed requests to `cart`, which the check of this cluster explains. */
  const all = {
    observed: [sampleReport({ clientId: 'a', changed: [row] })],
    checked: [unserved('cart', 'a'), unserved('users', 'b', 40_000)],
    loadErrors: [errorsOf('cart', 'a'), errorsOf('search', 'c')],
    sources: [sourceDown('csds:a:1')],
  };
  const without = (part: keyof typeof all) => ({ ...all, [part]: [] });

  async function compare(parts: typeof all, mutes: number) {
    const { api } = await makeApi({
      ...{ assess, observed: [...parts.observed, ...parts.sources], checked: parts.checked },
      loadErrors: () => parts.loadErrors,
    });
    const current = await api.list({ state: 'current', limit: 100 });
    for (const { id } of current.items.slice(0, mutes)) await api.mute(id, now + 60_000);
    const list = await api.list({ state: 'open', limit: 100 });
    const [strip, ofClients] = [await api.strip({}), await api.findOpen()];
    const lasting = (await api.list({ state: 'current', limit: 100 })).items;
    const { withoutClients, ...counts } = strip.counts;
    return { list, strip, ofClients, lasting, counts, withoutClients };
  }

  it.each(
    [all, ...(Object.keys(all) as (keyof typeof all)[]).map(without)].flatMap((parts) =>
      [0, 1, 9].map((mutes) => [mutes, Object.values(parts).map((each) => each.length), parts] as const),
    ),
  )('are about the same issues, with %i muted of %j', async (mutes, _, parts) => {
    const { list, strip, ofClients, lasting, counts, withoutClients } = await compare(parts, mutes);
    expect(counts).toEqual(list.counts);
    expect(list.items).toHaveLength(counts.open);
    expect(lasting).toHaveLength(counts.open + counts.muted);
    expect(ofClients.map(({ id }) => id).sort()).toEqual(list.items.map(({ id }) => id).sort());
    const spans = strip.rows.flatMap(({ spans }) => spans.filter(({ isOpen }) => isOpen));
    const shown = lasting.filter(({ clients }) => clients.total > 0).map(({ id }) => id);
    expect([...new Set(spans.map(({ issueId }) => issueId))].sort()).toEqual(shown.sort());
    expect(withoutClients).toBe(lasting.length - shown.length);
  });

  it('state requests that fail beside the check that explains them, once', async () => {
    const { strip } = await compare(all, 0);
    expect(strip.rows.map(({ clientId, spans }) => [clientId, ...spans.map(({ text }) => text)])).toEqual([
      ['a', 'Listener shop does not exist', 'Cluster cart serves nothing'],
      ['c', 'Requests to cluster search fail'],
      ['b', 'Cluster users serves nothing'],
    ]);
    expect(strip.counts).toEqual({ open: 5, muted: 0, withoutClients: 2 });
    expect(strip.checks).toMatchObject({ checked: 1, total: 2, asOf: now });
  });
});

it('an issue that only the client of an interop run has is one of the client, and not one of the fleet', async () => {
  const other = sampleReport({
    clientId: 'run',
    changed: [{ ...row, name: 'svc' }],
  });
  const { api } = await makeApi({
    isOfRun: (clientId) => clientId === 'run',
    observed: [
      sampleReport({ clientId: 'a', changed: [row] }),
      ...[other, sourceDown('tap:of-a-run'), sourceDown('tap:other')],
    ],
  });
  expect((await listIssues(api)).sort()).toEqual([
    'open: Listener shop does not exist',
    'open: tap other cannot connect to its management server',
  ]);
  const { rows, counts } = await api.strip({});
  expect(rows.map(({ clientId }) => clientId)).toEqual(['a']);
  expect(counts).toMatchObject({ open: 3, withoutClients: 2 });
  const { items } = await api.list({ state: 'open', limit: 10, client: 'run' });
  expect(items.map(({ title }) => title)).toEqual(['Listener svc does not exist']);
  expect(await api.find(items[0]?.id ?? '', undefined)).toMatchObject({ state: 'open' });
  const ofClients = await api.findOpen();
  expect(ofClients.map(({ title }) => title)).toContain('Listener svc does not exist');
});

it('does not hide another error', async () => {
  const { api } = await makeApi({
    assess: () => Promise.reject(new Error('a defect')),
    observed: [sampleReport({ changed: [row] })],
  });
  await expect(api.list({ state: 'open', limit: 10 })).rejects.toThrow('a defect');
});

it('lists sources that do not answer after the issues of clients, whatever their severity', async () => {
  const assess: IssuesApiParts['assessor']['assess'] = async () => ({
    nodeId: 'a',
    isEnvoy: false,
    impact: { level: 'none', listener: null, cluster: null, reason: 'no RPC uses it' },
  });
  const { api } = await makeApi({
    assess,
    observed: [sourceDown('csds:a:1'), sampleReport({ changed: [row] })],
  });
  const { items } = await api.list({ state: 'open', limit: 10 });
  expect(items.map(({ kind, severity }) => [kind, severity])).toEqual([
    ['recorder', 'major'],
    ['absent', 'minor'],
    ['source-down', 'warning'],
  ]);
});

describe('a mute', () => {
  it('covers the clients that have the issue, and not one that has it later', async () => {
    const { api, observe } = await makeApi({ observed: [sampleReport({ clientId: 'a', changed: [row] })] });
    await muteAll(api);
    observe(sampleReport({ clientId: 'a', at: 3_000, changed: [row] }));
    expect(await listIssues(api)).toEqual(['muted: Listener shop does not exist']);
    observe(sampleReport({ clientId: 'b', changed: [row] }));
    expect(await listIssues(api)).toEqual(['open: Listener shop does not exist']);
    await muteAll(api);
    expect(await listIssues(api)).toEqual(['muted: Listener shop does not exist']);
  });

  it('covers the sources that do not answer, also when one of them answers again', async () => {
    const { api, observe } = await makeApi({ observed: [sourceDown('csds:a:1'), sourceDown('csds:b:1', 2)] });
    await muteAll(api);
    observe({ kind: 'source-up', at: 50_000, vantage: 'csds', sourceId: 'csds:a:1' });
    expect(await listIssues(api)).toEqual(['muted: CSDS source b:1 does not answer']);
    observe(sourceDown('csds:c:1', 60_000));
    expect(await listIssues(api)).toEqual(['open: CSDS source b:1 and others do not answer']);
  });

  it('covers the clusters whose requests fail, also when the group changes', async () => {
    const errorsOf = (clusterName: string, from: number): FoundErrors => ({
      ...{ clusterName, from, to: undefined, measured: { errors: 9, completed: 9, ofAll: 9 } },
      ...{ clients: ['a'], moreClients: 0 },
    });
    let found = [errorsOf('cart', 1_000), errorsOf('users', 2_000)];
    const { api } = await makeApi({ loadErrors: () => found });
    await muteAll(api);
    found = [errorsOf('users', 2_000)];
    expect(await listIssues(api)).toEqual(['muted: Requests to cluster users fail']);
    found = [errorsOf('users', 2_000), errorsOf('search', 3_000)];
    expect(await listIssues(api)).toEqual(['open: Requests of a to cluster users and others fail']);
  });
});
