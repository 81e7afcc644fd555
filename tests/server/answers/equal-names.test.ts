import { expect, it } from 'vitest';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { createCodec } from '@/server/codec/codec';
import { startClientStory } from '@/tests/support/client-story';
import { csdsAnswer } from '@/tests/support/csds-server';

const codec = createCodec({ redactionKey: new Uint8Array(32) });

const cluster = (lbPolicy: string) => ({
  ...{ name: 'c', type: 'EDS', lbPolicy },
  edsClusterConfig: { edsConfig: { ads: {} } },
});
const listener = (port: number) => ({
  address: { socketAddress: { address: '10.0.0.1', portValue: port } },
});
const assignment = (port: number) => {
  const address = { socketAddress: { address: '10.0.0.1', portValue: port } };
  return {
    clusterName: 'c',
    endpoints: [{ loadBalancingWeight: 1, lbEndpoints: [{ endpoint: { address } }] }],
  };
};

it('resources without a name or with equal names in one CSDS answer are separate in graph, findings and counts', async () => {
  const bodies = [
    { typeUrl: CDS.typeUrl, name: 'c', body: cluster('ROUND_ROBIN') },
    { typeUrl: CDS.typeUrl, name: 'c', body: cluster('MAGLEV') },
    { typeUrl: LDS.typeUrl, name: '', body: listener(1) },
    { typeUrl: LDS.typeUrl, name: '', body: listener(2) },
    { typeUrl: EDS.typeUrl, name: 'c', body: assignment(1) },
    { typeUrl: EDS.typeUrl, name: 'c', body: assignment(2) },
  ];
  const genericXdsConfigs = bodies.map(({ typeUrl, name, body }) => ({
    ...{ typeUrl, name, versionInfo: '1', clientStatus: 3 },
    xdsConfig: { '@type': typeUrl, ...body },
  }));
  const answer = await codec.decodeClientStatus(csdsAnswer({ config: [{ genericXdsConfigs }] }));
  const names = answer.clients[0]?.resources.map(({ name }) => name) ?? [];
  expect(new Set(names).size).toBe(4);

  const { observe, ask } = await startClientStory();
  observe(bodies.map((each, index) => ({ ...each, name: names[index] ?? '' })));
  const subject = { clientId: 'c', at: undefined };
  const graph = await ask('graph', subject, {} as never);
  const labels = graph?.nodes.map(({ kind, resourceName }) => `${kind} ${resourceName}`);
  for (const node of [
    'cluster c',
    'cluster c (duplicate 2)',
    'listener ',
    'listener (empty name) (duplicate 2)',
  ])
    expect(labels).toContain(node);
  const findings = await ask('findings', subject, {} as never);
  expect(findings?.counts.validated).toBe(6);
  const broken = findings?.items.flatMap(({ service, name, findings: own }) =>
    own.map(({ ruleId }) => `${service} ${name}: ${ruleId}`),
  );
  expect(broken?.filter((each) => each.startsWith('CDS'))).toEqual(['CDS c (duplicate 2): C6']);
  // E1 compares the name with that in the subscription, which is "c" for both.
  expect(broken?.filter((each) => each.startsWith('EDS'))).toEqual(['EDS c: E3', 'EDS c (duplicate 2): E3']);
});
