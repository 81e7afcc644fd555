import { describe, expect, it } from 'vitest';
import { interopMatrix, interopRuns } from '@/lib/interop/run-schema';
import { controlPlanes } from '@/lib/views/control-planes/schema';
import * as lab from '@/lib/views/lab/schema';
import { permalinkCreated as permalinkCreatedSchema } from '@/lib/views/permalinks/schema';
import { checkRun, checkRunList, checkRunSummary } from '@/lib/views/server-checks/schema';
import { descriptorSet, descriptorSetList } from '@/lib/views/sources/descriptor-set-schema';
import { credentialsList as credentialsListSchema, source as sourceSchema } from '@/lib/views/sources/schema';
import { acmeFilterSet } from '../../../support/builders/descriptor-set';
import { waitUntil } from '../../../support/wait-until';
import { call, called, problem, send } from './operations';

/** tests/e2e/interop-runs.test.ts runs a case; a run here would be a client more for the other stories. */
async function checkInteropRuns(): Promise<void> {
  const { clients, cases } = await call('get /interop/runs', interopRuns);
  expect(clients.map(({ name }) => name)).toContain('grpc-js');
  const { cells } = await call('get /interop/matrix', interopMatrix);
  expect(cells).toHaveLength(clients.length * cases.length);
  const run = 'get /interop/runs/{id}';
  expect(await problem(run, 404, { parameters: ['absent'] })).toContain('absent');
  const start = 'post /interop/runs';
  expect(await problem(start, 400, { body: { client: 'absent' } })).toContain('absent');
  const stop = 'delete /interop/runs';
  expect((await send(stop, {})).status).toBe(204);
  for (const operation of [run, start, stop]) called.add(operation);
}

async function checkServerChecks(): Promise<void> {
  const { items: servers } = await call('get /interop/control-planes', controlPlanes);
  expect(servers.some(({ identifiers }) => identifiers.includes('xdscope-lab'))).toBe(true);
  const all = await call('get /interop/server-checks', checkRunList);
  expect(all.checks.length).toBeGreaterThanOrEqual(40);
  const shipped = all.items.find(({ origin }) => origin === 'repository');
  const start = 'post /interop/server-checks';
  const started = await call(start, checkRunSummary, { body: { checks: ['S1'] } });
  const parameters = [started.id];
  const run = 'get /interop/server-checks/{id}';
  await waitUntil('it has ended', async () => (await call(run, checkRun, { parameters })).state === 'done');
  const junit = await send(run, { parameters, query: { format: 'junit' } });
  expect(await junit.text()).toContain('<testsuite');
  const shared = await call('post /interop/server-checks/{id}/share', permalinkCreatedSchema, { parameters });
  const remove = 'delete /interop/server-checks/{id}';
  expect((await send(remove, { parameters })).status).toBe(204);
  called.add(remove);
  expect(await problem(run, 404, { parameters })).toContain(started.id);
  const permalink = 'get /interop/server-check-permalinks/{id}';
  const kept = await call(permalink, checkRun, { parameters: [shared.id] });
  expect(kept).toMatchObject({ isShared: true, verdicts: { S1: 'passes' } });
  expect(await problem(permalink, 404, { parameters: ['absent'] })).toContain('absent');
  expect(await problem(remove, 409, { parameters: [shipped?.id ?? ''] })).toContain('ships with xdscope');
  expect(await problem(start, 400, { body: { target: 'nowhere' } })).toContain('nowhere');
}

