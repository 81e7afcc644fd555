import { createHash, randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { ResourceRow } from '@/lib/observation/resource-row';
import type { ClientDetail } from '@/lib/views/client/schema';
import { findingsQuery } from '@/lib/views/findings/schema';
import { clientOf, mapProfiles } from '@/lib/xds/profile';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { findFindings } from '@/server/answers/findings/findings-api';
import { noSettings } from '@/server/answers/subjects/known-settings';
import { encodeBody } from '@/server/codec/encode-body';
import { Validator } from '@/server/compute/validate/document-validator';
import type { Body } from '@/server/observe';
import { resourceRow } from '../../../support/builders/resource-row';
import { startBodies } from '../../../support/builders/stored-bodies';

function bodyOf(resource: unknown, typeUrl = CDS.typeUrl): Body {
  const bytes = encodeBody(typeUrl, resource);
  return { typeUrl, bytes, hash: createHash('sha256').update(bytes).digest('hex') };
}

const good = bodyOf({ name: 'a', type: 'EDS', edsClusterConfig: { edsConfig: { ads: {} } } });
const bad = bodyOf({ name: 'a', type: 'STATIC' });
const endpoints = bodyOf({ clusterName: 'service' }, EDS.typeUrl);
const routes = bodyOf(
  {
    name: 'r',
    validateClusters: true,
    virtualHosts: [
      { name: 'v', domains: ['*'], routes: [{ match: { prefix: '' }, route: { cluster: 'b' } }] },
    ],
  },
  RDS.typeUrl,
);
const server = bodyOf(
  {
    name: 's',
    address: { socketAddress: { address: '127.0.0.1', portValue: 80 } },
    filterChains: [
      {
        filters: [
          {
            name: 'manager',
            typedConfig: {
              '@type':
                'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
              routeConfig: {
                virtualHosts: [
                  { name: 'v', domains: ['*'], routes: [{ match: { prefix: '' }, route: { cluster: 'b' } }] },
                ],
              },
            },
          },
        ],
      },
    ],
  },
  LDS.typeUrl,
);
const logging = bodyOf(
  {
    name: 'logging',
    address: { socketAddress: { address: '127.0.0.1', portValue: 80 } },
    filterChains: [
      {
        filters: [
          {
            name: 'tcp',
            typedConfig: {
              '@type': 'type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy',
              ...{ statPrefix: 'tcp', cluster: 'b' },
              accessLog: [
                {
                  name: 'file',
                  typedConfig: {
                    '@type': 'type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog',
                    path: '/var/log/shop.log',
                  },
                },
              ],
            },
          },
        ],
      },
    ],
  },
  LDS.typeUrl,
);
const nonForwarding = bodyOf(
  {
    name: 'r',
    virtualHosts: [
      { name: 'v', domains: ['*'], routes: [{ match: { prefix: '' }, nonForwardingAction: {} }] },
    ],
  },
  RDS.typeUrl,
);
const shadowed = bodyOf(
  {
    name: 'r',
    virtualHosts: [
      {
        name: 'v',
        domains: ['*'],
        routes: ['', ''].map((prefix) => ({ match: { prefix }, route: { cluster: 'b' } })),
      },
    ],
  },
  RDS.typeUrl,
);
const listener = bodyOf(
  {
    name: 'l',
    apiListener: {
      apiListener: {
        '@type':
          'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
        rds: { configSource: { ads: {} }, routeConfigName: 'r' },
        httpFilters: [
          {
            name: 'router',
            typedConfig: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
          },
        ],
      },
    },
  },
  LDS.typeUrl,
);
const secured = bodyOf({
  name: 'a',
  type: 'EDS',
  edsClusterConfig: { edsConfig: { ads: {} } },
  transportSocket: {
    name: 'envoy.transport_sockets.tls',
    typedConfig: {
      '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
      commonTlsContext: { validationContext: { caCertificateProviderInstance: { instanceName: 'fleet' } } },
    },
  },
});
const oddPort = bodyOf(
  {
    clusterName: 'a',
    endpoints: [
      {
        locality: { region: 'r' },
        loadBalancingWeight: 1,
        lbEndpoints: [
          { endpoint: { address: { socketAddress: { address: '10.0.0.1', portValue: 99_999 } } } },
        ],
      },
    ],
  },
  EDS.typeUrl,
);
const { source, close } = await startBodies([
  good,
  bad,
  endpoints,
  routes,
  server,
  shadowed,
  listener,
  secured,
  oddPort,
  nonForwarding,
  logging,
]);
const validate = new Validator({ redactionKey: randomBytes(32), inPlaceBytes: 1e9, recorder: source });
afterAll(async () => {
  await validate.close();
  await close();
});

const reported = noSettings;
const client = { id: 'c', node: { userAgentName: 'gRPC Go' }, reports: [] } as unknown as ClientDetail;
const at = Date.parse('2026-11-21T12:00:00Z');

function row(name: string, hash: string | null, more: Partial<ResourceRow> = {}): ResourceRow {
  return resourceRow({ typeUrl: CDS.typeUrl, service: 'CDS', name, hash, ...more });
}

const nacked = {
  clientStatus: 'NACKED',
  errorState: { versionInfo: '2', lastUpdateAttempt: null, details: 'no such type', failedHash: null },
} as const satisfies Partial<ResourceRow>;

const all = findingsQuery.parse({});

describe('findFindings', () => {
  it('counts resources of which not every part is checked, unless the client itself has accepted them', async () => {
    const envoy = { ...client, node: { userAgentName: 'envoy' } } as unknown as ClientDetail;
    const countOf = async (more: Partial<ResourceRow>, query = all) => {
      const rows = [row('a', logging.hash, { typeUrl: LDS.typeUrl, ...more })];
      return (await findFindings(validate, { client: envoy, rows, at, reported }, query)).counts;
    };
    const accepted = { clientStatus: 'ACKED' } as const;
    expect(await countOf(accepted)).toMatchObject({ validated: 1, noFaultFound: 0 });
    expect(await countOf({ clientStatus: 'UNKNOWN' })).toMatchObject({ validated: 1, noFaultFound: 1 });
    const asAnother = findingsQuery.parse({ profile: 'envoy-1.36' });
    expect(await countOf(accepted, asAnother)).toMatchObject({ validated: 1, noFaultFound: 1 });
  });

  it("validates by the client's own kind, and counts for all of them", async () => {
    const rows = [row('a', good.hash), row('b', bad.hash)];
    const found = await findFindings(validate, { client, rows, at, reported }, all);
    expect(found).toMatchObject({
      clientId: 'c',
      at: Date.parse('2026-11-21T12:00:00.000Z'),
      profile: 'go-1.85',
      total: 1,
    });
    expect(found.counts).toMatchObject({
      validated: 2,
      found: 1,
      nacked: mapProfiles((profile) => (clientOf(profile) === 'envoy' ? 0 : 1)),
    });
    expect(found.counts.byRule).toEqual([expect.objectContaining({ ruleId: 'C1', findings: 1, nacked: 1 })]);
    expect(found.items).toEqual([expect.objectContaining({ name: 'b', verdict: 'NACK', clientError: '' })]);
  });

  it('counts and lists what a client sends no answer to beside what it rejects', async () => {
    const rows = [row('a', oddPort.hash, { typeUrl: EDS.typeUrl, service: 'EDS' })];
    const query = findingsQuery.parse({ profile: 'java-1.60', only: 'NACK' });
    const { counts, items } = await findFindings(validate, { client, rows, at, reported }, query);
    expect(counts.nacked).toMatchObject({ 'java-1.60': 1, 'java-1.85': 1, 'go-1.85': 0 });
    expect(items).toMatchObject([{ verdict: 'NO_ANSWER', findings: [{ ruleId: 'E5' }] }]);
  });

  it('validates by the rules that a probe applies as a client, whatever its user agent', async () => {
    const asked = { client: { ...client, asClient: 'node' as const }, rows: [], at, reported };
    expect((await findFindings(validate, asked, all)).profile).toBe('node-1.14');
    expect((await findFindings(validate, asked, findingsQuery.parse({ profile: 'java' }))).profile).toBe(
      'java-1.85',
    );
  });

  it('lists only what the profile rejects, of one rule, page by page', async () => {
    const rows = ['a', 'b', 'c'].map((name) => row(name, bad.hash));
    const ask = (query: object) =>
      findFindings(validate, { client, rows, at, reported }, findingsQuery.parse(query));
    expect((await ask({ only: 'NACK', profile: 'envoy' })).items).toEqual([]);
    expect((await ask({ rule: 'C2' })).total).toBe(0);
    const page = await ask({ offset: '1', limit: '1' });
    expect(page.total).toBe(3);
    expect(page.items.map(({ name }) => name)).toEqual(['b']);
    expect((await ask({ typeUrl: CDS.typeUrl, name: 'c' })).items.map(({ name }) => name)).toEqual(['c']);
  });

  it('separates what is about the profile from what is about other profiles', async () => {
    const apiListener = { typeUrl: LDS.typeUrl, service: 'LDS' };
    const routesRow = row('r', shadowed.hash, { typeUrl: RDS.typeUrl, service: 'RDS' });
    const rows = [row('l', listener.hash, apiListener), row('b', bad.hash), routesRow];
    const ask = async (query: object) => {
      const found = await findFindings(validate, { client, rows, at, reported }, findingsQuery.parse(query));
      const ids = found.items.flatMap(({ findings }) => findings.map(({ ruleId }) => ruleId));
      const byRule = found.counts.byRule.map(({ ruleId, findings, ofProfile }) => [
        ruleId,
        findings,
        ofProfile,
      ]);
      return { ids, byRule, ofProfile: found.counts.ofProfile };
    };
    // L1 is about Envoy alone. Every client ignores a route that is never used (R19).
    expect(await ask({ about: 'profile' })).toEqual({
      ids: ['C1', 'R19'],
      byRule: [
        ['C1', 1, 1],
        ['R19', 1, 1],
        ['L1', 1, 0],
      ],
      ofProfile: 2,
    });
    expect((await ask({ about: 'others' })).ids).toEqual(['L1']);
    expect((await ask({ about: 'profile', profile: 'envoy' })).ids).toEqual(['L1', 'R19']);
    expect((await ask({ about: 'others', profile: 'envoy' })).ids).toEqual(['C1']);
  });

  it('counts what every client accepts for the kind of client that the rule describes', async () => {
    const ofProfile = async (rows: readonly ResourceRow[], profile: string) => {
      const query = findingsQuery.parse({ about: 'profile', profile });
      const { items } = await findFindings(validate, { client, rows, at, reported }, query);
      return items.flatMap(({ findings }) => findings.map(({ ruleId }) => ruleId));
    };
    // gRFC A36: the calls of a gRPC server that match another action fail.
    const listeners = [row('s', server.hash, { typeUrl: LDS.typeUrl, service: 'LDS' })];
    expect(await ofProfile(listeners, 'go')).toContain('S9');
    expect(await ofProfile(listeners, 'envoy')).not.toContain('S9');
    // A channel of grpc-js-xds crashes, which the finding does not assume.
    const ofServers = [row('r', nonForwarding.hash, { typeUrl: RDS.typeUrl, service: 'RDS' })];
    expect(await ofProfile(ofServers, 'node')).toContain('R12a');
    expect(await ofProfile(ofServers, 'go')).toEqual([]);
  });

  it('lists each resource that the client rejected once, with the rejected content if it is known', async () => {
    const errorState = { ...nacked.errorState, failedHash: bad.hash };
    const rows = [
      row('a', good.hash, { ...nacked, errorState }),
      row('b', good.hash),
      row('gone', null, nacked),
    ];
    const query = findingsQuery.parse({ only: 'rejected' });
    const { items, total, counts } = await findFindings(validate, { client, rows, at, reported }, query);
    expect(items.map(({ name, role }) => [name, role])).toEqual([
      ['a', 'rejected'],
      ['gone', ''],
    ]);
    expect([total, counts.rejected]).toEqual([2, 2]);
  });

  it("shows the client's error message beside what it rejected", async () => {
    const errorState = { ...nacked.errorState, failedHash: bad.hash };
    const rows = [row('a', good.hash, { ...nacked, errorState }), row('gone', null, nacked)];
    const { items } = await findFindings(validate, { client, rows, at, reported }, all);
    expect(items.map(({ name, role, verdict, clientError }) => [name, role, verdict, clientError])).toEqual([
      ['a', 'client', 'ACK', 'no such type'],
      ['a', 'rejected', 'NACK', 'no such type'],
      ['gone', '', 'ACK', 'no such type'],
    ]);
  });

  const namesOf = (found: Awaited<ReturnType<typeof findFindings>>, ruleId: string) =>
    found.items.flatMap(({ name, findings }) =>
      findings.filter((each) => each.ruleId === ruleId).map(() => name),
    );

  it('validates endpoints by the name that the client requested', async () => {
    const named = { typeUrl: EDS.typeUrl, service: 'EDS' };
    const alias = { ...named, canonicalName: 'service' };
    const rows = [
      row('other', endpoints.hash, named),
      row('service', endpoints.hash, named),
      row('third', endpoints.hash, alias),
    ];
    expect(namesOf(await findFindings(validate, { client, rows, at, reported }, all), 'E1')).toEqual([
      'other',
    ]);
  });

  it('validates routes by the clusters of the client, also after these change', async () => {
    const route = row('r', routes.hash, { typeUrl: RDS.typeUrl, service: 'RDS' });
    const find = async (...clusters: ResourceRow[]) =>
      namesOf(
        await findFindings(validate, { client, rows: [...clusters, route], at, reported }, all),
        'ENVOY-clusters',
      );
    expect(await find(row('a', good.hash))).toEqual(['r']);
    expect(await find(row('a', good.hash), row('b', good.hash))).toEqual([]);
    expect(await find(row('b', null, { clientStatus: 'REQUESTED' }), row('a', good.hash))).toEqual(['r']);
    // Nothing is known of a client that reports no cluster.
    expect(await find()).toEqual([]);
  });

  it("validates by the certificate providers of a probe's bootstrap", async () => {
    const find = async (...providers: string[]) => {
      const reported = { ...noSettings, certificateProviders: providers };
      const rows = [row('a', secured.hash)];
      return (await findFindings(validate, { client, rows, at, reported }, all)).items;
    };
    expect(await find('fleet')).toEqual([]);
    expect(await find('other')).toMatchObject([{ verdict: 'NACK', findings: [{ ruleId: 'T6' }] }]);
  });
});
