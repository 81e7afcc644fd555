import { describe, expect, it } from 'vitest';
import { buildTwin } from '@/lib/twin/build-twin';
import type { TwinOptions, TwinResource } from '@/lib/twin/twin';
import { CDS, ECDS, EDS, LDS, RDS, SDS } from '@/lib/xds/resource-type';

const v3 = 'type.googleapis.com/envoy.extensions';
const managerType = `${v3}.filters.network.http_connection_manager.v3.HttpConnectionManager`;
const address = (host: string, portValue: number) => ({ socketAddress: { address: host, portValue } });

function twinOf(resources: readonly TwinResource[], more: Partial<TwinOptions> = {}) {
  let port = 1_000;
  return buildTwin(resources, {
    client: 'envoy',
    nextPort: () => port++,
    issue: (names) => ({ certificate: `certificate ${names.length}`, key: 'throw-away key' }),
    authority: 'authority',
    keySet: '{"keys":[]}',
    mostEndpoints: 100,
    ...more,
  });
}

function jsonOf(resources: readonly TwinResource[], typeUrl: string): Record<string, unknown> {
  const found = resources.find((each) => each.typeUrl === typeUrl);
  return found?.json as Record<string, unknown>;
}

function listenerWith(httpFilters: readonly object[], more: object = {}): TwinResource {
  const typedConfig = { '@type': managerType, rds: { routeConfigName: 'r', configSource: { self: {} } } };
  const filters = [{ name: 'hcm', typedConfig: { ...typedConfig, httpFilters, ...more } }];
  const json = { name: 'l', address: address('10.0.0.1', 80), filterChains: [{ filters }] };
  return { typeUrl: LDS.typeUrl, name: 'l', json };
}

function managerOf(resources: readonly TwinResource[]) {
  const { filterChains } = jsonOf(resources, LDS.typeUrl) as {
    filterChains: [{ filters: [{ typedConfig: Record<string, unknown> }] }];
  };
  return filterChains[0].filters[0].typedConfig;
}

const filter = (name: string, type: string, fields: object = {}) => ({
  name,
  typedConfig: { '@type': `${v3}.filters.http.${type}`, ...fields },
});
const router = filter('router', 'router.v3.Router');

