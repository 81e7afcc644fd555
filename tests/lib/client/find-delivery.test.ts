import { describe, expect, it } from 'vitest';
import type { ClientReport } from '@/lib/observation/client-state';
import type { DeclaredSource } from '@/lib/observation/declared-source';
import type { Vantage } from '@/lib/observation/vantage';
import { deliveryFinder } from '@/lib/view-model/client/find-delivery';
import { describeDelivery } from '@/lib/view-model/inspector/describe-effect';

function findFrom(vantage: Vantage, source: DeclaredSource | undefined, name: string) {
  const report = { vantage, sourceId: 'the source' } as ClientReport;
  const freshness = { freshness: 'live', reason: '', lastSeenAt: null, source } as const;
  const delivery = deliveryFinder('client', () => freshness)(report, name);
  return delivery && describeDelivery(delivery);
}

const tap = { kind: 'tap', target: '127.0.0.1:1=10.0.0.1:18000', server: '10.0.0.1:18000' } as const;
const probe = { kind: 'ads', target: '10.0.0.1:18000', server: '10.0.0.1:18000' } as const;
const bootstrap = {
  ...probe,
  authorities: [
    { authority: null, servers: ['10.0.0.1:18000', '10.0.0.2:18000'] },
    { authority: 'shop', servers: ['10.0.0.3:18000'] },
  ],
} as const;
const listener = 'envoy.config.listener.v3.Listener';

describe('deliveryFinder', () => {
  it.each([
    ['a tap relays to one server', 'tap', tap, 'svc-a', '10.0.0.1:18000'],
    [
      'a tap relays every authority to one server',
      'tap',
      tap,
      `xdstp://shop/${listener}/svc-a`,
      '10.0.0.1:18000, authority shop',
    ],
    ['an empty authority', 'tap', tap, `xdstp:///${listener}/svc-a`, '10.0.0.1:18000, authority ""'],
    ['a probe of one server', 'probe', probe, 'svc-a', '10.0.0.1:18000'],
    ['a bootstrap with a fallback', 'probe', bootstrap, 'svc-a', 'one of 10.0.0.1:18000, 10.0.0.2:18000'],
    [
      'a bootstrap with authorities',
      'probe',
      bootstrap,
      `xdstp://shop/${listener}/svc-a`,
      '10.0.0.3:18000, authority shop',
    ],
    ['an authority that the bootstrap lacks', 'probe', bootstrap, `xdstp://cart/${listener}/a`, undefined],
    ['a client reports no server by CSDS', 'csds', { ...probe, kind: 'csds' }, 'svc-a', undefined],
    ['a source that the log does not declare', 'tap', undefined, 'svc-a', undefined],
  ] as const)('%s', (_, vantage, source, name, expected) => {
    expect(findFrom(vantage, source, name)).toBe(expected);
  });
});
