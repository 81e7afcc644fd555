import { expect, it } from 'vitest';
import { FieldReader } from '@/lib/model/field-reader';
import { readRoute } from '@/lib/model/route';
import { readVirtualHost } from '@/lib/model/route-config';
import { explainEnvoy } from '@/lib/views/resolved/explain-route';

const open = (json: object) => FieldReader.open(json, []);
const forward = { route: { cluster: 'a', retryPolicy: { retryOn: '5xx' } } };
const retries = 'failed requests are sent again (retry_on 5xx)';

it.each([
  ['a route that retries', forward, {}, [retries]],
  [
    'a virtual host that retries',
    { route: { cluster: 'a' } },
    { retryPolicy: { retryOn: '5xx' } },
    [retries],
  ],
  [
    'a route that answers itself',
    { directResponse: { status: 200 } },
    { retryPolicy: { retryOn: '5xx' } },
    [],
  ],
  [
    'a virtual host for TLS',
    { directResponse: { status: 200 } },
    { requireTls: 'ALL' },
    ['requests without TLS are redirected to HTTPS (require_tls)'],
  ],
])('states of %s what an Envoy does, and nothing of a gRPC client', (_, route, host, expected) => {
  const of = [
    readRoute(open({ match: { prefix: '/' }, ...route })),
    readVirtualHost(open({ name: 'v', domains: ['*'], ...host })),
  ] as const;
  expect(explainEnvoy(...of, 'envoy-1.40')).toEqual(expected);
  expect(explainEnvoy(...of, 'go-1.85')).toEqual([]);
});