describe('endpoints', () => {
  const lbEndpoints = [
    {
      endpoint: { address: address('10.1.0.1', 80), hostname: 'one' },
      healthStatus: 'UNHEALTHY',
      loadBalancingWeight: 3,
      metadata: { filterMetadata: { 'envoy.lb': { version: '1' } } },
    },
    { endpoint: { address: address('10.1.0.2', 80) } },
  ];
  const locality = { region: 'eu', zone: 'a' };
  const endpoints = [{ locality, priority: 1, loadBalancingWeight: 7, lbEndpoints }];

  it('keep health, weight, metadata, locality and priority, and get a port of loopback each', () => {
    const json = { clusterName: 'c', endpoints, policy: { overprovisioningFactor: 200 } };
    const { resources, backends, changes } = twinOf([{ typeUrl: EDS.typeUrl, name: 'c', json }]);
    expect(jsonOf(resources, EDS.typeUrl)).toEqual({
      clusterName: 'c',
      policy: { overprovisioningFactor: 200 },
      endpoints: [
        {
          ...endpoints[0],
          lbEndpoints: [
            { ...lbEndpoints[0], endpoint: { address: address('127.0.0.1', 1_000), hostname: 'one' } },
            { endpoint: { address: address('127.0.0.1', 1_001) } },
          ],
        },
      ],
    });
    expect(backends).toEqual([
      { port: 1_000, cluster: 'c', priority: 1, locality: 'eu/a', address: '10.1.0.1:80' },
      { port: 1_001, cluster: 'c', priority: 1, locality: 'eu/a', address: '10.1.0.2:80' },
    ]);
    expect(changes).toEqual([
      expect.objectContaining({
        name: 'c',
        path: 'endpoints[0].lbEndpoints',
        what: '2 endpoints replaced by echo backends on loopback',
      }),
    ]);
  });

  it('above the limit are left out, which is a change', () => {
    const json = { clusterName: 'c', endpoints };
    const { backends, changes } = twinOf([{ typeUrl: EDS.typeUrl, name: 'c', json }], { mostEndpoints: 1 });
    expect(backends.length).toBe(1);
    expect(changes).toContainEqual(expect.objectContaining({ what: '1 endpoint left out' }));
  });

  it.each([
    ['STRICT_DNS', { type: 'STRICT_DNS', loadAssignment: { endpoints } }, 2],
    ['LOGICAL_DNS', { type: 'LOGICAL_DNS', loadAssignment: { endpoints } }, 2],
    ['ORIGINAL_DST', { type: 'ORIGINAL_DST', lbPolicy: 'CLUSTER_PROVIDED' }, 1],
    ['STATIC', { type: 'STATIC', loadAssignment: { endpoints } }, 2],
  ])('of a cluster of the type %s become those of a STATIC cluster', (_, fields, count) => {
    const { resources, backends } = twinOf([
      { typeUrl: CDS.typeUrl, name: 'c', json: { name: 'c', ...fields } },
    ]);
    const cluster = jsonOf(resources, CDS.typeUrl);
    expect(cluster).toMatchObject({ name: 'c', type: 'STATIC' });
    expect(cluster.lbPolicy).not.toBe('CLUSTER_PROVIDED');
    expect(backends.length).toBe(count);
  });

  it('of a gRPC client keep the type of the cluster, and lose TLS', () => {
    const json = { name: 'c', type: 'LOGICAL_DNS', loadAssignment: { endpoints }, transportSocket: {} };
    const twin = twinOf([{ typeUrl: CDS.typeUrl, name: 'c', json }], { client: 'grpc' });
    const cluster = jsonOf(twin.resources, CDS.typeUrl);
    expect(cluster).toMatchObject({ name: 'c', type: 'LOGICAL_DNS' });
    expect(cluster).not.toHaveProperty('transportSocket');
    expect(JSON.stringify(cluster)).toContain('127.0.0.1');
    expect(JSON.stringify(cluster)).not.toContain('10.1.0.1');
  });

  it('of EDS are requested under the same name, by ADS', () => {
    const source = { pathConfigSource: { path: '/etc/eds.yaml' } };
    const json = { name: 'c', type: 'EDS', edsClusterConfig: { serviceName: 's', edsConfig: source } };
    const { resources, changes } = twinOf([{ typeUrl: CDS.typeUrl, name: 'c', json }]);
    expect(jsonOf(resources, CDS.typeUrl).edsClusterConfig).toMatchObject({
      serviceName: 's',
      edsConfig: { ads: {} },
    });
    expect(changes).toContainEqual(expect.objectContaining({ path: 'edsClusterConfig.edsConfig' }));
  });
});

