import textformat from 'protobufjs/ext/textformat.js';
import { describe, expect, it } from 'vitest';
import { encodeText } from '@/server/codec/input/encode-text';
import { findTypesOfText } from '@/server/codec/input/types-of-text';
import { messageType } from '@/server/codec/root';

const configDump = messageType('envoy.admin.v3.ConfigDump');
const response = messageType('envoy.service.discovery.v3.DiscoveryResponse');

/** A cluster that uses every form of the notation. */
const cluster = (index: number): string => `
  dynamic_active_clusters {
    version_info: "v${index}" # of { nobody
    cluster < [type.googleapis.com/envoy.config.cluster.v3.Cluster] {
      name: "cluster } ${index}" ' \\' and "more"'
      connect_timeout { seconds: 1, nanos: -0 };
      type: EDS
      metadata: { filter_metadata { key: "a" value { fields { key: "b", value: { number_value: -1.5e3 } } } } }
      load_assignment {
        cluster_name: "c"
        endpoints: [ { priority: 0 }, { priority: 1 lb_endpoints { endpoint { address { socket_address { address: "::1" port_value: 0x50 } } } } } ]
      }
    } >
    last_updated: { seconds: ${1_700_000_000 + index} }
  }`;
const dump = (clusters: number): string => `# a comment with "quotes' and {
configs: {
 [ type.googleapis.com/envoy.admin.v3.ClustersConfigDump ] { version_info: "7"${Array.from({ length: clusters }, (_, index) => cluster(index)).join('')} }
}
configs { type_url: "type.googleapis.com/google.protobuf.Empty" }
`;

describe('encodeText', () => {
  it('encodes a document in pieces as protobufjs encodes it at once', () => {
    const text = dump(1_000);
    expect(text.length).toBeGreaterThan(600_000);
    const whole = configDump.encode(textformat.fromText(configDump, text)).finish();
    expect(Buffer.from(encodeText(configDump, Buffer.from(text))).equals(whole)).toBe(true);
  });

  it('splits lists of messages, and keeps a long text whole', () => {
    const long = 'x'.repeat(140_000);
    const resources = Array.from(
      { length: 2 },
      (_, index) =>
        `{ [type.googleapis.com/envoy.config.cluster.v3.Cluster] { name: "${index}" alt_stat_name: '${long}' } }`,
    );
    const text = `version_info: "1"\nresources: [ ${resources.join(', ')} ]\nnonce: "2"`;
    const whole = response.encode(textformat.fromText(response, text)).finish();
    const pieces = encodeText(response, Buffer.from(text));
    expect(response.toObject(response.decode(pieces))).toEqual(response.toObject(response.decode(whole)));
  });

  it('reports the line or byte of an error, and quotes nothing of the document', () => {
    const at = (text: string): string => {
      try {
        encodeText(configDump, Buffer.from(text));
      } catch (error) {
        return String(error);
      }
      return '';
    };
    const good = dump(1_000);
    const lines = good.slice(0, good.indexOf('"v700"')).split('\n').length;
    expect(at(good.replace('version_info: "v700"', 'version: "s3cr3t"'))).toContain(
      `unknown field 'version' (line ${lines})`,
    );
    expect(at(good.slice(0, 400_000))).toMatch(/it ends in the middle/);
    expect(at(`${good}}`)).toMatch(/expected the name of a field, got something else/);
    expect(at(good.replace('envoy.admin.v3.ClustersConfigDump', 'acme.Unknown'))).toMatch(
      /acme\.Unknown" is not/,
    );
    expect(at(`configs {${'a {'.repeat(100_000)}`)).toMatch(
      /expected at most 200 levels of nesting, got at least 201/,
    );
  });

  it('finds the type by the comment, or by the first fields of the document', () => {
    const typeOf = (text: string) => findTypesOfText(Buffer.from(text))[0]?.name;
    expect(typeOf(dump(2))).toBe('ConfigDump');
    expect(typeOf('name: "a"\nvirtual_hosts { }')).toBe('RouteConfiguration');
    expect(typeOf('# proto-message: envoy.config.cluster.v3.Cluster\nname: "a"')).toBe('Cluster');
    expect(typeOf('word: 1')).toBeUndefined();
  });
});
