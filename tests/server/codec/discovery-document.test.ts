import { describe, expect, test } from 'vitest';
import { CDS, SDS } from '@/lib/xds/resource-type';
import { createCodec } from '@/server/codec/codec';
import {
  type DocumentFormat,
  type DocumentResult,
  readDiscoveryDocument,
} from '@/server/codec/discovery-document';
import { decodeEnvelope } from '@/server/collect/xds/response/decode-response';

const cluster = CDS.typeUrl;

function read(text: string | object, format: DocumentFormat = 'json'): DocumentResult {
  const bytes = Buffer.from(typeof text === 'string' ? text : JSON.stringify(text));
  return readDiscoveryDocument({ bytes, format });
}

/** The properties of the message and the names of its resources. */
function summary(result: DocumentResult): unknown {
  if (result.kind === 'unreadable') return result;
  const decoded = decodeEnvelope(result.message);
  if (decoded.kind === 'unreadable') throw new Error(decoded.reason);
  const { typeUrl, versionInfo, nonce, controlPlane, resources } = decoded.envelope;
  const codec = createCodec({ redactionKey: new Uint8Array(32) });
  const names = [...resources].map(
    (any) => codec.nameOf(any.type_url ?? '', any.value ?? new Uint8Array(0)) ?? '?',
  );
  return { typeUrl, versionInfo, nonce, controlPlane, names };
}

describe('integers that a number would round', () => {
  const wrapper = 'type.googleapis.com/google.protobuf.UInt64Value';
  const struct = 'type.googleapis.com/google.protobuf.Struct';
  const bodyOf = (result: DocumentResult, typeUrl: string): unknown => {
    if (result.kind === 'unreadable') throw new Error(result.reason);
    const decoded = decodeEnvelope(result.message);
    if (decoded.kind === 'unreadable') throw new Error(decoded.reason);
    const [any] = [...decoded.envelope.resources];
    const codec = createCodec({ redactionKey: new Uint8Array(32) });
    return codec.decode(typeUrl, any?.value ?? new Uint8Array()).json;
  };

  test.each(['18446744073709551615', '9007199254740993', '9007199254740991', '1'])(
    '%s is kept exactly in JSON and YAML',
    (text) => {
      const json = `{"typeUrl":"${wrapper}","resources":[{"@type":"${wrapper}","value":${text}}]}`;
      expect(bodyOf(read(json), wrapper)).toBe(text);
      expect(bodyOf(read(json, 'yaml'), wrapper)).toBe(text);
      const yaml = `resources:\n- "@type": ${wrapper}\n  value: ${text}\n`;
      expect(bodyOf(read(yaml, 'yaml'), wrapper)).toBe(text);
    },
  );

  test('a number that lost digits is rejected with the reason', () => {
    for (const text of ['9007199254740993.0', '1.8446744073709551e19']) {
      const json = `{"resources":[{"@type":"${wrapper}","value":${text}}]}`;
      expect(read(json)).toMatchObject({
        unreadable: [{ reason: expect.stringContaining('a whole number (uint64), beyond 2^53 in quotes') }],
      });
    }
  });

  test('a large number in a Struct is rounded, and texts that look like one are unchanged', () => {
    const value = { '@type': struct, value: { count: 0, text: '1: 12345678901234567890, "', '0:5': '0:7' } };
    const json = JSON.stringify({ resources: [value] }).replace('"count":0', '"count": 12345678901234567890');
    expect(bodyOf(read(json), struct)).toEqual({ ...value.value, count: 12345678901234567000 });
  });
});

