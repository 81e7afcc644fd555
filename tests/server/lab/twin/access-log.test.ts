import { expect, it } from 'vitest';
import { assertAccessLogLine, isAccessLogLine } from '@/server/lab/twin/access-log';

const backend = { port: 40_000, cluster: 'c', priority: 1, locality: 'eu/a', address: '10.0.0.1:80' };
const backends = new Map([[backend.port, backend]]);

/** A line of Envoy 1.40.0. */
const forwarded =
  '{"attempts":1,"chosen":{"route":"virtualHosts[0].routes[0]","virtualHost":"v"},"cluster":"c","details":"via_upstream","filterChain":null,"flags":"-","grpcStatus":null,"host":"127.0.0.1:40000","route":"cart","status":200,"xdscope.twin":"1"}';

it('states the route, the cluster and the endpoint of the client of a line', () => {
  expect(assertAccessLogLine(forwarded, backends)).toEqual({
    status: 200,
    details: 'via_upstream',
    virtualHost: 'v',
    routePath: 'virtualHosts[0].routes[0]',
    routeName: 'cart',
    cluster: 'c',
    backend,
  });
});

it('leaves out what Envoy has not reached', () => {
  const line =
    '{"attempts":0,"chosen":null,"cluster":null,"details":"route_not_found","filterChain":null,"flags":"NR","grpcStatus":null,"host":null,"route":null,"status":404,"xdscope.twin":"1"}';
  expect(assertAccessLogLine(line, backends)).toEqual({
    status: 404,
    flag: 'NR',
    details: 'route_not_found',
  });
});

it('distinguishes lines of the log from other output', () => {
  expect(isAccessLogLine(forwarded)).toBe(true);
  expect(isAccessLogLine('[warning] deprecated field')).toBe(false);
  expect(isAccessLogLine('{"level":"info"}')).toBe(false);
});