describe('filters', () => {
  it.each([
    ['rate_limit_quota.v3.RateLimitQuotaFilterConfig', 'external service'],
    ['oauth2.v3.OAuth2', 'external service'],
    ['lua.v3.Lua', 'runs code'],
    ['wasm.v3.Wasm', 'runs code'],
    ['dynamic_modules.v3.DynamicModuleFilter', 'runs code'],
    ['basic_auth.v3.BasicAuth', 'secrets'],
    ['tap.v3.Tap', 'writes files'],
    ['made_up.v3.MadeUp', 'does not support'],
  ])('of the type %s are removed with the reason', (type, why) => {
    const { resources, changes } = twinOf([listenerWith([filter('gone', type), router])]);
    expect(managerOf(resources).httpFilters).toEqual([router]);
    const [change, ...others] = changes.filter(({ path }) => path.includes('httpFilters'));
    expect(others).toEqual([]);
    expect(change).toMatchObject({
      path: 'filterChains[0].filters[0].typedConfig.httpFilters[0]',
      what: 'removed',
    });
    expect(change?.why).toContain(why);
  });

  it('that hide another extension in a TypedStruct are removed', () => {
    const typedConfig = {
      '@type': 'type.googleapis.com/xds.type.v3.TypedStruct',
      typeUrl: `${v3}.filters.http.lua.v3.Lua`,
    };
    const { resources } = twinOf([listenerWith([{ name: 'gone', typedConfig }, router])]);
    expect(managerOf(resources).httpFilters).toEqual([router]);
  });

  it('of ECDS stay if the twin serves their config, and go if it does not', () => {
    const discovery = (name: string) => ({
      name,
      configDiscovery: { configSource: { ads: {} }, typeUrls: ['x'] },
    });
    const extension = (name: string, type: string): TwinResource => ({
      typeUrl: ECDS.typeUrl,
      name,
      json: { name, typedConfig: { '@type': `${v3}.filters.http.${type}` } },
    });
    const { resources } = twinOf([
      listenerWith([discovery('kept'), discovery('code'), discovery('absent'), router]),
      extension('kept', 'buffer.v3.Buffer'),
      extension('code', 'lua.v3.Lua'),
    ]);
    const names = (managerOf(resources).httpFilters as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(['kept', 'router']);
    expect(resources.filter(({ typeUrl }) => typeUrl === ECDS.typeUrl).map(({ name }) => name)).toEqual([
      'kept',
    ]);
  });

  it('of JWT get a key set of the twin for keys that are fetched, and keep inline ones', () => {
    const providers = {
      remote: { issuer: 'a', remoteJwks: { httpUri: { uri: 'https://keys.example', cluster: 'k' } } },
      file: { issuer: 'b', localJwks: { filename: '/etc/keys' } },
      inline: { issuer: 'c', localJwks: { inlineString: '{"keys":[1]}' } },
      secret: { issuer: 'd', localJwks: { inlineString: '{"keys":[{"kty":"oct"}]}' } },
    };
    const jwt = filter('jwt', 'jwt_authn.v3.JwtAuthentication', { providers });
    const { resources, changes } = twinOf([listenerWith([jwt, router])]);
    const [kept] = managerOf(resources).httpFilters as [{ typedConfig: { providers: unknown } }];
    expect(kept.typedConfig.providers).toEqual({
      remote: { issuer: 'a', localJwks: { inlineString: '{"keys":[]}' } },
      file: { issuer: 'b', localJwks: { inlineString: '{"keys":[]}' } },
      inline: providers.inline,
      secret: { issuer: 'd', localJwks: { inlineString: '{"keys":[]}' } },
    });
    const places = changes.map(({ path }) => path).filter((path) => path.includes('providers'));
    expect(places.map((path) => path.split('providers.')[1])).toEqual([
      'remote.remoteJwks',
      'file.localJwks',
      'secret.localJwks',
    ]);
  });
});

describe('filters that call external services', () => {
  const real = { grpcService: { googleGrpc: { targetUri: 'dns:///authz.example' }, timeout: '0.1s' } };
  const stub = (protocol: string, answer: string) => `xdscope.twin.${protocol}-service.${answer}`;
  const grpc = (answer: string) => ({
    grpcService: { envoyGrpc: { clusterName: stub('grpc', answer) }, timeout: '5s' },
  });
  const filters = [
    filter('authz', 'ext_authz.v3.ExtAuthz', { ...real, failureModeAllow: true }),
    filter('by-http', 'ext_authz.v3.ExtAuthz', {
      httpService: { serverUri: { uri: 'authz.example', cluster: 'authz' }, pathPrefix: '/check' },
    }),
    filter('processor', 'ext_proc.v3.ExternalProcessor', {
      ...real,
      messageTimeout: '0.2s',
      processingMode: { responseBodyMode: 'FULL_DUPLEX_STREAMED', responseTrailerMode: 'SEND' },
    }),
    filter('processor-by-http', 'ext_proc.v3.ExternalProcessor', {
      httpService: { httpService: { httpUri: { uri: 'http://p.example', cluster: 'p', timeout: '0.1s' } } },
    }),
    filter('limit', 'ratelimit.v3.RateLimit', { domain: 'd', rateLimitService: real }),
  ];
  const twinOfFilters = (more: Partial<TwinOptions>) => {
    const twin = twinOf([listenerWith([...filters, router])], more);
    const kept = managerOf(twin.resources).httpFilters as { typedConfig: object }[];
    return { ...twin, configs: kept.map(({ typedConfig }) => typedConfig) };
  };

  it('call stubs that allow the request, each of which is a change', () => {
    const { configs, stubs, changes } = twinOfFilters({});
    expect(configs).toMatchObject([
      { ...grpc('allow'), failureModeAllow: true },
      { httpService: { serverUri: { cluster: stub('http', 'allow') }, pathPrefix: '/check' } },
      { ...grpc('allow'), messageTimeout: '5s', processingMode: { responseBodyMode: 'STREAMED' } },
      { httpService: { httpService: { httpUri: { cluster: stub('http-processor', 'allow') } } } },
      { domain: 'd', timeout: '5s', rateLimitService: grpc('allow') },
      {},
    ]);
    expect(JSON.stringify(configs)).not.toContain('authz.example');
    expect(stubs.map(({ filter: name, answer }) => `${name} ${answer}`)).toEqual([
      ...['authz allow', 'by-http allow', 'processor allow', 'processor-by-http allow', 'limit allow'],
    ]);
    const replaced = changes.filter(({ what }) => what.startsWith('replaced by a stub'));
    const stubOf = (name: string) => `replaced by a stub that allows every request of filter ${name}`;
    expect(replaced.map(({ path, what }) => [path.replace(/^.*httpFilters/, ''), what])).toEqual([
      ['[0].typedConfig.grpcService', stubOf('authz')],
      ['[1].typedConfig.httpService.serverUri', stubOf('by-http')],
      ['[2].typedConfig.grpcService', stubOf('processor')],
      ['[3].typedConfig.httpService.httpService.httpUri', stubOf('processor-by-http')],
      ['[4].typedConfig.rateLimitService.grpcService', stubOf('limit')],
    ]);
  });

  it('call a stub that denies the request where the proof is of that branch', () => {
    const { configs, stubs } = twinOfFilters({ deniedBy: 'limit' });
    expect(configs[0]).toMatchObject(grpc('allow'));
    expect(configs[4]).toMatchObject({ rateLimitService: grpc('deny') });
    expect(stubs).toContainEqual({ filter: 'limit', answer: 'deny' });
  });

  it('call the stub also by what routes override, and by a config of ECDS', () => {
    const type = `${v3}.filters.http.ext_authz.v3.ExtAuthzPerRoute`;
    const override = { '@type': type, checkSettings: real };
    const routes = [{ match: { prefix: '/' }, typedPerFilterConfig: { authz: override } }];
    const table = { name: 'r', virtualHosts: [{ name: 'v', domains: ['*'], routes }] };
    const { typedConfig } = filters[0] as { typedConfig: object };
    const { resources } = twinOf(
      [
        { typeUrl: RDS.typeUrl, name: 'r', json: table },
        { typeUrl: ECDS.typeUrl, name: 'authz', json: { name: 'authz', typedConfig } },
      ],
      { deniedBy: 'authz' },
    );
    expect(JSON.stringify(jsonOf(resources, RDS.typeUrl))).toContain(stub('grpc', 'deny'));
    expect(jsonOf(resources, ECDS.typeUrl).typedConfig).toMatchObject(grpc('deny'));
  });

  it('are removed for a gRPC client, and where there is no stub', () => {
    const apiListener = { apiListener: { '@type': managerType, httpFilters: [...filters, router] } };
    const api = { typeUrl: LDS.typeUrl, name: 'api', json: { name: 'api', apiListener } };
    const { resources, stubs } = twinOf([api], { client: 'grpc' });
    expect(jsonOf(resources, LDS.typeUrl)).toEqual({
      name: 'api',
      apiListener: { apiListener: { '@type': managerType, httpFilters: [router] } },
    });
    expect(stubs).toEqual([]);
    const oauth = filter('o', 'oauth2.v3.OAuth2', {
      config: { tokenEndpoint: { uri: 'https://o.example' } },
    });
    const { resources: kept, changes } = twinOf([listenerWith([oauth, router])]);
    expect(managerOf(kept).httpFilters).toEqual([router]);
    expect(changes).toContainEqual(
      expect.objectContaining({
        what: 'removed',
        why: expect.stringContaining('the twin continues as if the service allowed the request'),
      }),
    );
  });
});

describe('listeners', () => {
  it('listen on loopback, accept the PROXY protocol, and log', () => {
    const { resources, listeners } = twinOf([listenerWith([router], { accessLog: [{ name: 'file' }] })]);
    const listener = jsonOf(resources, LDS.typeUrl);
    expect(listener.address).toEqual(address('127.0.0.1', 1_000));
    expect(listeners).toEqual([{ name: 'l', port: 1_000, address: '10.0.0.1:80', callerNames: [] }]);
    expect(managerOf(resources).accessLog).toEqual([
      expect.objectContaining({ name: 'envoy.access_loggers.stdout' }),
    ]);
  });

  it('for gRPC are API listeners, of which nothing is added', () => {
    const apiListener = { apiListener: { '@type': managerType, httpFilters: [router] } };
    const api = { typeUrl: LDS.typeUrl, name: 'api', json: { name: 'api', apiListener } };
    const grpc = twinOf([api, listenerWith([router])], { client: 'grpc' });
    expect(grpc.resources.map(({ json }) => json)).toEqual([{ name: 'api', apiListener }]);
    expect(grpc.listeners).toEqual([{ name: 'api', port: 0, address: '', callerNames: [] }]);
    expect(twinOf([api]).resources).toEqual([]);
  });

  it('with TLS get throw-away certificates, and state the names that callers must carry', () => {
    const commonTlsContext = {
      tlsCertificates: [{ privateKey: { filename: '/etc/key.pem' } }],
      combinedValidationContext: {
        defaultValidationContext: {
          matchTypedSubjectAltNames: [
            { sanType: 'URI', matcher: { exact: 'spiffe://td/ns/a' } },
            { sanType: 'URI', matcher: { prefix: 'spiffe://td/' } },
            { sanType: 'DNS', matcher: { safeRegex: { regex: '.*' } } },
          ],
        },
        validationContextSdsSecretConfig: { name: 'ROOTCA', sdsConfig: { ads: {} } },
      },
      alpnProtocols: ['h2'],
    };
    const { json } = listenerWith([router]);
    const { filterChains } = json as { filterChains: object[] };
    const transportSocket = {
      name: 'tls',
      typedConfig: { '@type': `${v3}.transport_sockets.tls.v3.DownstreamTlsContext`, commonTlsContext },
    };
    const secure = {
      ...(json as object),
      filterChains: filterChains.map((chain) => ({ ...chain, transportSocket })),
    };
    const { resources, listeners } = twinOf([
      { typeUrl: LDS.typeUrl, name: 'l', json: secure },
      { typeUrl: SDS.typeUrl, name: 'ROOTCA', json: { name: 'ROOTCA' } },
    ]);
    expect(listeners[0]?.callerNames).toEqual([
      { kind: 'uri', value: 'spiffe://td/ns/a' },
      { kind: 'uri', value: 'spiffe://td/twin' },
    ]);
    const twin = JSON.stringify(resources);
    expect(twin).not.toContain('/etc/key.pem');
    expect(twin).not.toContain('sds');
    expect(twin).toContain('"privateKey":{"inlineString":"throw-away key"}');
    expect(twin).toContain('"trustedCa":{"inlineString":"authority"}');
    expect(twin).not.toContain('safeRegex');
    expect(resources.map(({ typeUrl }) => typeUrl)).toEqual([LDS.typeUrl]);
  });
});

describe('routes', () => {
  const mark = (virtualHost: string, route: string) => ({
    filterMetadata: expect.objectContaining({ 'xdscope.twin': { virtualHost, route } }),
  });

  it('carry their place in the config of the client, those of a matcher tree as well', () => {
    const inTree = { '@type': 'type.googleapis.com/envoy.config.route.v3.Route', name: 'b' };
    const onMatch = { action: { name: 'route', typedConfig: inTree } };
    const virtualHosts = [
      { name: 'h', routes: [{ name: 'a', metadata: { filterMetadata: { own: { x: 1 } } } }] },
      { name: 'm', matcher: { matcherList: { matchers: [{ onMatch }] } } },
    ];
    const { resources } = twinOf([{ typeUrl: RDS.typeUrl, name: 'r', json: { name: 'r', virtualHosts } }]);
    const place = 'virtualHosts[1].matcher.matcherList.matchers[0].onMatch.action.typedConfig';
    expect(jsonOf(resources, RDS.typeUrl)).toMatchObject({
      virtualHosts: [
        { routes: [{ name: 'a', metadata: mark('h', 'virtualHosts[0].routes[0]') }] },
        {
          matcher: {
            matcherList: {
              matchers: [{ onMatch: { action: { typedConfig: { metadata: mark('m', place) } } } }],
            },
          },
        },
      ],
    });
  });

  it('keep metadata of the client with keys that are names of removed fields', () => {
    const own = { filename: '/x', tracing: true };
    const routes = [{ name: 'a', metadata: { filterMetadata: { own } } }];
    const json = { name: 'r', virtualHosts: [{ name: 'h', routes }] };
    const { resources } = twinOf([{ typeUrl: RDS.typeUrl, name: 'r', json }]);
    expect(JSON.stringify(resources)).toContain(JSON.stringify({ own }).slice(1, -1));
  });

  it('lose parts that read files or the environment', () => {
    const routes = [{ directResponse: { status: 200, body: { filename: '/etc/passwd' } } }];
    const json = { name: 'r', virtualHosts: [{ name: 'h', routes }] };
    const { resources, changes } = twinOf([{ typeUrl: RDS.typeUrl, name: 'r', json }]);
    expect(JSON.stringify(resources)).not.toContain('passwd');
    expect(changes).toContainEqual(
      expect.objectContaining({ path: 'virtualHosts[0].routes[0].directResponse.body', what: 'removed' }),
    );
  });
});
