import { describe, expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import type { ClientState } from '@/lib/observation/client-state';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { DeclaredSource } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import type { Vantage } from '@/lib/observation/vantage';
import { buildResourceRows } from '@/lib/views/client/build-resource-rows';
import { describeDelivery } from '@/lib/views/inspector/describe-effect';
import { numbered, sampleReport, sampleResource } from '../../../support/builders/observation-samples';

interface Reported {
  readonly vantage: Vantage;
  readonly source: DeclaredSource | undefined;
  readonly resource: Partial<ResourceState>;
}

function clientOf(reported: readonly Reported[]): ClientState {
  const world: World = new Map();
  const reports = reported.map(({ vantage, source, resource }) =>
    sampleReport({ vantage, sourceId: source?.target ?? 'other', changed: [sampleResource(resource)] }),
  );
  for (const observation of numbered(reports)) foldObservation(world, observation);
  const [client] = world.values();
  if (client === undefined) throw new Error('no client');
  return client;
}

function findFrom(reported: readonly Reported[]) {
  const sources = new Map(reported.map(({ source }) => [source?.target, source]));
  const freshnessOf = ({ sourceId }: { readonly sourceId: string }) => ({
    ...{ freshness: 'live', reason: '', source: sources.get(sourceId) },
  });
  const [row] = runSteps(buildResourceRows(clientOf(reported), freshnessOf as never));
  return row?.delivery && describeDelivery(row.delivery);
}

const tap = { kind: 'tap', target: '127.0.0.1:1=10.0.0.1:18000', server: '10.0.0.1:18000' } as const;
const fallback = { kind: 'tap', target: '127.0.0.1:2=10.0.0.2:18000', server: '10.0.0.2:18000' } as const;
const csds = { kind: 'csds', target: '127.0.0.1:3' } as const;
const probe = { kind: 'ads', target: '10.0.0.1:18000', server: '10.0.0.1:18000' } as const;
const bootstrap = {
  ...probe,
  authorities: [
    { authority: null, servers: ['10.0.0.1:18000', '10.0.0.2:18000'] },
    { authority: 'shop', servers: ['10.0.0.3:18000'] },
  ],
} as const;
const listener = 'envoy.config.listener.v3.Listener';
const ofShop = `xdstp://shop/${listener}/svc-a`;

describe('the server that delivered a resource', () => {
  it.each<[string, Vantage, DeclaredSource | undefined, string, string | undefined]>([
    ['a tap relays to one server', 'tap', tap, 'svc-a', '10.0.0.1:18000'],
    ['a tap relays every authority to it', 'tap', tap, ofShop, '10.0.0.1:18000, authority shop'],
    ['an empty authority', 'tap', tap, `xdstp:///${listener}/svc-a`, '10.0.0.1:18000, authority ""'],
    ['a probe of one server', 'probe', probe, 'svc-a', '10.0.0.1:18000'],
    ['a bootstrap with a fallback', 'probe', bootstrap, 'svc-a', 'one of 10.0.0.1:18000, 10.0.0.2:18000'],
    ['a bootstrap with authorities', 'probe', bootstrap, ofShop, '10.0.0.3:18000, authority shop'],
    ['an authority that it lacks', 'probe', bootstrap, `xdstp://cart/${listener}/a`, undefined],
    ['CSDS does not report it', 'csds', csds, 'svc-a', undefined],
    ['a source that the log does not declare', 'tap', undefined, 'svc-a', undefined],
  ])('%s', (_, vantage, source, name, expected) => {
    expect(findFrom([{ vantage, source, resource: { name } }])).toBe(expected);
  });

  it('is that of the tap beside CSDS that recorded the same payload last', () => {
    const held = { vantage: 'csds', source: csds, resource: { hash: 'aa' } } as const;
    const first = { vantage: 'tap', source: tap, resource: { hash: 'aa', lastUpdated: 1 } } as const;
    const second = { vantage: 'tap', source: fallback, resource: { hash: 'aa', lastUpdated: 2 } } as const;
    const other = { vantage: 'tap', source: fallback, resource: { hash: 'bb', lastUpdated: 3 } } as const;
    expect(findFrom([held, first, second])).toBe('10.0.0.2:18000');
    expect(findFrom([held, first, other])).toBe('10.0.0.1:18000');
    expect(findFrom([held, other])).toBeUndefined();
  });

  it('is absent while no response is answered', () => {
    const resource = { clientStatus: 'REQUESTED', hash: null } as const;
    expect(findFrom([{ vantage: 'tap', source: tap, resource }])).toBeUndefined();
  });
});
