import { expect, it, onTestFinished } from 'vitest';
import type { InstanceDifference } from '@/lib/control-planes/instance-comparison';
import { CDS, RDS } from '@/lib/xds/resource-type';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { everyNode } from '@/server/lab/management-server/snapshot-store';
import { clusterOf, listenerOf, routesTo } from '@/server/lab/server-checks/served-config';
import { ControlPlaneWatch } from '@/server/live/control-planes/control-plane-watch';
import { systemClock } from '@/server/observe';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { probeNodeId, probeStory } from '@/tests/support/xds-probe-story';
import { waitUntil } from '../../../support/wait-until';

async function startServer(resources: Parameters<ManagementServer['setResources']>[1]) {
  const server = new ManagementServer({ clock: systemClock });
  onTestFinished(() => server.close());
  server.setResources(everyNode, resources);
  return { server, target: await server.listen() };
}

/** The log of probes of one node at each of the servers, and what is known of their control planes. */
async function observe(...targets: readonly string[]) {
  const recorder = await openWholeRecorder();
  onTestFinished(() => recorder.close());
  for (const [index, target] of targets.entries()) {
    const { probe } = probeStory({
      ...{ target, clock: systemClock, sourceId: `ads:${index}` },
      observe: (emission) => void recorder.append(emission),
    });
    onTestFinished(() => probe.close());
    probe.start();
  }
  // An hour later, what differs has lasted.
  const later = () => Date.now() + 3_600_000;
  const watch = new ControlPlaneWatch({ clock: systemClock, recorder });
  return {
    async report() {
      await recorder.flushed();
      return (await watch.read()).report();
    },
    async differences(): Promise<InstanceDifference[]> {
      await recorder.flushed();
      const all = (await watch.read()).differences(later());
      return all.filter(({ kind }) => kind === 'resources');
    },
  };
}

it('finds that two instances send one node different clusters, until they agree', async () => {
  const first = await startServer([clusterOf('cart'), clusterOf('payment')]);
  const second = await startServer([clusterOf('cart', 2)]);
  const { differences } = await observe(first.target, second.target);
  const found = await waitUntil('both have sent clusters', async () => (await differences())[0]);
  expect(found).toMatchObject({ nodeId: probeNodeId, typeUrl: CDS.typeUrl, differing: ['cart'] });
  expect([...found.onlyFirst, ...found.onlySecond]).toEqual(['payment']);
  second.server.setResources(everyNode, [clusterOf('cart'), clusterOf('payment')]);
  await waitUntil('they agree', async () => (await differences()).length === 0);
});

it('finds that routes were sent before their cluster', async () => {
  const { server, target } = await startServer([clusterOf('cart'), listenerOf('web'), routesTo('cart')]);
  const { report } = await observe(target);
  await waitUntil('the routes were accepted', () => server.listAnswered(RDS.typeUrl).has('r1'));
  server.setResource(everyNode, routesTo('payment'));
  await waitUntil('the new routes were accepted', () => server.listAnswered(RDS.typeUrl).has('r1'));
  server.setResource(everyNode, clusterOf('payment'));
  const found = await waitUntil('the cluster was sent', async () => {
    const [row] = await report();
    return row?.breaks[0]?.lastedMs === undefined ? undefined : row;
  });
  expect(found).toMatchObject({ server: target, identifiers: ['xdscope-lab'], clients: 1, openStreams: 1 });
  // The probe has accepted the routes, and has no traffic that would feel it.
  expect(found.breaks).toMatchObject([
    {
      ...{ kind: 'sent-before-cluster', typeUrl: RDS.typeUrl, name: 'r1', cluster: 'payment' },
      ...{ isFelt: false, isOfProbe: true },
    },
  ]);
});
