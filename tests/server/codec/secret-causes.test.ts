import { describe, expect, it } from 'vitest';
import { createCodec } from '@/server/codec/codec';
import { wireField } from '@/tests/support/builders/random-message';
import { plantCauses } from '@/tests/support/builders/secret-causes';
import { randomCanary } from '@/tests/support/builders/secret-kinds';

const codec = createCodec({ redactionKey: Buffer.from('tests') });
const url = (name: string): string => `type.googleapis.com/${name}`;
const any = (type: string, members: object): object => ({ '@type': url(type), ...members });
const extension = (config: object): object => ({ name: 'x', typedConfig: config });
const lua = 'envoy.extensions.filters.http.lua.v3.Lua';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const planted = plantCauses();

function stored(type: string, json: object): string {
  const { body } = codec.sanitizeBody(url(type), codec.encode(url(type), json));
  return Buffer.from(body.bytes).toString('latin1');
}

/** Places of a text in observations and resources. The result is what is stored. */
const positions: readonly (readonly [string, (text: string) => string])[] = [
  ['an error', (details) => codec.redactObservation({ details }).details],
  ['node metadata', (note) => JSON.stringify(codec.redactNode({ metadata: { a: [{ note }] } }))],
  ['a name', (name) => codec.redactObservation({ name }).name],
  [
    'Lua',
    (inlineCode) => stored('envoy.config.core.v3.TypedExtensionConfig', extension(any(lua, { inlineCode }))),
  ],
  [
    'Lua in bytes',
    (text) =>
      stored(
        'envoy.config.core.v3.TypedExtensionConfig',
        extension(any(lua, { defaultSourceCode: { inlineBytes: base64(text) } })),
      ),
  ],
  [
    'a TypedStruct',
    (text) =>
      stored(
        'envoy.config.core.v3.TypedExtensionConfig',
        extension(any('xds.type.v3.TypedStruct', { typeUrl: url('acme.Unknown'), value: { note: [text] } })),
      ),
  ],
  [
    'a message of an unknown type',
    (text) =>
      stored(
        'envoy.config.core.v3.TypedExtensionConfig',
        extension({
          '@type': url('acme.Unknown'),
          'xdscope.opaque': { valueBase64: wireField(1, 2, Buffer.from(text)).toString('base64') },
        }),
      ),
  ],
  ['the name of a cluster', (name) => stored('envoy.config.cluster.v3.Cluster', { name })],
  [
    'a header',
    (value) =>
      stored('envoy.config.route.v3.RouteConfiguration', {
        requestHeadersToAdd: [{ header: { key: 'x-note', value } }],
      }),
  ],
  [
    'a payload in hexadecimal',
    (text) =>
      Buffer.from(
        /[0-9a-f]{24,}/.exec(
          stored('envoy.config.core.v3.HealthCheck.Payload', { text: Buffer.from(text).toString('hex') }),
        )?.[0] ?? '',
        'hex',
      ).toString(),
  ],
];

describe('secrets by their cause', () => {
  it('at least 95 % of 500 kinds in 10 places are redacted', () => {
    expect(planted.length).toBeGreaterThanOrEqual(500);
    const leaks = planted.flatMap(({ kind, text, secret }) =>
      positions.flatMap(([position, put]) => (put(text).includes(secret) ? [`${kind} in ${position}`] : [])),
    );
    const tried = planted.length * positions.length;
    process.stdout.write(`causes: ${planted.length} kinds, ${tried} places, ${leaks.length} leaks\n`);
    if (process.env.SHOW_LEAKS) process.stdout.write(`${leaks.join('\n')}\n`);
    expect(leaks.length / tried, leaks.slice(0, 40).join('\n')).toBeLessThan(0.05);
  });

  it('so are two kinds that share a text', () => {
    const encoded = planted.filter(({ kind }) =>
      /escaped|entities|encoded|CDATA|^(?:client_secret|x-api-key) as/.test(kind),
    );
    expect(encoded.length).toBeGreaterThan(30);
    const leaks = encoded.flatMap((first) =>
      encoded.flatMap((second) => {
        const { details } = codec.redactObservation({ details: `${first.text}\n${second.text}` });
        return [first, second].some(({ secret }) => details.includes(secret))
          ? [`${first.kind} before ${second.kind}`]
          : [];
      }),
    );
    expect(leaks).toEqual([]);
  });

  const names = [
    'x-api-key',
    'Authorization',
    'X-Vault-Token',
    'x-functions-key',
    'cookie',
    'fastly-key',
    'api_key',
  ];
  const header = 'envoy.config.route.v3.HeaderMatcher';
  const typed: readonly (readonly [string, string, (name: string, secret: string) => object])[] = [
    ['an exact header', header, (name, secret) => ({ name, stringMatch: { exact: secret } })],
    ['an exact header of old', header, (name, exactMatch) => ({ name, exactMatch })],
    [
      'a header by its prefix',
      header,
      (name, prefix) => ({ name, stringMatch: { prefix: `Bearer ${prefix}` } }),
    ],
    [
      'a parameter',
      'envoy.config.route.v3.QueryParameterMatcher',
      (name, secret) => ({ name, stringMatch: { exact: secret } }),
    ],
    [
      'RBAC',
      'envoy.config.rbac.v3.Principal',
      (name, exact) => ({ header: { name, stringMatch: { exact } } }),
    ],
    [
      'a permission',
      'envoy.config.rbac.v3.Permission',
      (name, exact) => ({ header: { name, stringMatch: { exact } } }),
    ],
    ['a header to add', 'envoy.config.core.v3.HeaderValue', (key, value) => ({ key, value })],
    ['a custom tag', 'envoy.type.tracing.v3.CustomTag', (tag, value) => ({ tag, literal: { value } })],
    ['a Struct', 'google.protobuf.Struct', (name, value) => ({ env: [{ name, value }] })],
    [
      'a Struct of OpenTelemetry',
      'google.protobuf.Struct',
      (key, v) => ({ attributes: [{ key, value: { stringValue: v } }] }),
    ],
    ['a map below', 'google.protobuf.Struct', (name, value) => ({ [name]: { alice: value } })],
  ];

  it.each(typed)('and in %s', (_, type, put) => {
    for (const name of names) {
      const secret = randomCanary();
      expect(stored(type, put(name, secret)), name).not.toContain(secret);
    }
  });

  it('a regular expression, a scheme and a plain header remain', () => {
    const kept = [
      { name: 'authorization', stringMatch: { prefix: 'Bearer ' } },
      { name: 'authorization', stringMatch: { safeRegex: { regex: 'Bearer .*' } } },
      { name: 'x-tenant', stringMatch: { exact: 'blue-2f3a4b5c' } },
    ];
    for (const matcher of kept) expect(stored(header, matcher)).not.toContain('[redacted');
  });
});
