import { TestAuthority, type TestCertificate } from '../../support/test-certificates';
import type { FileType, Situation, Tools } from './situation';
import {
  cluster,
  fileSource,
  fixed,
  fromFile,
  fromSource,
  host,
  inline,
  listener,
  over,
  response,
  route,
  silentSource,
  tlsFromFile,
  toA,
} from './situation';

/** Situations in which Envoy rejects, accepts or lacks a resource that it reads from a file. */
export function situationsOfFiles(tools: Tools): Situation[] {
  const { port, file } = tools;
  const good = cluster('a', fixed('a', [port('good')]));
  const broken = { ...good, lb_policy: 'MAGLEV', maglev_lb_config: { table_size: 4 } };
  const dynamic = (type: FileType) => ({
    dynamic_resources: { [type === 'listeners' ? 'lds_config' : 'cds_config']: fileSource(file(type)) },
  });
  const byRds = (name: string, ...versions: object[]): Situation => ({
    ...over(tools, name, fixed('a', [port('good')])),
    listeners: [listener('web', port('web'), fromFile('routes', file('routes')))],
    files: { routes: versions.map((each) => response('routes', each)) },
  });
  const byLds = (name: string, ...versions: object[][]): Situation => ({
    ...over(tools, name, fixed('a', [port('good')])),
    listeners: [],
    bootstrap: dynamic('listeners'),
    files: { listeners: versions.map((each) => response('listeners', ...each)) },
  });
  const byCds = (name: string, ...versions: object[]): Situation => ({
    ...over(tools, name, {}),
    // Static routes are checked against static clusters.
    listeners: [listener('web', port('web'), fromFile('routes', file('routes')))],
    clusters: [],
    bootstrap: dynamic('clusters'),
    files: {
      routes: [response('routes', toCluster('a'))],
      clusters: versions.map((each) => response('clusters', each)),
    },
  });
  const toCluster = (name: string) => ({ name: 'routes', virtual_hosts: [host(route('/', name))] });
  const twice = { name: 'routes', virtual_hosts: [host(route('/', 'a')), { ...host(), name: 'again' }] };
  const web = listener('web', port('web'), inline(route('/', 'a')));
  const unbalanced = {
    ...listener('web', port('web'), {
      ...inline(route('/', 'a')),
      access_log: [
        {
          name: 'file',
          typed_config: {
            '@type': 'type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog',
            path: '/dev/null',
            log_format: { text_format_source: { inline_string: '%PROTOCOL' } },
          },
        },
      ],
    }),
  };
  const authority = new TestAuthority();
  const [one, other] = [authority.issue({ dns: 'a.example' }), authority.issue({ dns: 'a.example' })];
  const expired = authority.issue({
    ...{ dns: 'a.example', notBefore: daysAgo(30) },
    notAfter: daysAgo(1),
  });
  const secret = ({ certificate }: TestCertificate, { key }: TestCertificate) => ({
    name: 'cert',
    tls_certificate: {
      certificate_chain: { inline_string: certificate },
      private_key: { inline_string: key },
    },
  });
  const bySds = (name: string, ...versions: object[]): Situation => ({
    ...over(tools, name, fixed('a', [port('good')])),
    listeners: [listener('web', port('web'), inline(route('/', 'a')), tlsFromFile('cert', file('secrets')))],
    files: { secrets: versions.map((each) => response('secrets', each)) },
    requests: [{ ...toA, isTls: true }],
  });
  return [
    byRds('accepted routes', toCluster('a')),
    byRds('routes that were rejected from the start', twice),
    byRds('routes that were rejected after accepted ones', toCluster('a'), twice),
    byRds('routes that were accepted after rejected ones', twice, toCluster('a')),
    byRds('routes without a virtual host', { name: 'routes' }),
    {
      ...byRds('a route to a cluster that does not exist', toCluster('gone')),
      requests: [{ ...toA, clusters: ['gone'] }],
    },
    byLds('an accepted listener', [web]),
    byLds('a listener that was rejected from the start: its access log', [unbalanced]),
    byLds('a listener that was rejected after an accepted one', [web], [unbalanced]),
    {
      ...byLds('two listeners of one address', [web, listener('copy', port('web'), inline(route('/', 'a')))]),
      requests: [toA],
    },
    {
      ...byLds('a listener that warms, because its routes never arrive', [
        listener('web', port('web'), fromSource('routes', silentSource('silent', '0s'))),
      ]),
      clusters: [good, cluster('silent', fixed('silent', [port('closed')]))],
    },
    byCds('an accepted cluster', good),
    byCds('a cluster that was rejected from the start', broken),
    byCds('a cluster that was rejected after an accepted one', good, broken),
    {
      ...over(tools, 'a secret that was rejected from the start', fixed('a', [port('good')])),
      listeners: [
        listener('web', port('web'), inline(route('/', 'a')), tlsFromFile('cert', file('secrets'))),
      ],
      // A response without the secret counts as rejected.
      files: { secrets: [response('secrets')] },
      requests: [{ ...toA, isTls: true }],
    },
    bySds('an accepted secret', secret(one, one)),
    {
      ...bySds('a secret whose certificate has expired', secret(expired, expired)),
      requests: [
        { ...toA, isTls: true },
        { ...toA, isTls: true, serverName: 'a.example', authority: authority.certificate },
      ],
    },
    bySds('a secret that was rejected after an accepted one', secret(one, one), secret(one, other)),
  ];
}

function daysAgo(days: number): Date {
  return new Date(Date.now() - days * 86_400_000);
}
