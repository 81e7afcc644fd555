import { describe, expect, it } from 'vitest';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { createCodec } from '@/server/codec/codec';
import { planProtobuf, planReport } from '@/server/codec/dump-parser/plan-report';
import { readResources } from '@/server/codec/dump-parser/read-resources';

const codec = createCodec({ redactionKey: Buffer.from('tests') });
const url = (name: string) => `type.googleapis.com/${name}`;

/** The resources, formatted as `Type name place`, and the problems of a document. */
function read(content: string | Uint8Array | object, typeUrl?: string) {
  const isContent = typeof content === 'string' || content instanceof Uint8Array;
  const plan = planReport(Buffer.from(isContent ? content : JSON.stringify(content)), { typeUrl });
  const { resources, problems, isSingle } = readResources(plan);
  return {
    is: [plan.format, ...plan.kinds, ...(isSingle ? ['single'] : [])].join(' '),
    resources: resources.map(({ typeUrl, name, place }) => `${typeUrl.split('.').at(-1)} ${name} ${place}`),
    problems: problems.map(({ place, reason }) => `${place}: ${reason}`),
    bytes: resources.map(({ bytes }) => Buffer.from(bytes)),
  };
}

const cluster = { '@type': CDS.typeUrl, name: 'a', connect_timeout: '0.25s' };
const clusterBytes = codec.encode(CDS.typeUrl, { name: 'a', connectTimeout: '0.25s' });