describe('the HTTP API of sources and the lab', () => {
  it('adds, pauses, resumes and removes a source', async () => {
    const body = { kind: 'csds', target: '127.0.0.1:1', label: 'nobody' };
    const { id } = await call('post /sources', sourceSchema, { body });
    const parameters = [id];
    expect(await problem('post /sources', 409, { body })).toContain('is a source already');
    const paused = await call('patch /sources/{id}', sourceSchema, { parameters, body: { paused: true } });
    expect(paused).toMatchObject({ paused: true, state: 'paused', label: 'nobody' });
    const resumed = await call('patch /sources/{id}', sourceSchema, { parameters, body: { paused: false } });
    expect(resumed.paused).toBe(false);
    await waitUntil('it is down', async () => {
      const source = await call('get /sources/{id}', sourceSchema, { parameters });
      return source.state === 'down' && source.problem !== undefined;
    });
    expect((await send('delete /sources/{id}', { parameters })).status).toBe(204);
    await call('post /sources', sourceSchema, { body });
    expect((await send('delete /sources', { query: { id } })).status).toBe(204);
    called.add('delete /sources/{id}').add('delete /sources');
    await problem('get /sources/{id}', 404, { parameters });
  });

  it('adds a probe with settings or a bootstrap, and changes its mode', async () => {
    const settings = { transport: 'delta-ads', listeners: ['xds:///shop'] };
    const body = { kind: 'ads', target: '127.0.0.1:1', settings };
    const probe = await call('post /sources', sourceSchema, { body });
    expect(probe.settings).toMatchObject({ transport: 'delta-ads', mode: 'observe', listeners: ['shop'] });
    const parameters = [probe.id];
    const change = { mode: 'validate', profile: 'go', errorModel: 'a88' };
    const changed = await call('patch /sources/{id}', sourceSchema, { parameters, body: change });
    expect(changed).toMatchObject({ id: probe.id, settings: change });
    expect((await send('delete /sources/{id}', { parameters })).status).toBe(204);

    const xds_servers = [{ server_uri: '127.0.0.1:1', channel_creds: [{ type: 'insecure' }] }];
    const bootstrap = { xds_servers, node: { id: 'from-a-bootstrap' } };
    const added = await call('post /sources', sourceSchema, { body: { kind: 'ads', bootstrap } });
    expect(added.settings?.nodeId).toBe('from-a-bootstrap');
    expect((await send('delete /sources/{id}', { parameters: [added.id] })).status).toBe(204);
    const odd = { kind: 'ads', bootstrap: { xds_servers: [] } };
    expect(await problem('post /sources', 400, { body: odd })).toContain('bootstrap: xds_servers: expected');
  });

  it('lists credentials by name', async () => {
    expect(await call('get /credentials', credentialsListSchema)).toEqual({ items: [] });
    const settings = { credentials: 'mesh-a' };
    const body = { kind: 'csds', target: '127.0.0.1:1', settings };
    expect(await problem('post /sources', 400, { body })).toContain('settings.credentials: expected no name');
  });

  it('controls the lab', async () => {
    const { processes } = await call('get /lab', lab.labStatus);
    const { items } = await call('get /lab/resources', lab.labResources);
    const [first] = items;
    if (first === undefined) throw new Error('the lab has no resources');
    const name = 'contract-test';
    const cluster = { typeUrl: 'type.googleapis.com/envoy.config.cluster.v3.Cluster', name };
    const added = await call('put /lab/resources', lab.labResources, {
      body: { ...cluster, resource: { name } },
    });
    expect(added.items.map((item) => item.name)).toContain(name);
    const left = await call('delete /lab/resources', lab.labResources, { query: cluster });
    expect(left.items.map((item) => item.name)).not.toContain(name);
    const reporting = await call('post /lab/load-reporter', lab.labStatus, { body: { running: true } });
    expect(reporting.processes.find(({ kind }) => kind === 'load-reporter')?.state).toBe('running');
    await call('post /lab/load-reporter', lab.labStatus, { body: { running: false } });
    for (const running of [false, true]) {
      const status = await call('post /lab/management-server', lab.labStatus, { body: { running } });
      const found = status.processes.find(({ kind }) => kind === 'management-server');
      expect(found?.state).toBe(running ? 'running' : 'stopped');
    }
    const backgroundFaults = await call('post /lab/background-faults', lab.labStatus, {
      body: { backgroundFaults: 'off' },
    });
    expect(backgroundFaults.backgroundFaults).toBe('off');
    expect((await call('post /lab/start', lab.labStatus)).running).toBe(true);
    const renewed = await call('post /lab/renew', lab.labStatus, { body: { type: 'CDS' } });
    expect(renewed.running).toBe(true);
    const backend = processes.find(({ kind }) => kind === 'backend')?.name ?? '';
    for (const running of [false, true]) {
      const status = await call('post /lab/backends/{name}', lab.labStatus, {
        parameters: [backend],
        body: { running },
      });
      expect(status.processes.find((process) => process.name === backend)?.state).toBe(
        running ? 'running' : 'stopped',
      );
    }
    for (const [body, weight] of [
      [{ priority: 0, zone: 'eu-west1-b', weight: 25 }, 25],
      [{ weight: 100 }, 100],
    ] as const) {
      const status = await call('post /lab/assignments/{name}', lab.labStatus, {
        parameters: ['cart'],
        body,
      });
      const cart = status.assignments.find((each) => each.name === 'cart');
      expect(cart?.localities.find(({ locality }) => locality.zone === 'eu-west1-b')?.weight).toBe(weight);
    }
    const fault = 'missing-cluster';
    for (const active of [true, false]) {
      const status = await call('post /lab/faults/{name}', lab.labStatus, {
        parameters: [fault],
        body: { active },
      });
      expect(status.faults.find((each) => each.name === fault)?.active).toBe(active);
    }
  });

  it('checks a management server', async () => {
    await checkServerChecks();
    await checkInteropRuns();
  });

  it('adds descriptor sets, and removes them', async () => {
    const reported = await call('post /descriptor-sets', descriptorSet, {
      query: { name: 'acme.binpb' },
      bytes: acmeFilterSet,
    });
    expect(reported).toMatchObject({
      name: 'acme.binpb',
      origin: 'browser',
      types: ['acme.v1.Filter', 'acme.v1.Mode'],
    });
    const { items } = await call('get /descriptor-sets', descriptorSetList);
    expect(items).toEqual([reported]);
    const typeUrl = 'type.googleapis.com/acme.v1.Filter';
    const validate = () => send('post /validate', { body: { typeUrl, resource: { filter_name: 'f' } } });
    expect((await validate()).status).toBe(200);
    const gone = await send('delete /descriptor-sets/{id}', { parameters: [reported.id] });
    expect(gone.status).toBe(204);
    called.add('delete /descriptor-sets/{id}');
    expect((await validate()).status).toBe(400);
  });
});
