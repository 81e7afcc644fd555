import { expect, it } from 'vitest';
import type { MeasuredRequests } from '@/lib/facts/measured-requests';
import { addMeasuredRequests } from '@/lib/views/graph/add-measured-requests';
import type { GraphNode } from '@/lib/views/graph/schema';

const measured = (errors: number, completed: number): MeasuredRequests => ({
  ...{ by: 'envoy-admin', errors, completed, at: 0, addresses: [], localities: [] },
});
const panic = { status: 'DEGRADED', text: 'no healthy endpoint' } as const;
const dead = { status: 'UNHEALTHY', text: 'no endpoint that works' } as const;

/** The mark of a node beside what is measured of the cluster "cart". */
function markOf(
  errors: number,
  completed: number,
  below?: GraphNode['below'],
  kind: GraphNode['kind'] = 'cluster',
) {
  const node = { kind, name: 'cart', ...(below && { below }) };
  const [marked] = addMeasuredRequests([node], new Map([['cart', measured(errors, completed)]]));
  return marked?.below;
}

it('marks a cluster of which every request failed, whatever its config shows', () => {
  const text = '20 of 20 completed requests of the last 5 minutes failed, by the counters of Envoy';
  expect(markOf(20, 20)).toEqual({ status: 'UNHEALTHY', text });
  expect(markOf(20, 20, panic)).toEqual({ status: 'UNHEALTHY', text: `no healthy endpoint; ${text}` });
});

it('states how requests end beside a mark that does not show it', () => {
  const none = 'none of 9 completed requests of the last 5 minutes failed, by the counters of Envoy';
  expect(markOf(0, 9, panic)).toEqual({ status: 'DEGRADED', text: `no healthy endpoint; ${none}` });
  const some = '3 of 9 completed requests of the last 5 minutes failed, by the counters of Envoy';
  expect(markOf(3, 9, panic)?.text).toBe(`no healthy endpoint; ${some}`);
});

it('leaves a mark that shows it, a cluster without a mark, and other nodes', () => {
  expect(markOf(20, 20, dead)).toEqual(dead);
  expect(markOf(0, 9)).toBeUndefined();
  expect(markOf(3, 9)).toBeUndefined();
  // So few failed requests do not show that every one fails.
  expect(markOf(9, 9)).toBeUndefined();
  expect(markOf(20, 20, undefined, 'endpoint')).toBeUndefined();
});