describe('readResources() reads', () => {
  it.each<[string, string | object, string | undefined, string, string[]]>([
    ['a resource', cluster, undefined, 'json resources single', ['Cluster a ']],
    [
      'a resource of the given type',
      { name: 'a', type: 'EDS' },
      CDS.typeUrl,
      'json resources single',
      ['Cluster a '],
    ],
    [
      'a resource by its fields',
      { cluster_name: 'a', endpoints: [] },
      undefined,
      'json resources single',
      ['ClusterLoadAssignment a '],
    ],
    [
      'a list',
      [cluster, { name: 'l', filter_chains: [] }],
      undefined,
      'json resources',
      ['Cluster a [0]', 'Listener l [1]'],
    ],
    [
      'a DiscoveryResponse',
      { version_info: '1', resources: [cluster] },
      undefined,
      'json DiscoveryResponse',
      ['Cluster a resources[0]'],
    ],
    [
      'a DiscoveryResponse whose elements do not say their type',
      { typeUrl: CDS.typeUrl, resources: [{ name: 'b' }] },
      undefined,
      'json DiscoveryResponse',
      ['Cluster b resources[0]'],
    ],
    [
      'a delta DiscoveryResponse',
      { systemVersionInfo: '1', resources: [{ name: 'a', version: '1', resource: cluster }] },
      undefined,
      'json DiscoveryResponse',
      ['Cluster a resources[0]'],
    ],
    [
      'resources in their wrapper',
      { resources: [{ '@type': url('envoy.service.discovery.v3.Resource'), name: 'a', resource: cluster }] },
      undefined,
      'json DiscoveryResponse',
      ['Cluster a resources[0]'],
    ],
    [
      '/config_dump',
      {
        configs: [
          {
            '@type': url('envoy.admin.v3.BootstrapConfigDump'),
            bootstrap: { static_resources: { clusters: [{ name: 'a' }, { name: 'only here' }] } },
          },
          {
            '@type': url('envoy.admin.v3.ClustersConfigDump'),
            static_clusters: [{ cluster, last_updated: '2024-01-01T00:00:00Z' }],
          },
          {
            '@type': url('envoy.admin.v3.ListenersConfigDump'),
            dynamic_listeners: [
              {
                name: 'l',
                active_state: { version_info: '1', listener: { '@type': LDS.typeUrl, name: 'l' } },
                error_state: { failed_configuration: { '@type': LDS.typeUrl, name: 'l' }, details: 'x' },
              },
            ],
          },
        ],
      },
      undefined,
      'json Envoy config dump bootstrap',
      [
        'Listener l configs[2].dynamic_listeners[0]',
        'Listener l configs[2].dynamic_listeners[0]',
        'Cluster a configs[1].static_clusters[0]',
        'Cluster only here configs[0].bootstrap.static_resources.clusters[1]',
      ],
    ],
    [
      'a dump of before v3',
      {
        configs: [
          {
            '@type': url('envoy.admin.v2alpha.ClustersConfigDump'),
            static_clusters: [
              { cluster: { name: 'old' } },
              { cluster: { '@type': url('envoy.api.v2.Cluster'), name: 'v2' } },
            ],
          },
        ],
      },
      undefined,
      'json Envoy config dump',
      ['Cluster old configs[0].static_clusters[0]', 'Cluster v2 configs[0].static_clusters[1]'],
    ],
    [
      'a CSDS answer',
      {
        config: [
          { node: { id: 'n' }, generic_xds_configs: [{ type_url: CDS.typeUrl, xds_config: cluster }] },
        ],
      },
      undefined,
      'json CSDS answer',
      ['Cluster a config[0].generic_xds_configs[0]'],
    ],
    [
      'a bootstrap',
      {
        node: { id: 'n' },
        static_resources: { clusters: [{ name: 'a' }], listeners: [{ name: 'l' }] },
        admin: {},
      },
      undefined,
      'json bootstrap',
      ['Cluster a static_resources.clusters[0]', 'Listener l static_resources.listeners[0]'],
    ],
    [
      'resources in a file of somebody’s own',
      { mine: { of: [cluster] }, other: 1 },
      undefined,
      'json resources',
      ['Cluster a mine.of[0]'],
    ],
    [
      'YAML with anchors, merges and several documents',
      `"@type": ${CDS.typeUrl}
name: a
---
- &c {"@type": ${CDS.typeUrl}, name: b, connect_timeout: 1s}
- <<: *c
  name: c
`,
      undefined,
      'yaml resources',
      ['Cluster a documents[0]', 'Cluster b documents[1][0]', 'Cluster c documents[1][1]'],
    ],
    [
      'protobuf text',
      `# a comment\nversion_info: "1"\nresources { [${CDS.typeUrl}] { name: "a" connect_timeout { seconds: 1 } } }`,
      undefined,
      'text DiscoveryResponse',
      ['Cluster a resources[0]'],
    ],
    [
      'protobuf text that says what it is',
      '# proto-message: envoy.config.cluster.v3.Cluster\nname: "a" type: EDS\nconnect_timeout { nanos: 5 }',
      undefined,
      'text resources single',
      ['Cluster a '],
    ],
  ])('%s', (_, content, typeUrl, is, resources) => {
    expect(read(content, typeUrl)).toMatchObject({ is, resources, problems: [] });
  });

  it('binary protobuf, and keeps its bytes', () => {
    const unusual = Buffer.concat([clusterBytes, Buffer.from([0x98, 0x75, 1])]);
    const any = { '@type': CDS.typeUrl, 'xdscope.opaque': { valueBase64: unusual.toString('base64') } };
    const response = codec.encode(url('envoy.service.discovery.v3.DiscoveryResponse'), { resources: [any] });
    expect(read(response)).toEqual({
      is: 'protobuf DiscoveryResponse',
      resources: ['Cluster a resources[0]'],
      problems: [],
      bytes: [unusual],
    });
    const single = { is: 'protobuf resources single', resources: ['Cluster a '] };
    expect(read(codec.encode(url('google.protobuf.Any'), any))).toMatchObject(single);
    expect(read(unusual, CDS.typeUrl)).toMatchObject(single);
  });

  it.each([0x5b, 0x7b])('binary protobuf that begins like JSON, with the bytes 0a %i', (length) => {
    const name = 'x'.repeat(length);
    const bytes = codec.encode(url('envoy.service.discovery.v3.DiscoveryResponse'), {
      versionInfo: name,
      resources: [cluster],
    });
    expect([...bytes.subarray(0, 2)]).toEqual([0x0a, length]);
    expect(read(bytes)).toMatchObject({ resources: ['Cluster a resources[0]'], problems: [] });
  });

  it('no binary protobuf that is not of the container that the caller states', () => {
    const typeUrl = url('envoy.admin.v3.ConfigDump');
    const { resources, problems } = readResources(planProtobuf(Buffer.from([0x0a, 0xff]), typeUrl));
    expect(resources).toEqual([]);
    expect(problems[0]?.reason).toMatch(/^2 bytes that are no ConfigDump/);
  });
});

