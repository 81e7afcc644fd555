import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CDS, EDS, LDS, RDS, VHDS } from '@/lib/xds/resource-type';
import { decodeBody } from '@/server/codec/decode-body';
import { encodeBody } from '@/server/codec/encode-body';
import { buildBootstrap } from '@/server/lab/envoy-binary/build-bootstrap';
import { EnvoyValidator } from '@/server/lab/envoy-binary/envoy-validator';

function bodyOf(typeUrl: string, resource: object) {
  const bytes = encodeBody(typeUrl, resource);
  return { typeUrl, bytes, hash: createHash('sha256').update(bytes).digest('hex') };
}

const routeTo = (route: object) => ({
  name: 'r',
  virtualHosts: [{ name: 'v', domains: ['*'], routes: [route] }],
});
const lua = {
  match: { prefix: '' },
  route: { cluster: 'a' },
  typedPerFilterConfig: {
    lua: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.http.lua.v3.LuaPerRoute',
      sourceCode: { inlineString: 'os.execute("true")' },
    },
  },
};

describe('buildBootstrap', () => {
  it('has the resource as it was given, beside clusters of the names', () => {
    const readAs = (typeUrl: string, resource: object) =>
      decodeBody(
        'type.googleapis.com/envoy.config.bootstrap.v3.Bootstrap',
        buildBootstrap(bodyOf(typeUrl, resource), ['b']),
      ).json as { staticResources: { clusters: { name: string }[]; listeners?: unknown[] } };
    const cluster = { name: 'a', type: 'EDS', lbPolicy: 'MAGLEV' };
    const { clusters } = readAs(CDS.typeUrl, cluster).staticResources;
    expect(clusters.map(({ name }) => name)).toEqual(['xdscope.management-server', 'b', 'a']);
    expect(clusters[2]).toEqual(cluster);
    const endpoints = readAs(EDS.typeUrl, { clusterName: 'e' }).staticResources.clusters.at(-1);
    expect(endpoints).toMatchObject({ loadAssignment: { clusterName: 'e' } });
    const [listener] = readAs(RDS.typeUrl, { name: 'r' }).staticResources.listeners ?? [];
    const filter = { typedConfig: { routeConfig: { name: 'r', validateClusters: false } } };
    expect(listener).toMatchObject({ filterChains: [{ filters: [filter] }] });
  });
});

describe('an Envoy is not asked about', () => {
  // The command does not exist, so that a question is an error.
  const validator = new EnvoyValidator({ command: '/nowhere/envoy', version: '1' });
  const ask = (typeUrl: string, resource: object, isRedacted = false) =>
    validator.ask({ body: bodyOf(typeUrl, resource), isRedacted }, []);

  it.each([
    ['Lua code', RDS.typeUrl, routeTo(lua), false, /^it can run code or open files: .*@type$/],
    [
      'a file',
      RDS.typeUrl,
      routeTo({ directResponse: { status: 200, body: { filename: '/etc/passwd' } } }),
      false,
      /open files: .*filename$/,
    ],
    ['redacted secrets', LDS.typeUrl, { name: 'a' }, true, /redacted/],
    ['types of no bootstrap', VHDS.typeUrl, { name: 'a' }, false, /not part of a bootstrap/],
  ])('%s', async (_, typeUrl, resource, isRedacted, text) => {
    expect(await ask(typeUrl, resource, isRedacted)).toEqual({
      answer: 'not-asked',
      text: expect.stringMatching(text),
    });
  });

  it('and about paths of URLs it is', async () => {
    const route = { match: { path: '/a' }, route: { cluster: 'a' } };
    expect(await ask(RDS.typeUrl, routeTo(route))).toMatchObject({ answer: 'no-answer' });
  });
});
