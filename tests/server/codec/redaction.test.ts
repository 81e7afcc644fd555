import { describe, expect, it } from 'vitest';
import { createCodec } from '@/server/codec/codec';
import { isSecretName } from '@/server/codec/secret-name';

const codec = createCodec({ redactionKey: Buffer.from('key of the tests') });
const canary = 'CANARY-9f3b';
const prefix = 'type.googleapis.com/';
const tls = 'envoy.extensions.transport_sockets.tls.v3';

function take(type: string, json: unknown) {
  const bytes = codec.encode(`${prefix}${type}`, json);
  const taken = codec.sanitizeBody(`${prefix}${type}`, bytes);
  return { bytes, taken, json: codec.decode(taken.body.typeUrl, taken.body.bytes).json };
}

describe('sanitizeBody() redacts (see sensitive-fields.test.ts for every sensitive field)', () => {
  const cases: [string, string, unknown][] = [
    [
      'a private key provider of a known type',
      `${tls}.PrivateKeyProvider`,
      { typedConfig: { '@type': `${prefix}google.protobuf.StringValue`, value: canary } },
    ],
    [
      'a basic auth file inside the listener that carries it',
      'envoy.config.listener.v3.Listener',
      {
        name: 'l',
        apiListener: {
          apiListener: {
            '@type': `${prefix}envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager`,
            httpFilters: [
              {
                name: 'auth',
                typedConfig: {
                  '@type': `${prefix}envoy.extensions.filters.http.basic_auth.v3.BasicAuth`,
                  users: { inlineString: `user:${canary}` },
                },
              },
            ],
          },
        },
      },
    ],
    [
      'a TypedStruct that represents a known message',
      'envoy.config.core.v3.TypedExtensionConfig',
      {
        name: 'x',
        typedConfig: {
          '@type': `${prefix}xds.type.v3.TypedStruct`,
          typeUrl: `${prefix}envoy.extensions.filters.http.basic_auth.v3.BasicAuth`,
          value: { users: { inline_string: canary } },
        },
      },
    ],
    [
      'a Struct by the names of its keys, numbers included',
      'envoy.service.runtime.v3.Runtime',
      { name: 'r', layer: { a: { list: [{ db_password: canary }] }, apiKey: canary, secret: 990011223344 } },
    ],
    [
      'a header that carries a credential',
      'envoy.config.route.v3.VirtualHost',
      {
        name: 'v',
        domains: ['*'],
        requestHeadersToAdd: [{ header: { key: 'Authorization', value: `Bearer ${canary}` } }],
      },
    ],
  ];

  it.each(cases)('%s', (_, type, json) => {
    const { bytes, taken } = take(type, json);
    expect(Buffer.from(bytes).includes(canary)).toBe(true);
    expect(Buffer.from(taken.body.bytes).includes(canary)).toBe(false);
    expect(taken.redacted.length).toBeGreaterThan(0);
    const decoded = codec.decode(taken.body.typeUrl, taken.body.bytes);
    expect(decoded.opaque).toEqual([]);
    expect(JSON.stringify(decoded.json)).not.toContain('990011223344');
    expect(decoded.redacted.length).toBe(taken.redacted.length);
  });

  it('reports the path, and keeps everything else', () => {
    const { taken, json } = take(`${tls}.Secret`, {
      name: 's',
      tlsCertificate: { certificateChain: { inlineString: 'chain' }, privateKey: { inlineString: canary } },
    });
    expect(taken.redacted).toEqual(['tlsCertificate.privateKey.inlineString']);
    expect(json).toEqual({
      name: 's',
      tlsCertificate: {
        certificateChain: { inlineString: 'chain' },
        privateKey: { inlineString: expect.stringMatching(/^\[redacted hmac-sha256:[0-9a-f]{16}\]$/) },
      },
    });
  });

  it('is idempotent, and depends on the secret', () => {
    const once = take(`${tls}.Secret`, { name: 's', genericSecret: { secret: { inlineString: 'a' } } }).taken;
    const twice = codec.sanitizeBody(once.body.typeUrl, once.body.bytes);
    expect(twice.body.bytes).toBe(once.body.bytes);
    const other = take(`${tls}.Secret`, {
      name: 's',
      genericSecret: { secret: { inlineString: 'b' } },
    }).taken;
    expect(other.body.hash).not.toBe(once.body.hash);
  });
});

describe('sanitizeBody() keeps all other bytes', () => {
  it('returns the same array if nothing is secret', () => {
    const { bytes, taken } = take('envoy.config.endpoint.v3.ClusterLoadAssignment', { clusterName: 'c' });
    expect(taken.body.bytes).toBe(bytes);
  });

  it('keeps bytes that are no protobuf', () => {
    const bytes = Buffer.from([0xff, 0xff, 0xff]);
    expect(codec.sanitizeBody('envoy.config.cluster.v3.Cluster', bytes).body).toMatchObject({
      bytes,
      typeUrl: 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
    });
  });

  it('keeps unknown fields beside a redacted one byte for byte', () => {
    const secret = codec.encode(`${prefix}${tls}.Secret`, {
      genericSecret: { secret: { inlineString: canary } },
    });
    const unknownField = Buffer.from([0xfa, 0x3e, 0x03, 1, 2, 3]);
    const { body } = codec.sanitizeBody(
      `${prefix}${tls}.Secret`,
      Buffer.concat([unknownField, secret, unknownField]),
    );
    const stored = Buffer.from(body.bytes);
    expect(stored.subarray(0, 6)).toEqual(unknownField);
    expect(stored.subarray(-6)).toEqual(unknownField);
  });

  it('redacts a truncated message up to its end', () => {
    const whole = codec.encode(`${prefix}${tls}.Secret`, {
      name: 's',
      tlsCertificate: { privateKey: { inlineString: `${canary}-and-more` } },
    });
    const { body } = codec.sanitizeBody(`${prefix}${tls}.Secret`, whole.subarray(0, whole.length - 4));
    expect(Buffer.from(body.bytes).includes(canary)).toBe(false);
  });

  it('masks the text of a private key in a message of an unknown type', () => {
    const pem = '-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END RSA PRIVATE KEY-----\nafter';
    const { body, redacted } = codec.sanitizeBody('type.googleapis.com/acme.Unknown', Buffer.from(pem));
    expect(Buffer.from(body.bytes).toString()).toBe(
      '-----BEGIN RSA PRIVATE KEY-----\n*******\n-----END RSA PRIVATE KEY-----\nafter',
    );
    expect(redacted).toEqual(['(text of an unknown type)']);
  });
});

describe('redactNode', () => {
  it('recognises secrets by the names of keys', () => {
    expect(
      codec.redactNode({ metadata: { region: 'eu', API_TOKEN: canary, deep: [{ password: 5 }] } }),
    ).toEqual({
      metadata: {
        region: 'eu',
        API_TOKEN: expect.stringContaining('[redacted'),
        deep: [{ password: expect.stringContaining('[redacted') }],
      },
    });
  });
});

describe('isSecretName', () => {
  it.each([
    'private_key',
    'privateKey',
    'PASSWORD',
    'x-api-key',
    'secret_access_key',
    'token',
    'privateKeyPem',
  ])('%s is', (name) => expect(isSecretName(name)).toBe(true));
  it.each(['token_bucket', 'tokenEndpoint', 'secret_name', 'key', 'monkey', 'max_tokens', 'cookie_name', ''])(
    '%s is not',
    (name) => expect(isSecretName(name)).toBe(false),
  );
});