describe('a DiscoveryResponse as a document', () => {
  const expected = { typeUrl: cluster, versionInfo: '7', nonce: 'n', controlPlane: 'cp', names: ['a', 'b'] };

  test.each<[string, DocumentFormat, string]>([
    [
      'JSON in camelCase',
      'json',
      `{"versionInfo":"7","typeUrl":"${cluster}","nonce":"n","controlPlane":{"identifier":"cp"},
        "resources":[{"@type":"${cluster}","name":"a","connectTimeout":"1s"},{"@type":"${cluster}","name":"b"}]}`,
    ],
    [
      'JSON in snake_case',
      'json',
      `{"version_info":"7","type_url":"${cluster}","nonce":"n","control_plane":{"identifier":"cp"},
        "resources":[{"@type":"${cluster}","name":"a","connect_timeout":"1s"},{"@type":"${cluster}","name":"b"}]}`,
    ],
    [
      'YAML',
      'yaml',
      [
        'version_info: "7"',
        `type_url: ${cluster}`,
        'nonce: n',
        'control_plane: {identifier: cp}',
        'resources:',
        `- "@type": ${cluster}`,
        '  name: a',
        `- "@type": ${cluster}`,
        '  name: b',
      ].join('\n'),
    ],
    [
      'protobuf text',
      'text',
      `version_info: "7" type_url: "${cluster}" nonce: "n" control_plane { identifier: "cp" }
       resources { [${cluster}] { name: "a" } }
       resources { [${cluster}] { name: "b" } }`,
    ],
  ])('is read from %s', (_, format, text) => {
    const result = read(text, format);
    expect(summary(result)).toEqual(expected);
    expect(result).toMatchObject({ unreadable: [], notes: [] });
  });

  test('is kept unchanged in binary', () => {
    const json = read({ versionInfo: '7', typeUrl: cluster, resources: [{ '@type': cluster, name: 'a' }] });
    if (json.kind === 'unreadable') throw new Error(json.reason);
    const binary = readDiscoveryDocument({ bytes: json.message, format: 'binary' });
    expect(binary).toEqual({ kind: 'document', message: json.message, unreadable: [], notes: [] });
  });

  test('notes the places of unknown members, which are left out', () => {
    const result = read({ new_thing: 1, resources: [{ '@type': cluster, name: 'a', newer_thing: {} }] });
    expect(summary(result)).toMatchObject({ names: ['a'] });
    expect(result).toMatchObject({
      notes: [
        'new_thing: DiscoveryResponse has no field "new_thing"; left out',
        'resources[0] "a": newer_thing: Cluster has no field "newer_thing"; left out',
      ],
    });
  });

  test('reports a malformed resource in its place, and reads the others', () => {
    const result = read({
      resources: [
        { '@type': cluster, name: 'good' },
        { '@type': cluster, name: 'bad', connectTimeout: 5 },
        { '@type': 'type.googleapis.com/acme.Unknown', name: 'strange' },
        { name: 'untyped' },
        'text',
        { '@type': cluster, name: 'good too' },
      ],
    });
    expect(summary(result)).toMatchObject({ names: ['good', '?', '?', '?', '?', 'good too'] });
    expect(result).toMatchObject({
      unreadable: [
        {
          index: 1,
          name: 'bad',
          reason: 'connectTimeout: expected a duration such as "1.5s", got 5',
        },
        {
          index: 2,
          name: 'strange',
          reason: 'the type "type.googleapis.com/acme.Unknown" is not in xdscope\'s protos',
        },
        { index: 3, name: 'untyped', reason: 'expected an object with "@type", got one without' },
        { index: 4, name: null, reason: 'expected a resource, got text of 4 characters' },
      ],
    });
  });

  test('reports the line of a malformed resource in text format, and reads the others', () => {
    const text = [
      'version_info: "7" # { a comment',
      `resources { [${cluster}] { name: "good" alt_stat_name: "}" } }`,
      `resources: { [${cluster}] {`,
      '  name: "bad"',
      '  nonsense: 1',
      '} }',
      'resources { [type.googleapis.com/acme.Unknown] { name: "strange" } }',
      `resources < [${cluster}] { name: 'good too' } > nonce: "n"`,
    ].join('\n');
    const result = read(text, 'text');
    expect(summary(result), JSON.stringify(result)).toMatchObject({
      versionInfo: '7',
      nonce: 'n',
      names: ['good', '?', '?', 'good too'],
    });
    expect(result).toMatchObject({
      unreadable: [
        { index: 1, name: 'bad', reason: expect.stringMatching(/nonsense.*\(line 5\)/) },
        { index: 2, name: 'strange', reason: expect.stringContaining('acme.Unknown') },
      ],
    });
  });

  test.each([
    ['an envelope that is none', `nonsense: 1 resources { [${cluster}] { name: "a" } }`],
    ['braces that do not match', `resources { [${cluster}] { name: "a" }`],
    ['one too many', `resources { [${cluster}] { name: "a" } } }`],
  ])('in text format is rejected as a whole for %s', (_, text) => {
    expect(read(text, 'text')).toMatchObject({ kind: 'unreadable' });
  });

  test('accepts enums in any case, unknown fields as xdscope writes them, and v2 types at any depth', () => {
    const v2Tls = 'type.googleapis.com/envoy.api.v2.auth.UpstreamTlsContext';
    const unknown = [{ field: 9999, wireType: 'varint', value: '7' }];
    const result = read({
      resources: [
        { '@type': cluster, name: 'a', lbPolicy: 'round_robin', 'xdscope.unknown': unknown },
        {
          '@type': 'type.googleapis.com/envoy.api.v2.Cluster',
          name: 'b',
          transportSocket: { name: 'tls', typedConfig: { '@type': v2Tls, sni: 's' } },
        },
      ],
    });
    expect(summary(result), JSON.stringify(result)).toMatchObject({ names: ['a', 'b'] });
    expect(result).toMatchObject({ unreadable: [], notes: [] });
  });

  test('keeps given bytes of an unknown type', () => {
    const bytes = Buffer.from('\n\u0001a');
    const result = read({
      resources: [
        { type_url: 'type.googleapis.com/acme.Unknown', value: bytes.toString('base64') },
        {
          '@type': 'type.googleapis.com/acme.Unknown',
          'xdscope.opaque': { valueBase64: bytes.toString('base64') },
        },
      ],
    });
    if (result.kind === 'unreadable') throw new Error(result.reason);
    const decoded = decodeEnvelope(result.message);
    if (decoded.kind === 'unreadable') throw new Error(decoded.reason);
    const { resources } = decoded.envelope;
    expect([...resources].map(({ type_url, value = [] }) => [type_url, Buffer.from(value)])).toEqual([
      ['type.googleapis.com/acme.Unknown', bytes],
      ['type.googleapis.com/acme.Unknown', bytes],
    ]);
    expect(result.unreadable).toEqual([]);
  });

  test.each<[string, DocumentFormat, string, string]>([
    ['nothing', 'json', '', 'as JSON, got nothing: it is empty'],
    ['a web page', 'json', '<html>', 'as JSON, got 6 bytes: no JSON'],
    ['half of it', 'json', '{"versionInfo": "1"', 'as JSON, got 19 bytes: no JSON: it stops at position 19'],
    ['a list', 'json', '[]', 'as JSON, got []'],
    ['a version that is no text', 'json', '{"versionInfo": 5}', 'versionInfo: expected text, got 5'],
    ['resources that are no list', 'json', '{"resources": {}}', 'resources: expected a list, got {}'],
    [
      'YAML with wrong indentation',
      'yaml',
      'a: b\n c: d: e',
      'as YAML, got 13 bytes: no YAML: it stops at line 1, column 4',
    ],
    ['binary that is none', 'binary', '<html>', 'as binary protobuf, got 6 bytes: '],
    ['text of another type', 'text', 'name: "x"', "unknown field 'name'"],
  ])('rejects %s with the expected and the actual content', (_, format, text, reason) => {
    const result = read(text, format);
    expect(result.kind).toBe('unreadable');
    expect(result).toMatchObject({ reason: expect.stringContaining(reason) });
    expect(result).toMatchObject({ reason: expect.stringContaining('expected a DiscoveryResponse as ') });
  });

  test.each<[DocumentFormat, string]>([
    ['json', `{"resources": [{"@type": "${SDS.typeUrl}", "name": "s", "genericSecret": "hunter2"}]}`],
    [
      'json',
      `{"resources": [{"@type": "${SDS.typeUrl}", "name": "s", "genericSecret": {"secret": {"inlineString": ["hunter2"]}}}]}`,
    ],
    ['json', '{"resources": hunter2'],
    ['yaml', 'a: b\n hunter2: hunter2: x'],
    ['text', 'resources { "hunter2" }'],
  ])('never quotes an invalid value, which may be a secret (%s)', (format, text) => {
    const result = read(text, format);
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });

  test('is read in the worker if it is large', async () => {
    const codec = createCodec({ redactionKey: new Uint8Array(32), inPlaceBytes: 100 });
    const resources = Array.from({ length: 500 }, (_, n) => ({ '@type': cluster, name: `c${n}` }));
    const bytes = Buffer.from(JSON.stringify({ versionInfo: '1', resources }));
    const result = await codec.readDocument(bytes, 'json');
    expect(bytes.length).toBeGreaterThan(100);
    expect(summary(result)).toMatchObject({ names: resources.map(({ name }) => name) });
    await codec.close();
  });
});
