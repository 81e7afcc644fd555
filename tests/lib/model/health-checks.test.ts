import { expect, it } from 'vitest';
import { noAssignment } from '@/lib/model/endpoints';
import { FieldReader } from '@/lib/model/field-reader';
import { readHealthChecks } from '@/lib/model/health-checks';
import { withHealthChecks } from '@/lib/model/host-health';

it('states what each health check of a cluster asks', () => {
  const healthChecks = [
    { httpHealthCheck: { path: '/healthz' } },
    { httpHealthCheck: { path: '/ready', method: 'HEAD' } },
    { grpcHealthCheck: {} },
    { grpcHealthCheck: { serviceName: 'shop.Cart' } },
    { tcpHealthCheck: {} },
    { customHealthCheck: { name: 'envoy.health_checkers.redis' } },
    {},
  ];
  expect(readHealthChecks(FieldReader.open({ healthChecks }, []))).toEqual([
    'GET /healthz',
    'HEAD /ready',
    'grpc.health.v1.Health/Check',
    'grpc.health.v1.Health/Check shop.Cart',
    'TCP',
    'envoy.health_checkers.redis',
    'of an unknown kind',
  ]);
});

it('names the checks of endpoints that fail them, and of no others', () => {
  const reasons = [
    'excluded by active health checks and ejected by outlier detection',
    'waiting for the first health check',
    undefined,
  ];
  const endpoints = reasons.map((seenAs, at) => ({
    ...{ address: `10.0.0.${at}:80`, additionalAddresses: [], hostname: '', health: 'UNHEALTHY' },
    ...(seenAs !== undefined && { seenAs }),
  }));
  const localities = [{ index: 0, endpoints, ledsCollection: '' }];
  const model = { ...noAssignment, priorities: [{ priority: 0, localities }] };
  const named = (checks: readonly string[]) =>
    withHealthChecks(model, checks).priorities[0]?.localities[0]?.endpoints.map(({ seenAs }) => seenAs);
  expect(named(['GET /healthz', 'TCP'])).toEqual([
    'excluded by active health checks (GET /healthz, TCP) and ejected by outlier detection',
    ...reasons.slice(1),
  ]);
  expect(named([])).toEqual(reasons);
});
