import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import type { Lab } from '@/server/lab/lab';
import { startLab } from '@/server/lab/open-lab';
import { systemClock } from '@/server/observe';
import { openDriver } from '@/tests/support/config-control-driver';
import { type GenericXdsConfig, LabGrpcClient } from '@/tests/support/lab-ads-client';
import { patienceMs } from '@/tests/support/patience';

/** The real thing: sockets, backends, and grpc-js-xds in child processes. The parts are one story, in this order. */
describe('the embedded lab', () => {
  let lab: Lab;
  const events: { what: string; subject: string; text: string }[] = [];

  beforeAll(async () => {
    lab = await startLab({
      clock: systemClock,
      backgroundFaults: false,
      observe: ({ observation }) => {
        if (observation.kind === 'lab-event') events.push(observation);
      },
    });
  });
  afterAll(() => lab.close());

  async function rowsOf(label: string): Promise<GenericXdsConfig[]> {
    const { target } = lab.polledTargets.find((each) => each.label === label) ?? { target: '' };
    const client = new LabGrpcClient(target);
    try {
      const { config = [] } = await client.fetchClientStatus();
      return config.flatMap(({ genericXdsConfigs = [] }) => genericXdsConfigs);
    } catch {
      // Not up (again) yet: whoever polls sees no rows.
      return [];
    } finally {
      client.close();
    }
  }
  const rowOf = async (label: string, name: string) => {
    const rows = await rowsOf(label);
    return rows.find((row) => row.name === name && !row.typeUrl.endsWith('ClusterLoadAssignment'));
  };
  const clientOf = (name: string) => lab.status().processes.find((each) => each.name === name);
  const soon = { timeout: patienceMs(60_000), interval: 50 };

  it('starts without waiting for clients, and lists every target', () => {
    expect(clientOf('shop-batch')?.state).toBe('starting');
    expect(clientOf('shop-batch')?.pid).toBeUndefined();
    const labels = lab.polledTargets.flatMap(({ kind, label }) =>
      kind === 'channelz' || kind === 'interop' ? [] : [label.replace(/ \(C-core.*/, '')],
    );
    expect(labels.slice(0, 4)).toEqual(['shop-web', 'shop-mobile', 'shop-checkout', 'shop-batch']);
    expect(labels.at(-1)).toBe('lab control plane');
  });

  it('has clients that ACK, and one that NACKs with a reason', async () => {
    await expect.poll(() => rowOf('shop-web', 'search-us'), soon).toMatchObject({ clientStatus: 'ACKED' });
    await expect
      .poll(() => rowOf('shop-checkout', 'fraud-detection'), soon)
      .toMatchObject({
        clientStatus: 'NACKED',
        errorState: {
          details:
            'Cluster message validation failed: [load_balancing_policy unset and unsupported lb_policy: MAGLEV]',
        },
      });
    const web = (await rowsOf('shop-web')).map(({ name, clientStatus }) => [name, clientStatus]);
    expect(web.filter(([, clientStatus]) => clientStatus !== 'ACKED')).toEqual([]);
    expect(web).toHaveLength(15);
  });

  it('reports as control plane which resources were rejected, and which never existed', async () => {
    await expect
      .poll(
        async () => (await rowsOf('lab control plane')).find(({ name }) => name === 'fraud-detection'),
        soon,
      )
      .toMatchObject({ configStatus: 'ERROR', errorState: { details: expect.stringContaining('MAGLEV') } });
    const inError = (await rowsOf('lab control plane')).filter(
      ({ configStatus }) => configStatus === 'ERROR',
    );
    expect(
      inError.map(({ name }) => name),
      'what came in the same response was taken',
    ).toEqual(['fraud-detection']);
    await expect
      .poll(() => rowOf('lab control plane', 'reports.shop.example'), soon)
      .toMatchObject({ typeUrl: LDS.typeUrl, configStatus: 'NOT_SENT' });
  });

  it('pushes a bad resource that a client NACKs, and reverts it so that the client reports ACKED', async () => {
    lab.pushFault('unsupported-policy');
    await expect
      .poll(() => rowOf('shop-web', 'recommendations'), soon)
      .toMatchObject({ clientStatus: 'NACKED' });
    lab.revertFault('unsupported-policy');
    await expect
      .poll(() => rowOf('shop-web', 'recommendations'), soon)
      .toMatchObject({ clientStatus: 'ACKED' });
    expect(events.map(({ what, subject }) => `${what} ${subject}`)).toEqual([
      'bad-resource-pushed recommendations',
      'bad-resource-reverted recommendations',
    ]);
  });

  it('marks a stopped backend UNHEALTHY in its endpoints, until it is back on its port', async () => {
    const healthOf = () => {
      const found = lab
        .listResources()
        .find(({ typeUrl, name }) => typeUrl === EDS.typeUrl && name === 'cart');
      return [...JSON.stringify(found?.resource).matchAll(/"healthStatus":"(\w+)"/g)].map(([, word]) => word);
    };
    const { address } = clientOf('cart-eu-west1-a-1') ?? { address: '' };
    lab.stopBackend('cart-eu-west1-a-1');
    expect(healthOf()).toEqual(['UNHEALTHY', 'HEALTHY', 'HEALTHY']);
    expect(clientOf('cart-eu-west1-a-1')?.state).toBe('stopped');
    await lab.startBackend('cart-eu-west1-a-1');
    expect(healthOf()).toEqual(['HEALTHY', 'HEALTHY', 'HEALTHY']);
    expect(clientOf('cart-eu-west1-a-1')).toMatchObject({ state: 'running', address });
  });

  it('revives a backend on another port if its port is taken, and updates EDS', async () => {
    const name = 'cart-eu-west1-b-1';
    const portOf = () => Number(clientOf(name)?.address.split(':')[1]);
    const before = portOf();
    lab.stopBackend(name);
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(before, '127.0.0.1', resolve));
    await lab.startBackend(name);
    expect(clientOf(name)?.state).toBe('running');
    expect(portOf()).not.toBe(before);
    const cart = lab.listResources().find((each) => each.typeUrl === EDS.typeUrl && each.name === 'cart');
    expect(JSON.stringify(cart?.resource)).toContain(`"portValue":${portOf()}`);
    squatter.close();
  });

  it('stops and revives localities and priorities in one push, and changes weights, drops and failures', async () => {
    const assignmentOf = (name: string) =>
      lab.listResources().find((each) => each.typeUrl === EDS.typeUrl && each.name === name);
    const newest = Math.max(...lab.listResources().map(({ version }) => Number(version)));
    const stateOf = (zone: string, count: number) => clientOf(`catalog-stable-${zone}-${count}`)?.state;

    await lab.changeAssignment('catalog-stable', { priority: 0, zone: 'eu-west1-a', running: false });
    expect([stateOf('eu-west1-a', 1), stateOf('eu-west1-a', 2), stateOf('eu-west1-b', 1)]).toEqual([
      'stopped',
      'stopped',
      'running',
    ]);
    expect(assignmentOf('catalog-stable')?.version, 'both in one push').toBe(String(newest + 1));
    await lab.changeAssignment('catalog-stable', { priority: 0, running: false });
    expect([stateOf('eu-west1-b', 1), stateOf('us-east1-b', 1)]).toEqual(['stopped', 'running']);
    await lab.changeAssignment('catalog-stable', { running: true, failPercent: 30 });
    expect(clientOf('catalog-stable-eu-west1-a-2')).toMatchObject({ state: 'running', failPercent: 30 });

    await lab.changeAssignment('catalog-stable', { priority: 0, zone: 'eu-west1-b', weight: 25 });
    await lab.changeAssignment('catalog-stable', { dropPercent: 7 });
    expect(assignmentOf('catalog-stable')?.resource).toMatchObject({
      endpoints: [{ loadBalancingWeight: 100 }, { loadBalancingWeight: 25 }, { loadBalancingWeight: 100 }],
      policy: {
        dropOverloads: [{ category: 'throttle', dropPercentage: { numerator: 7 } }],
      },
    });
    const reported = lab.status().assignments.find(({ name }) => name === 'catalog-stable');
    expect(reported).toMatchObject({
      dropPercent: 7,
      localities: [{ weight: 100 }, { weight: 25 }, { weight: 100 }],
    });
    expect(events.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['weight-changed', 'drops-changed', 'failure-rate-changed']),
    );

    await lab.changeAssignment('catalog-stable', { weight: 100, dropPercent: 0, failPercent: 0 });
    expect(JSON.stringify(assignmentOf('catalog-stable')?.resource)).not.toContain('dropOverloads');
    await expect(lab.changeAssignment('nobody', { running: true })).rejects.toThrow(
      /expected one of .*got "nobody"/,
    );
    await expect(lab.changeAssignment('orders', { zone: 'us-east1-b', running: true })).rejects.toThrow(
      'locality: expected one of P0 eu-west1-b, P0 eu-west1-c, got us-east1-b',
    );
  });

  it('restarts a client that dies on the same port, and reports both events', async () => {
    const before = clientOf('shop-checkout');
    process.kill(before?.pid ?? 0, 'SIGKILL');
    await expect.poll(() => events.map(({ what }) => what), soon).toContain('client-crashed');
    expect(events.at(-1)?.text).toBe('shop-checkout ended unasked, signal SIGKILL');
    await expect
      .poll(() => rowOf('shop-checkout', 'checkout'), soon)
      .toMatchObject({ clientStatus: 'ACKED' });
    const after = clientOf('shop-checkout');
    expect(after).toMatchObject({ state: 'running', restarts: 1, address: before?.address });
    expect(after?.pid).not.toBe(before?.pid);
    expect(events.at(-1)).toMatchObject({ what: 'client-restarted', subject: 'shop-checkout' });
  });

  it('stops its management server at a request, as a driver asked by XdsConfigControlService, and starts it again', async () => {
    const server = () => lab.status().processes.find(({ kind }) => kind === 'management-server');
    const { client, call } = openDriver(lab.adsTarget);
    const typeUrl = LDS.typeUrl;
    await call('StopOnRequest', { typeUrl, name: 'no.such.listener' });
    expect(server()?.state).toBe('running');
    const requested = new LabGrpcClient(lab.adsTarget);
    requested.sotw().send({ node: { id: 'driver' }, typeUrl, resourceNames: ['no.such.listener'] });
    await expect.poll(() => server()?.state, soon).toBe('stopped');
    expect(events.at(-1)?.text).toBe(
      'lab-control-plane stopped at a request for "no.such.listener" (LDS), as XdsConfigControlService requested',
    );
    await lab.setManagementServer(true);
    expect(server()).toMatchObject({ state: 'running', address: lab.adsTarget });
    await expect.poll(() => rowOf('lab control plane', 'web.shop.example'), soon).toBeDefined();
    client.close();
    requested.close();
  });

  it('keeps what users set, and rejects what it cannot read', async () => {
    const { resource } = lab.listResources().find(({ name }) => name === 'orders') ?? {};
    lab.setResource({ typeUrl: CDS.typeUrl, name: 'orders', valueBase64: '////' });
    lab.pushFault('missing-cluster');
    lab.revertFault('missing-cluster');
    const now = lab.listResources().find(({ typeUrl, name }) => typeUrl === CDS.typeUrl && name === 'orders');
    expect(JSON.stringify(now?.resource)).toContain('////');
    await expect
      .poll(() => rowOf('shop-batch', 'orders'), soon)
      .toMatchObject({ clientStatus: 'DOES_NOT_EXIST' });
    expect(() => lab.setResource({ typeUrl: CDS.typeUrl, resource: { nmae: 'x' } })).toThrow(/nmae/);
    expect(() => lab.setResource({ typeUrl: 'no.such.Type', resource: {} })).toThrow(/no\.such\.Type/);
    expect(() => lab.setResource({ typeUrl: CDS.typeUrl, name: 'b', resource: { name: 'a' } })).toThrow(
      'name: expected "a" as in the resource, got "b"',
    );
    expect(() => lab.pushFault('nonsense')).toThrow(/expected one of .*got "nonsense"/);
    lab.removeResource(CDS.typeUrl, 'orders');
    expect(
      lab.listResources().some(({ typeUrl, name }) => typeUrl === CDS.typeUrl && name === 'orders'),
    ).toBe(false);
    expect(resource).toBeDefined();
  });
});
