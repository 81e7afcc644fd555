import { expect, it } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import { findFleet } from '@/server/answers/check/fleet-profiles';
import { noSettings } from '@/server/answers/subjects/known-settings';
import { sampleReport } from '../../../support/builders/observation-samples';

it('counts clients of an unknown kind, and no probes of xdscope among them', async () => {
  const world: World = new Map();
  const { node } = sampleReport();
  const unknown = { ...node, userAgentName: 'shop', userAgentVersion: '' };
  for (const [index, vantage] of (['csds', 'probe', 'csds'] as const).entries())
    foldObservation(world, {
      ...sampleReport({ clientId: `c${index}`, vantage, node: unknown }),
      seq: index + 1,
    });
  const { unidentified } = await findFleet({ live: { world }, findSettings: () => noSettings });
  expect(unidentified).toBe(2);
});

it('counts the clients whose version lies between measured ones', async () => {
  const world: World = new Map();
  const { node } = sampleReport();
  for (const [index, userAgentVersion] of ['1.76.0', '1.84.0', '1.85.1'].entries())
    foldObservation(world, {
      ...sampleReport({
        clientId: `c${index}`,
        node: { ...node, userAgentName: 'gRPC Java', userAgentVersion },
      }),
      seq: index + 1,
    });
  const { columns } = await findFleet({ live: { world }, findSettings: () => noSettings });
  expect(columns.map(({ profile, clients, nearest }) => [profile, clients, nearest])).toEqual([
    ['java-1.76', 2, 1],
    ['java-1.85', 1, undefined],
  ]);
});
