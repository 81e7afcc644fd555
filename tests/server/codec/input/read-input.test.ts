import { describe, expect, it } from 'vitest';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { createCodec } from '@/server/codec/codec';
import type { Input } from '@/server/codec/input/input';
import { readInput } from '@/server/codec/input/read-input';

const codec = createCodec({ redactionKey: Buffer.from('tests') });
const url = (name: string) => `type.googleapis.com/${name}`;

function read(content: string | Uint8Array | object, hints: Omit<Input, 'content'> = {}) {
  const isContent = typeof content === 'string' || content instanceof Uint8Array;
  return readInput({ content: isContent ? content : JSON.stringify(content), ...hints });
}

/** What was read, for a person. */
function summary(result: ReturnType<typeof read>) {
  const { format, kind, resources, problems } = result;
  return {
    is: `${format} ${kind}`,
    resources: resources.map(({ typeUrl, name, place, isFailed }) =>
      [typeUrl.split('.').at(-1), name, place, ...(isFailed ? ['failed'] : [])].join(' '),
    ),
    ...(problems.length > 0 ? { problems: problems.map(({ place, reason }) => `${place}: ${reason}`) } : {}),
  };
}

const cluster = { '@type': CDS.typeUrl, name: 'a', connect_timeout: '0.25s' };
const clusterBytes = codec.encode(CDS.typeUrl, { name: 'a', connectTimeout: '0.25s' });

describe('readInput recognises', () => {
  it.each<[string, string | object, Omit<Input, 'content'>, string, string[]]>([
    ['a resource', cluster, {}, 'json resource', ['Cluster a ']],
    [
      'a resource whose type is reported',
      { name: 'a', type: 'EDS' },
      { typeUrl: CDS.typeUrl },
      'json resource',
      ['Cluster a '],
    ],
    [
      'a resource by its fields',
      { cluster_name: 'a', endpoints: [] },
      {},
      'json resource',
      ['ClusterLoadAssignment a '],
    ],
    [
      'a list',
      [cluster, { name: 'l', filter_chains: [] }],
      {},
      'json resources',
      ['Cluster a [0]', 'Listener l [1]'],
    ],
    [
      'a DiscoveryResponse',
      { version_info: '1', resources: [cluster] },
      {},
      'json discovery-response',
      ['Cluster a resources[0]'],
    ],
    [
      'a DiscoveryResponse whose elements do not say their type',
      { typeUrl: CDS.typeUrl, resources: [{ name: 'b' }] },
      {},
      'json discovery-response',
      ['Cluster b resources[0]'],
    ],
    [
      'a delta DiscoveryResponse',
      { systemVersionInfo: '1', resources: [{ name: 'a', version: '1', resource: cluster }] },
      {},
      'json discovery-response',
      ['Cluster a resources[0].resource'],
    ],
    [
      'resources in their wrapper',
      { resources: [{ '@type': url('envoy.service.discovery.v3.Resource'), name: 'a', resource: cluster }] },
      {},
      'json discovery-response',
      ['Cluster a resources[0].resource'],
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
      {},
      'json config-dump',
      [
        'Cluster only here configs[0].bootstrap.static_resources.clusters[1]',
        'Cluster a configs[1].static_clusters[0].cluster',
        'Listener l configs[2].dynamic_listeners[0].active_state.listener',
        'Listener l configs[2].dynamic_listeners[0].error_state.failed_configuration failed',
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
      {},
      'json config-dump',
      [
        'Cluster old configs[0].static_clusters[0].cluster',
        'Cluster v2 configs[0].static_clusters[1].cluster',
      ],
    ],
    [
      'a CSDS answer',
      {
        config: [
          { node: { id: 'n' }, generic_xds_configs: [{ type_url: CDS.typeUrl, xds_config: cluster }] },
        ],
      },
      {},
      'json client-status',
      ['Cluster a config[0].generic_xds_configs[0].xds_config'],
    ],
    [
      'a bootstrap',
      {
        node: { id: 'n' },
        static_resources: { clusters: [{ name: 'a' }], listeners: [{ name: 'l' }] },
        admin: {},
      },
      {},
      'json bootstrap',
      ['Cluster a static_resources.clusters[0]', 'Listener l static_resources.listeners[0]'],
    ],
    [
      'resources in a file of somebody’s own',
      { mine: { of: [cluster] }, other: 1 },
      {},
      'json other',
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
      {},
      'yaml resources',
      ['Cluster a documents[0]', 'Cluster b documents[1][0]', 'Cluster c documents[1][1]'],
    ],
    [
      'protobuf text',
      `# a comment\nversion_info: "1"\nresources { [${CDS.typeUrl}] { name: "a" connect_timeout { seconds: 1 } } }`,
      {},
      'text discovery-response',
      ['Cluster a resources[0]'],
    ],
    [
      'protobuf text that says what it is',
      '# proto-message: envoy.config.cluster.v3.Cluster\nname: "a" type: EDS\nconnect_timeout { nanos: 5 }',
      { format: 'text' },
      'text resource',
      ['Cluster a '],
    ],
  ])('%s', (_, content, hints, is, resources) => {
    expect(summary(read(content, hints))).toEqual({ is, resources });
  });

  it('binary protobuf, and keeps its bytes', () => {
    const unusual = Buffer.concat([clusterBytes, Buffer.from([0x98, 0x75, 1])]);
    const any = { '@type': CDS.typeUrl, 'xdscope.opaque': { valueBase64: unusual.toString('base64') } };
    const response = codec.encode(url('envoy.service.discovery.v3.DiscoveryResponse'), { resources: [any] });
    const result = read(response);
    expect(summary(result)).toEqual({
      is: 'protobuf discovery-response',
      resources: ['Cluster a resources[0]'],
    });
    expect(Buffer.from(result.resources[0]?.bytes ?? []).equals(unusual)).toBe(true);
    expect(summary(read(codec.encode(url('google.protobuf.Any'), any))).is).toBe('protobuf resource');
    expect(summary(read(unusual, { typeUrl: CDS.typeUrl }))).toEqual({
      is: 'protobuf resource',
      resources: ['Cluster a '],
    });
  });
});

describe("readInput takes Envoy's habits", () => {
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
    const { resources, problems } = read({ '@type': CDS.typeUrl, name: 'a', ...json });
    expect(problems).toEqual([]);
    const { json: decoded } = codec.decode(CDS.typeUrl, resources[0]?.bytes ?? new Uint8Array());
    expect(decoded).toEqual({ name: 'a', ...expected });
  });

  it('bytes in both alphabets of base64', () => {
    const typeUrl = url('google.protobuf.BytesValue');
    for (const value of ['-_8=', '-_8', '+/8=']) {
      const { resources } = read({ '@type': typeUrl, value });
      expect(Buffer.from(resources[0]?.bytes ?? []).toString('hex')).toBe('0a02fbff');
    }
  });

  it('integers beyond 2^53, written as numbers', () => {
    const typeUrl = url('google.protobuf.UInt64Value');
    const text = `{"@type": "${typeUrl}", "value": 18446744073709551615}`;
    for (const format of ['json', 'yaml'] as const) {
      const { resources } = read(text, { format });
      expect(codec.decode(typeUrl, resources[0]?.bytes ?? new Uint8Array()).json).toBe(
        '18446744073709551615',
      );
    }
  });
});

