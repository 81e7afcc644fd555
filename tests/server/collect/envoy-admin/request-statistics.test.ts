import { expect, it } from 'vitest';
import { noRequests } from '@/lib/observation/packed-requests';
import { readStatistics } from '@/server/collect/envoy-admin/read-statistics';

it('reads the requests to each cluster, and what Envoy answered itself', () => {
  const { requests } = readStatistics(
    [
      'cluster.cart.upstream_rq_completed: 60',
      'cluster.cart.upstream_rq_5xx: 50',
      'cluster.cart.upstream_rq_pending_overflow: 15',
      'cluster.cart.upstream_rq_active_overflow: 5',
      'cluster.cart.upstream_rq_timeout: 10',
      'cluster.cart.upstream_cx_none_healthy: 15',
      'cluster.cart.upstream_cx_connect_fail: 5',
      'cluster.cart.update_success: 3',
    ].join('\n'),
  );
  const causes = { overflow: 20, timeout: 10, noHost: 15, connectFailure: 5, unanswered: 0 };
  expect([...requests]).toEqual([['cart', { completed: 60, failed: 50, ...causes }]]);
});

it('leaves out the parts of a cluster that Envoy counts again, and keeps clusters with such names', () => {
  const { requests } = readStatistics(
    [...['cart', 'cart.external', 'cart.retry', 'cart.zone.eu.us', 'web.external']]
      .map((name) => `cluster.${name}.upstream_rq_completed: 1`)
      .join('\n'),
  );
  const one = { ...noRequests, completed: 1 };
  expect([...requests]).toEqual([
    ['cart', one],
    ['web.external', one],
  ]);
});

it('reads the limits of circuit breakers that are reached', () => {
  const { reachedLimits, requests } = readStatistics(
    [
      'cluster.cart.circuit_breakers.default.cx_open: 1',
      'cluster.cart.circuit_breakers.default.rq_open: 1',
      'cluster.cart.circuit_breakers.default.rq_pending_open: 0',
      'cluster.cart.circuit_breakers.high.rq_pending_open: 1',
      'cluster.search.circuit_breakers.default.rq_open: 0',
      'cluster.cart.upstream_rq_completed: 2',
    ].join('\n'),
  );
  expect([...reachedLimits]).toEqual([
    ['cart', ['max_connections', 'max_requests', 'max_pending_requests of priority HIGH']],
  ]);
  expect([...requests]).toEqual([['cart', { ...noRequests, completed: 2 }]]);
});

it('reads the connections to clusters without a request, as of a TCP proxy', () => {
  // Envoy 1.40.0, three connections each: accepted, not accepted, without a host, and beyond max_connections.
  const { requests, connections } = readStatistics(
    [
      'cluster.good.upstream_cx_total: 3',
      'cluster.closed.upstream_cx_total: 3',
      'cluster.closed.upstream_cx_connect_fail: 3',
      'cluster.empty.upstream_cx_none_healthy: 3',
      'cluster.over.upstream_cx_overflow: 3',
      'cluster.web.upstream_cx_total: 1',
      'cluster.web.upstream_rq_completed: 1',
    ].join('\n'),
  );
  const three = { ...noRequests, completed: 3 };
  expect(Object.fromEntries(connections)).toEqual({
    good: three,
    closed: { ...three, failed: 3, connectFailure: 3 },
    empty: { ...three, failed: 3, noHost: 3 },
    over: { ...three, failed: 3, overflow: 3 },
  });
  expect([...requests.keys()]).toEqual(['web']);
});

it('reads how many requests were sent to hosts and have ended, also if none was completed', () => {
  const { requests, sent, connections } = readStatistics(
    [
      'cluster.cart.upstream_cx_http1_total: 1',
      'cluster.cart.upstream_cx_total: 1',
      'cluster.cart.upstream_rq_total: 20',
      'cluster.cart.upstream_rq_active: 1',
      'cluster.cart.upstream_rq_tx_reset: 2',
      'cluster.cart.upstream_cx_destroy_local_with_active_rq: 3',
      'cluster.tcp.upstream_cx_total: 20',
      'cluster.tcp.upstream_rq_total: 20',
    ].join('\n'),
  );
  expect([...requests]).toEqual([['cart', noRequests]]);
  expect([...sent]).toEqual([['cart', { ended: 19, active: 1, reset: 5 }]]);
  expect([...connections.keys()]).toEqual(['tcp']);
});
