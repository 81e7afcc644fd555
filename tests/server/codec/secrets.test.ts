import { describe, expect, it } from 'vitest';
import { createCodec } from '@/server/codec/codec';
import { maskInPlace } from '@/server/codec/secrets/mask-in-place';
import { redactText, valueRules } from '@/server/codec/secrets/redact-text';
import { mayHoldSecretValue } from '@/server/codec/secrets/trigger-scan';
import { partCount } from '@/tests/support/builders/hostile-config';
import { hostilePieces } from '@/tests/support/builders/hostile-pieces';
import { wireField } from '@/tests/support/builders/random-message';
import { plantSecrets } from '@/tests/support/builders/secret-kinds';

const marker = '[redacted hmac-sha256:0123456789abcdef]';
const mark = (): string => marker;
const redact = (text: string): string => redactText(text, mark);
const planted = plantSecrets();
const cases = planted.map((each) => [each.kind, each] as const);

describe('redactText', () => {
  it('is tested with at least 150 kinds of secrets', () =>
    expect(planted.length).toBeGreaterThanOrEqual(150));

  it.each(cases)('masks the secret part: %s', (_, { text, secret }) => {
    expect(text).toContain(secret);
    const redacted = redact(text);
    expect(redacted).not.toContain(secret);
    expect(redacted).toContain(marker);
    // Masked text is not masked again.
    expect(redact(redacted)).toBe(redacted);
  });

  it.each(cases)('at any place in a text: %s', (_, { text, secret }) => {
    for (const around of [
      (one: string) => `${'x'.repeat(101)} \n${one}`,
      (one: string) => `αβγ ${one}\n${'ä'.repeat(30)}`,
    ])
      expect(redact(around(text))).not.toContain(secret);
  });

  it.each(cases)('in an error that quotes it once or twice: %s', (_, { text, secret }) => {
    const once = `no client has the id ${JSON.stringify(text)}`;
    for (const quoted of [once, `${JSON.stringify(once)}, at last`]) {
      expect(redact(quoted)).not.toContain(secret);
      expect(redact(redact(quoted))).toBe(redact(quoted));
    }
  });

  it.each(cases)('between quotation marks: %s', (_, { text, secret }) => {
    expect(redact(`the type "${text}" is not known`)).not.toContain(secret);
  });

  it.each(cases)('at an odd and an even place of a buffer: %s', (_, { text }) => {
    for (const before of ['', 'a', '\u0001', '\u0001\u0002']) {
      expect(mayHoldSecretValue(Buffer.from(`${before}${text}`)), before).toBe(true);
    }
  });

  it.each([
    ['the name of a secret', 'secretName: istio-ca-secret'],
    ['a secret of SDS', 'secret: kubernetes://default/gateway-cert'],
    ['a secret that is not found', "SDS: secret 'default' not found"],
    ['a secret in a sentence', 'unknown secret: default'],
    ['a path', 'path: /v1/token'],
    ['a file of a token', 'token: /var/run/secrets/tokens/istio-token'],
    ['a cluster', 'outbound|443||token.secret-service.svc.cluster.local'],
    ['a port behind a name', 'auth/token:8080'],
    ['a token bucket', 'token_bucket: {max_tokens: 100, tokens_per_fill: 10}'],
    ['a syntax error', 'unexpected token: foo'],
    ['Bearer as a word', 'Bearer token is missing'],
    ['Basic as a word', 'Basic authentication is off'],
    ['a token type', 'token_type=bearer'],
    ['an address without userinfo', 'https://host.example:8443/a@b?page=2'],
    ['the user git', 'ssh://git@github.com/x'],
    ['a SPIFFE id', 'spiffe://cluster.local/ns/default/sa/token-reader'],
    [
      'an xdstp name',
      'xdstp://authority/envoy.config.cluster.v3.Cluster/secret?token_kind=a'.replace('token_kind', 'kind'),
    ],
    ['a UUID', 'nonce 3f2504e0-4f89-11d3-9a0c-0305e82c3301'],
    ['a digest', 'version sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    ['a public JWK', '{"kty":"RSA","n":"abcdefghijklmnop","e":"AQAB","kid":"d","use":"sig"}'],
    ['a certificate', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----'],
    ['Lua', 'local token = request_handle:headers():get("authorization")\nif token == nil then return end'],
    ['a format of Envoy', 'authorization: %REQ(AUTHORIZATION)%'],
    ['a variable', `password=$${'{DB_PASSWORD}'} token: $TOKEN secret={{ .Values.secret }}`],
    ['nothing', 'password=, token: null, "secret": "", api_key = nil'],
    ['what Envoy masked', '"password": "[redacted]"'],
    ['a regular expression', '(?:access_)?tokens?'],
    ['RBAC', 'authorization: denied by policy'],
    ['an object', '"secret": {"name": "default", "sdsConfig": {"ads": {}}}'],
    ['a type of a message', 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret'],
    ['a version', 'app/secrets:v1.2.3'],
    ['a name of several words', '"auth": "theServiceAccountOfTheIngressGateway"'],
  ])('leaves alone %s', (_, text) => expect(redact(text)).toBe(text));

  it('returns the same text if nothing is secret', () => {
    const text = 'a plain text of a cluster';
    expect(redact(text)).toBe(text);
  });

  it('masks base64 that has no digit by chance', () => {
    const secret = 'NmYwMDRiMjlkYzMzOGZjYWIwZTZiNmZiZWZlNmUyMTdhNmFjYTEyYSE/'.replace(/\d/g, 'Q');
    expect(secret).not.toMatch(/\d/);
    expect(redact(`{"auths":{"registry":{"auth":"${secret}"}}}`)).not.toContain(secret);
  });

  it('passes only the secret to the marker', () => {
    const secrets: string[] = [];
    redactText('postgres://db/x?user=a&password=one-2&x=1 token: two-3 (Bearer three-4)', (secret) => {
      secrets.push(secret);
      return marker;
    });
    expect(secrets.sort()).toEqual(['one-2', 'three-4', 'two-3']);
  });
});

describe('a text of a megabyte', () => {
  const repeat = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length));

  it.each(valueRules.map(({ name, mask }) => [name, mask] as const))(
    'applies every rule to hostile text in linear time: %s',
    (_, mask) => {
      // With quadratic time one text of this length exceeds the time limit of the test.
      for (const piece of hostilePieces) mask(repeat(piece, 250_000), mark);
    },
  );

  it.each(hostilePieces.filter((_, index) => index % 6 === 0))(
    'and by all rules together, of %j',
    (piece) => {
      expect(redact(`password=a ${repeat(piece, 1_000_000)}`)).not.toContain('password=a ');
    },
  );
});

describe('maskInPlace', () => {
  it.each(cases)('keeps the length: %s', (_, { text, secret }) => {
    const inner = Buffer.from(text);
    const message = Buffer.concat([
      wireField(7, 2, wireField(1, 2, inner)),
      wireField(9, 0, Buffer.from([5])),
    ]);
    for (const bytes of [inner, message, Buffer.concat([Buffer.from([0xff, 0xff, 0x00]), inner])]) {
      const masked = maskInPlace(bytes, mark);
      expect(masked.length).toBe(bytes.length);
      expect(Buffer.from(masked).includes(secret)).toBe(false);
      expect(maskInPlace(masked, mark)).toEqual(masked);
    }
  });
});

describe('sanitizeBody masks by value', () => {
  it.each(cases)('in the URL of an unknown type: %s', (_, { text, secret }) => {
    const any = Buffer.concat([wireField(1, 2, Buffer.from(text)), wireField(2, 2, Buffer.from('x'))]);
    const bytes = wireField(2, 2, any);
    const { body } = codec.sanitizeBody(url('envoy.config.core.v3.TypedExtensionConfig'), bytes);
    expect(Buffer.from(body.bytes).toString()).not.toContain(secret);
    expect(codec.sanitizeBody(text, Buffer.alloc(0)).body.typeUrl).not.toContain(secret);
  });

  const codec = createCodec({ redactionKey: Buffer.from('tests') });
  const url = (name: string): string => `type.googleapis.com/${name}`;
  const any = (type: string, members: object): object => ({ '@type': url(type), ...members });
  const filter = (typedConfig: object): object => ({ name: 'f', typedConfig });
  const hcm = (config: object): object => ({
    name: 'l',
    apiListener: {
      apiListener: any('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', {
        httpFilters: [filter(config)],
      }),
    },
  });
  const places: [string, string, (text: string) => object][] = [
    ['a name', 'envoy.config.cluster.v3.Cluster', (text) => ({ name: text })],
    [
      'a StringValue',
      'envoy.config.core.v3.TypedExtensionConfig',
      (text) => ({ name: 'x', typedConfig: any('google.protobuf.StringValue', { value: text }) }),
    ],
    [
      'a BytesValue',
      'envoy.config.core.v3.TypedExtensionConfig',
      (text) => ({
        name: 'x',
        typedConfig: any('google.protobuf.BytesValue', { value: Buffer.from(text).toString('base64') }),
      }),
    ],
    [
      'a TypedStruct',
      'envoy.config.core.v3.TypedExtensionConfig',
      (text) => ({
        name: 'x',
        typedConfig: any('xds.type.v3.TypedStruct', {
          typeUrl: url('acme.Unknown'),
          value: { a: [{ b: text }] },
        }),
      }),
    ],
    [
      'a ListValue',
      'envoy.config.core.v3.TypedExtensionConfig',
      (text) => ({ name: 'x', typedConfig: any('google.protobuf.ListValue', { value: ['a', text] }) }),
    ],
    [
      'Lua',
      'envoy.config.listener.v3.Listener',
      (text) => hcm(any('envoy.extensions.filters.http.lua.v3.Lua', { inlineCode: text })),
    ],
    [
      'Lua as bytes',
      'envoy.config.listener.v3.Listener',
      (text) =>
        hcm(
          any('envoy.extensions.filters.http.lua.v3.Lua', {
            defaultSourceCode: { inlineBytes: Buffer.from(text).toString('base64') },
          }),
        ),
    ],
    [
      'an unknown type',
      'envoy.config.listener.v3.Listener',
      (text) =>
        hcm({
          '@type': url('acme.Unknown'),
          'xdscope.opaque': { valueBase64: wireField(1, 2, Buffer.from(text)).toString('base64') },
        }),
    ],
    [
      'metadata',
      'envoy.config.cluster.v3.Cluster',
      (text) => ({ name: 'c', metadata: { filterMetadata: { 'acme.x': { note: text } } } }),
    ],
    [
      'the payload of a health check',
      'envoy.config.cluster.v3.Cluster',
      (text) => ({
        name: 'c',
        healthChecks: [{ tcpHealthCheck: { send: { text: Buffer.from(text).toString('hex') } } }],
      }),
    ],
    [
      'the path of a health check',
      'envoy.config.cluster.v3.Cluster',
      (text) => ({ name: 'c', healthChecks: [{ httpHealthCheck: { path: text } }] }),
    ],
    [
      'a header',
      'envoy.config.route.v3.RouteConfiguration',
      (text) => ({ name: 'r', requestHeadersToAdd: [{ header: { key: 'x-note', value: text } }] }),
    ],
    [
      'a direct response',
      'envoy.config.route.v3.RouteConfiguration',
      (text) => ({
        name: 'r',
        virtualHosts: [
          {
            name: 'v',
            domains: ['*'],
            routes: [
              { match: { prefix: '/' }, directResponse: { status: 200, body: { inlineString: text } } },
            ],
          },
        ],
      }),
    ],
  ];

  // Each place has a part of the kinds, and another part than the place before; all of them in `npm run test:long`.
  it.each(places.map((place, index) => [...place, index] as const))('in %s', (_, type, put, index) => {
    for (const { kind, text, secret } of planted.filter((_each, at) => (at + index) % partCount === 0)) {
      const bytes = codec.encode(url(type), put(text));
      const { body, redacted } = codec.sanitizeBody(url(type), bytes);
      const stored = Buffer.from(body.bytes);
      expect(stored.includes(secret), kind).toBe(false);
      expect(stored.includes(Buffer.from(secret).toString('hex')), kind).toBe(false);
      expect(redacted.length, kind).toBeGreaterThan(0);
      // A strict decoder still accepts the bytes, and redaction is idempotent.
      expect(
        codec.decode(url(type), stored).opaque.filter(({ path }) => path === ''),
        kind,
      ).toEqual([]);
      expect(codec.sanitizeBody(url(type), stored).body.bytes, kind).toEqual(body.bytes);
    }
  });

  it('the same secret has the same marker in any context', () => {
    const markers = ['password=hunter2', 'a://x?y=1&password=hunter2&z=1', '{"password":"hunter2"}'].map(
      (name) => {
        const bytes = codec.encode(url('envoy.config.cluster.v3.Cluster'), { name });
        const { json } = codec.decode(
          'envoy.config.cluster.v3.Cluster',
          codec.sanitizeBody(url('envoy.config.cluster.v3.Cluster'), bytes).body.bytes,
        );
        return /\[redacted[^\]]*\]/.exec(JSON.stringify(json))?.[0];
      },
    );
    expect(new Set(markers).size).toBe(1);
  });
});
