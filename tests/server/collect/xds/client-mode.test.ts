import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import type { ProbeSettings } from '@/server/collect/xds/probe/probe-settings';
import type { ManagementServer, VerdictEvent } from '@/server/lab/management-server/management-server';
import { clusterOf, packed, responseOf } from '../../../support/builders/xds-wire';
import { ClientStories, listeners, only, rowsOf } from '../../../support/xds-client-story';
import { type ProbeStory, resourceOf, until } from '../../../support/xds-probe-story';

const good = resourceOf('good', clusterOf('good', 'endpoints'));
const endpoints = packed(EDS.typeUrl, { clusterName: 'endpoints' });
/** Rule C1: the default type of a cluster is STATIC, which gRPC does not support. */
const bad = (name: string) => resourceOf(name, packed(CDS.typeUrl, { name }));

describe('a client with a response whose cluster violates a rule', () => {
  let stories: ClientStories;
  let server: ManagementServer;
  let target: string;
  let verdicts: VerdictEvent[];

  beforeEach(async () => {
    stories = new ClientStories();
    ({ server, target } = await stories.server());
    verdicts = [];
    server.onVerdict((verdict) => {
      if (verdict.typeUrl === CDS.typeUrl) verdicts.push(verdict);
    });
    server.setResources('*', [good, bad('bad')], 'v1');
  });
  afterEach(() => stories.close());

  function start(settings: Partial<ProbeSettings>): ProbeStory {
    return stories.start(target, { interest: only(CDS.typeUrl, 'good', 'bad'), ...settings });
  }
  const row = (story: ProbeStory, name: string) => rowsOf(story.reported).get(name);

  test('accepts it in the mode observe', async () => {
    const story = start({ mode: 'observe' });
    await until(() => expect(verdicts).toEqual([expect.objectContaining({ accepted: true })]));
    expect(row(story, 'bad')?.clientStatus).toBe('ACKED');
  });

  test.each([
    ['core', 'v1'],
    ['node', 'v1'],
    ['go', ''],
    ['java', ''],
  ] as const)('rejects it like %s, and accepts the valid cluster', async (profile, versionInfo) => {
    const story = start({ mode: 'validate', profile });
    await until(() => expect(row(story, 'good')?.clientStatus).toBe('ACKED'));
    await until(() => expect(verdicts).toHaveLength(1));
    expect(verdicts[0]).toMatchObject({ accepted: false, versionInfo });
    expect(verdicts[0]?.errorDetail).toMatch(/^"bad": .*type/);
    expect(row(story, 'bad')).toMatchObject({
      clientStatus: 'NACKED',
      hash: null,
      errorState: { versionInfo: 'v1', failedHash: expect.any(String) },
    });
    // The rejected body is stored.
    expect(story.bodies.map(({ hash }) => hash)).toContain(row(story, 'bad')?.errorState?.failedHash);
  });

  test('lists every invalid resource in one NACK', async () => {
    server.setResources('*', [good, bad('bad'), bad('worse')], 'v1');
    start({ mode: 'validate', interest: only(CDS.typeUrl, 'good', 'bad', 'worse') });
    await until(() => expect(verdicts).toHaveLength(1));
    expect(verdicts[0]?.errorDetail.split('\n')).toEqual([
      expect.stringMatching(/^"bad": /),
      expect.stringMatching(/^"worse": /),
    ]);
  });

  test('keeps the accepted resource in effect in delta', async () => {
    server.setResources('*', [good, resourceOf('bad', clusterOf('bad', 'endpoints'))], 'v0');
    const story = start({ mode: 'validate', transport: 'delta-ads' });
    await until(() => expect(row(story, 'bad')?.clientStatus).toBe('ACKED'));
    const before = row(story, 'bad');
    server.setResource('*', bad('bad'), 'v1');
    await until(() => expect(row(story, 'bad')?.clientStatus).toBe('NACKED'));
    expect(row(story, 'bad')).toMatchObject({ hash: before?.hash, versionInfo: before?.versionInfo });
    await until(() => expect(verdicts.at(-1)).toMatchObject({ accepted: false }));
  });

  test('accepts two copies of a resource in either mode', async () => {
    const twice = responseOf({
      typeUrl: EDS.typeUrl,
      versionInfo: 'v',
      nonce: 'n',
      resources: [endpoints, endpoints],
    });
    server.setResources('*', [good, resourceOf('endpoints', endpoints)], 'v2');
    const observer = start({ mode: 'observe' });
    const client = start({ mode: 'validate' });
    for (const story of [observer, client]) {
      await until(() => expect(row(story, 'endpoints')?.clientStatus).toBe('ACKED'));
    }
    server.pushRaw('*', twice);
    for (const story of [observer, client]) {
      await until(() => expect(story.of('ack-sent').at(-1)?.nonce).toBe('n'));
    }
    expect(observer.probe.status.notes.join()).toContain(
      'expected one resource of this name, got another copy',
    );
  });

  test('redacts secrets of rejected resources', async () => {
    const key =
      '-----BEGIN PRIVATE KEY-----\nMIIBVgIBADANBgkqhkiG9w0BAQEFAASCAUAwggE8AgEAAkEAq7BFUpkGp3\n-----END PRIVATE KEY-----\n';
    const match = { safeRegex: { regex: `(${key}` } };
    const hosts = [{ name: 'all', domains: ['*'], routes: [{ match, route: { cluster: 'good' } }] }];
    const routes = packed(RDS.typeUrl, { name: 'routes', virtualHosts: hosts });
    server.setResources('*', [resourceOf('routes', routes)], 'v4');
    const story = start({ mode: 'validate', interest: only(RDS.typeUrl, 'routes') });
    await until(() => expect(row(story, 'routes')?.clientStatus).toBe('NACKED'));
    expect(row(story, 'routes')?.errorState?.details).toContain('PRIVATE KEY-----***');
    expect(JSON.stringify(story.reported)).not.toContain('MIIB');
  });

  test('validates certificate providers against the bootstrap', async () => {
    const tls = packed('type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext', {
      commonTlsContext: {
        validationContext: {
          caCertificateProviderInstance: { instanceName: 'fleet', certificateName: '' },
        },
      },
    });
    const secured = packed(CDS.typeUrl, {
      name: 'good',
      type: 'EDS',
      edsClusterConfig: { edsConfig: { ads: {} }, serviceName: 'endpoints' },
      transportSocket: { name: 'envoy.transport_sockets.tls', typedConfig: tls },
    });
    server.setResources('*', [resourceOf('good', secured)], 'v3');
    const interest = only(CDS.typeUrl, 'good');
    const knows = start({ mode: 'validate', interest, certificateProviders: new Set(['fleet']) });
    const lacks = start({ mode: 'validate', interest, certificateProviders: new Set(['other']) });
    await until(() => expect(row(knows, 'good')?.clientStatus).toBe('ACKED'));
    await until(() => expect(row(lacks, 'good')?.clientStatus).toBe('NACKED'));
  });
});

test('a client does not follow references to files and other servers', async () => {
  const stories = new ClientStories();
  const { server, target } = await stories.server();
  const hcm = packed(
    'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    { rds: { routeConfigName: 'routes', configSource: { pathConfigSource: { path: '/etc/routes.yaml' } } } },
  );
  const web = packed(LDS.typeUrl, { name: 'web', apiListener: { apiListener: hcm } });
  server.setResources('*', [resourceOf('web', web)]);
  const story = stories.start(target, { interest: listeners('web') });
  await story.nth('ack-sent', 1);
  await until(() => expect(rowsOf(story.reported).get('web')?.clientStatus).toBe('ACKED'));
  expect(story.of('request-sent').map(({ typeUrl }) => typeUrl)).toEqual([LDS.typeUrl]);
  await stories.close();
});
