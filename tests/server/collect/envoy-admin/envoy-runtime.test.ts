import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { clientIdOf } from '@/server/client-id';
import { startRuntime } from '@/server/compose/start-runtime';
import { readConfig } from '@/server/config/read-config';
import { startEnvoyAdmin } from '@/tests/support/envoy-admin';
import { waitUntil } from '@/tests/support/wait-until';

it('an Envoy that --envoy-admin names is a source, a client with resources, and reports its certificates', async () => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-envoy-'));
  const chain = [{ path: '/etc/tls/tls.crt', expiration_time: '2026-03-01T00:00:00Z' }];
  const envoy = await startEnvoyAdmin({
    nodeId: 'edge-1',
    version: '1.30.1',
    clusters: { orders: { version: '1' } },
    listeners: { http: { version: '1', error: { details: 'no such filter', version: '2' } } },
    hosts: { orders: { '10.0.0.1:80': { eds_health_status: 'HEALTHY' } } },
    certificates: [{ ca_cert: [], cert_chain: chain }],
  });
  const argv = ['--envoy-admin', envoy.target, '--data-dir', dataDir];
  const runtime = await startRuntime(readConfig({ argv, env: {}, cwd: dataDir, version: '0' }), '0');
  try {
    const client = await waitUntil('the Envoy is there', () =>
      runtime.api.findClient(clientIdOf('edge-1', '')),
    );
    expect(client).toMatchObject({ nodeId: 'edge-1' });
    const { items } = await runtime.api.ask('certificates', {}, { params: {} });
    expect(items).toMatchObject([{ nodeId: 'edge-1', path: '/etc/tls/tls.crt' }]);
    expect(
      await runtime.api.ask('sources/{id}', {}, { params: { id: `envoy-admin:${envoy.target}` } }),
    ).toMatchObject({
      kind: 'envoy-admin',
      state: 'up',
      clients: 1,
      intervalMs: 15_000,
    });
  } finally {
    await runtime.close();
    await envoy.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

it('a rejection that only statistics show is there after a restart of xdscope, until a response is accepted', async () => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-envoy-'));
  const counters = (rejected: number, success: number): string =>
    [`update_rejected: ${rejected}`, `update_success: ${success}`]
      .map((counter) => `http.in.rds.web.${counter}`)
      .concat('server.uptime: 100000')
      .join('\n');
  const envoy = await startEnvoyAdmin({
    ...{ nodeId: 'edge-1', version: '1.40.0', clusters: {}, listeners: {}, hosts: {}, certificates: [] },
    routes: { web: { version: '1' } },
    statistics: counters(0, 1),
  });
  const argv = ['--envoy-admin', envoy.target, '--data-dir', dataDir, '--envoy-admin-interval', '1s'];
  const config = readConfig({ argv, env: {}, cwd: dataDir, version: '0' });
  const run = async (until: readonly (string | undefined)[], meanwhile?: () => void): Promise<void> => {
    const runtime = await startRuntime(config, '0');
    const id = `envoy-admin:${envoy.target}`;
    try {
      const polled = async () => (await runtime.api.ask('sources/{id}', {}, { params: { id } })).answers >= 3;
      // The first answers are reported by then.
      await waitUntil('the Envoy was polled three times', polled);
      meanwhile?.();
      await waitUntil(`the routes are ${until}`, async () => {
        const page = await runtime.api.askClient('resources', { clientId: clientIdOf('edge-1', '') }, {});
        const found = page?.items.find(({ name }) => name === 'web');
        return isDeepStrictEqual([found?.state, found?.errorState?.statistic], until);
      });
    } finally {
      await runtime.close();
    }
  };
  const rejected = ['NACKED', 'http.in.rds.web.update_rejected'];
  try {
    await run(rejected, () => {
      envoy.state.statistics = counters(1, 1);
    });
    const asked = envoy.questions.length;
    await run(rejected);
    expect(envoy.questions.slice(asked).some((question) => question.startsWith('/stats'))).toBe(true);
    envoy.state.statistics = counters(1, 2);
    await run(['ACTIVE', undefined]);
  } finally {
    await envoy.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
