import { expect, it } from 'vitest';
import { CDS } from '@/lib/xds/resource-type';
import { RecentEvents } from '@/server/live/recent-events';
import { notableEvent } from '@/tests/support/builders/fleet-fixtures';
import { sampleReport, sampleResource } from '@/tests/support/builders/observation-samples';

it('keeps the newest 500 events, the newest first', () => {
  const events = new RecentEvents();
  for (let seq = 1; seq <= 501; seq += 2) events.add([notableEvent({ seq }), notableEvent({ seq: seq + 1 })]);
  expect(events.items).toHaveLength(500);
  expect([events.items[0]?.seq, events.items.at(-1)?.seq]).toEqual([502, 3]);
});

it('replaces them by those of a history, without the observations of files', () => {
  const events = new RecentEvents();
  events.add([notableEvent({ seq: 99 })]);
  const rejected = sampleResource({ typeUrl: CDS.typeUrl, name: 'cart', clientStatus: 'NACKED' });
  const report = { ...sampleReport({ clientId: 'c', changed: [rejected] }), seq: 1 };
  events.restore([report, { ...report, seq: 2, vantage: 'dump' }], () => undefined);
  expect(events.items.length).toBeGreaterThan(0);
  expect(new Set(events.items.map(({ seq, nodeId }) => `${seq} ${nodeId}`))).toEqual(new Set(['1 web']));
});