describe('readInput says what it left out', () => {
  it('with the place, and takes the rest', () => {
    const result = read({
      resources: [
        { ...cluster, nme: 1, lb_policy: 'FASTEST' },
        { '@type': url('acme.Thing'), x: 1 },
        { '@type': LDS.typeUrl, name: 'l', filterChains: [{ filters: [{ name: 5 }] }] },
        'text',
      ],
    });
    expect(summary(result)).toEqual({
      is: 'json discovery-response',
      resources: ['Cluster a resources[0]', 'Listener l resources[2]'],
      problems: [
        'resources[0].nme: Cluster has no field "nme"',
        expect.stringMatching(
          /^resources\[0\]\.lb_policy: expected one of LbPolicy \(ROUND_ROBIN, .*\), got "FASTEST"$/,
        ),
        `resources[1]: the type "${url('acme.Thing')}" is not in xdscope's protos`,
        'resources[2].filterChains[0].filters[0].name: expected text, got 5',
        'resources[3]: expected an object with "@type", got text of 4 characters',
      ],
    });
  });

  it.each<[string, string | Uint8Array, Omit<Input, 'content'>, RegExp]>([
    ['nothing', '', {}, /expected a document, got nothing/],
    ['one value', '5', {}, /one value alone/],
    ['broken JSON', '{"a": ', { format: 'json' }, /expected JSON, got no JSON/],
    ['broken YAML', 'a: [1', { format: 'yaml' }, /expected YAML, got no YAML/],
    ['YAML tags', 'a: !!binary aGk=', { format: 'yaml' }, /expected YAML without tags/],
    [
      'a YAML bomb',
      `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [${'*a,'.repeat(40)}]\nc: &c [${'*b,'.repeat(40)}]\nd: [${'*c,'.repeat(40)}]`,
      { format: 'yaml' },
      /more than 1000 uses of anchors/,
    ],
    ['no resources', '{"a": 1}', {}, /expected a document with resources in it, found none/],
    ['bytes of nothing', Buffer.from([0xff, 0xff, 0xff]), {}, /expected to be reported the type of 3 bytes/],
    ['bytes of another type', Buffer.from([0xff]), { typeUrl: CDS.typeUrl }, /not a valid Cluster/],
    ['deep nesting', '['.repeat(20_000), {}, /expected|nested/],
  ])('%s', (_, content, hints, reason) => {
    const { problems } = read(content, hints);
    expect(problems[0]?.reason).toMatch(reason);
  });

  it('never with text from the document', () => {
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