describe("readResources() accepts the notation of Envoy's files", () => {
  it.each<[string, object, object]>([
    ['snake_case', { lb_policy: 'RING_HASH' }, { lbPolicy: 'RING_HASH' }],
    ['enums as numbers', { lb_policy: 2 }, { lbPolicy: 'RING_HASH' }],
    ['enums in any case', { lb_policy: 'ring_hash' }, { lbPolicy: 'RING_HASH' }],
    [
      'numbers as text',
      { per_connection_buffer_limit_bytes: '32768' },
      { perConnectionBufferLimitBytes: 32768 },
    ],
    [
      'whole numbers with a point',
      { per_connection_buffer_limit_bytes: 32768.0 },
      { perConnectionBufferLimitBytes: 32768 },
    ],
    ['propagation as text', { ignore_health_on_host_removal: 'true' }, { ignoreHealthOnHostRemoval: true }],
    ['null for absent', { eds_cluster_config: null }, {}],
  ])('%s', (_, json, expected) => {
    const { bytes, problems } = read({ '@type': CDS.typeUrl, name: 'a', ...json });
    expect(problems).toEqual([]);
    const { json: decoded } = codec.decode(CDS.typeUrl, bytes[0] ?? new Uint8Array());
    expect(decoded).toEqual({ name: 'a', ...expected });
  });

  it('bytes in both alphabets of base64', () => {
    const typeUrl = url('google.protobuf.BytesValue');
    for (const value of ['-_8=', '-_8', '+/8=']) {
      expect(read({ '@type': typeUrl, value }).bytes[0]?.toString('hex')).toBe('0a02fbff');
    }
  });

  it('integers beyond 2^53, written as numbers', () => {
    const typeUrl = url('google.protobuf.UInt64Value');
    const number = '18446744073709551615';
    for (const text of [
      `{"@type": "${typeUrl}", "value": ${number}}`,
      `"@type": ${typeUrl}\nvalue: ${number}`,
    ]) {
      const { bytes } = read(text);
      expect(codec.decode(typeUrl, bytes[0] ?? new Uint8Array()).json).toBe(number);
    }
  });
});

describe('readResources() reports what it left out', () => {
  it('with its place, and reads the rest', () => {
    const result = read({
      resources: [
        { ...cluster, nme: 1, lb_policy: 'FASTEST' },
        { '@type': url('acme.Thing'), x: 1 },
        { '@type': LDS.typeUrl, name: 'l', filterChains: [{ filters: [{ name: 5 }] }] },
        'text',
      ],
    });
    expect(result).toMatchObject({
      is: 'json DiscoveryResponse',
      resources: ['Cluster a resources[0]', 'Listener l resources[2]'],
      problems: [
        'resources[0].nme: Cluster has no field "nme"; left out',
        expect.stringMatching(
          /^resources\[0\]\.lb_policy: expected one of LbPolicy \(ROUND_ROBIN, .*\), got "FASTEST"$/,
        ),
        `resources[1]: the type "${url('acme.Thing')}" is not in xdscope's protos`,
        'resources[2].filterChains[0].filters[0].name: expected text, got 5',
        'resources[3]: expected a resource, got text of 4 characters',
      ],
    });
  });

  it.each<[string, string | Uint8Array, string | undefined, RegExp]>([
    ['nothing', '', undefined, /expected a document, got nothing/],
    ['one value', '5', undefined, /one value alone/],
    ['broken JSON', '{"a": ', undefined, /no JSON from there on/],
    ['broken YAML', 'a: [1', undefined, /as YAML it is no YAML/],
    ['YAML tags', 'a: !!binary aGk=', undefined, /expected YAML without tags/],
    [
      'a YAML bomb',
      `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [${'*a,'.repeat(40)}]\nc: &c [${'*b,'.repeat(40)}]\nd: [${'*c,'.repeat(40)}]`,
      undefined,
      /more than 1000 uses of anchors/,
    ],
    [
      'no resources',
      '{"a": 1}',
      undefined,
      /expected a document with xDS resources in it, got an object with a/,
    ],
    [
      'bytes of nothing',
      Buffer.from([0xff, 0xff, 0xff]),
      undefined,
      /3 bytes that are neither text nor protobuf/,
    ],
    ['bytes of another type', Buffer.from([0xff]), CDS.typeUrl, /not a valid Cluster/],
  ])('%s', (_, content, typeUrl, reason) => {
    expect(read(content, typeUrl).problems[0]).toMatch(reason);
  });

  it('without quoting the document', () => {
    const secret = 'hunter2-very-secret';
    for (const content of [
      { '@type': CDS.typeUrl, connectTimeout: secret, name: [secret], edsClusterConfig: secret },
      `{"a": ${secret}`,
      `a: [${secret}`,
      `name: ${secret} {`,
    ]) {
      expect(JSON.stringify(read(content).problems)).not.toContain(secret);
    }
  });
});
