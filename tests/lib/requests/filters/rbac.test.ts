import { describe, expect, it } from 'vitest';
import { decideRbac } from '@/lib/requests/filters/rbac';
import { type FilterCase, filterRequest, resultOf } from './filter-requests';

const any = { any: true };

function rules(action: string, policies: object): object {
  return { rules: { action, policies } };
}

/** A policy that allows what one permission and one principal match. */
function allow(permission: object, principal: object = any): object {
  return rules('ALLOW', { p: { permissions: [permission], principals: [principal] } });
}

const all = { p: { permissions: [any], principals: [any] } };
const header = (exact: string, more: object = {}) => ({
  header: { name: 'x', stringMatch: { exact }, ...more },
});
const path = (matcher: object) => ({ urlPath: { path: matcher } });
const cidr = (addressPrefix: string, prefixLen: number) => ({ addressPrefix, prefixLen });
const metadata = { metadata: { filter: 'f', path: [{ key: 'k' }], value: { presentMatch: true } } };
const template = {
  uriTemplate: {
    name: 't',
    typedConfig: {
      '@type': 'type.googleapis.com/envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig',
      pathTemplate: '/cart/*',
    },
  },
};
const from = (sourceAddress: string) => ({ connection: { sourceAddress } });
const secure = (serverName?: string): FilterCase => ({
  connection: { isTls: true, ...(serverName && { serverName }) },
});

type Row = readonly [config: object, of: FilterCase, expected: string];

const x = (value: string): FilterCase => ({ headers: [`x: ${value}`] });
const at = (line: string): FilterCase => ({ line });
const set = (n: Readonly<Record<string, unknown>>): FilterCase => ({
  metadata: { known: { n }, doubts: [] },
});
const inMetadata = (value: object, more: object = {}) => ({
  metadata: { filter: 'n', path: [{ key: 'k' }], value, ...more },
});
const typed = (type: string, more: object) => ({
  name: 'any',
  typedConfig: { '@type': `type.googleapis.com/envoy.${type}`, ...more },
});
const ofRoute = (more: object) =>
  allow({
    sourcedMetadata: {
      metadataMatcher: inMetadata({ boolMatch: true }, more).metadata,
      metadataSource: 'ROUTE',
    },
  });
/** A matcher with the action for each value of the header x. */
const byColor = (actions: Readonly<Record<string, string | undefined>>) => ({
  matcher: {
    matcherTree: {
      input: typed('type.matcher.v3.HttpRequestHeaderMatchInput', { headerName: 'x' }),
      exactMatchMap: {
        map: Object.fromEntries(
          Object.entries(actions).map(([value, action]) => [
            value,
            { action: typed('config.rbac.v3.Action', { name: value, ...(action && { action }) }) },
          ]),
        ),
      },
    },
  },
});

const groups: readonly [sentence: string, rows: readonly Row[]][] = [
  [
    'ALLOW: allows the request if and only if there is a policy that matches the request',
    [
      [rules('ALLOW', all), {}, 'passes'],
      [rules('ALLOW', {}), {}, '403'],
      [allow(header('a')), x('a'), 'passes'],
      [allow(header('a')), x('b'), '403'],
      [{ rules: {} }, {}, '403'],
      [{ rules: { policies: all } }, {}, 'passes'],
    ],
  ],
  [
    'DENY: allows the request if and only if there are no policies that match the request',
    [
      [rules('DENY', all), {}, '403'],
      [rules('DENY', {}), {}, 'passes'],
      [rules('DENY', { p: { permissions: [header('a')], principals: [any] } }), x('b'), 'passes'],
      [rules('DENY', { p: { permissions: [header('a')], principals: [any] } }), x('a'), '403'],
    ],
  ],
  [
    'LOG: allows all requests',
    [
      [rules('LOG', all), {}, 'passes'],
      [rules('LOG', {}), {}, 'passes'],
    ],
  ],
  [
    'rules: if absent, no enforcing RBAC policy will be applied; shadow rules are not enforced by the filter',
    [
      [{}, {}, 'passes'],
      [{ shadowRules: { action: 'DENY', policies: all } }, {}, 'passes'],
      [{ ...rules('DENY', all), shadowRules: { policies: all } }, {}, '403'],
    ],
  ],
  [
    'if both rules and matcher are configured, rules will be ignored',
    [
      [{ matcher: {} }, {}, '403'],
      [{ ...rules('ALLOW', all), matcher: {} }, {}, '403'],
      [{ ...rules('ALLOW', all), shadowMatcher: {} }, {}, 'passes'],
    ],
  ],
  [
    'a policy matches if and only if at least one of its permissions match AND at least one of its principals match AND the condition is true',
    [
      [
        rules('ALLOW', { p: { permissions: [header('a'), header('b')], principals: [any] } }),
        x('b'),
        'passes',
      ],
      [
        rules('ALLOW', { p: { permissions: [any], principals: [header('a'), header('b')] } }),
        x('b'),
        'passes',
      ],
      [rules('ALLOW', { p: { permissions: [any], principals: [header('a')] } }), x('b'), '403'],
      [rules('ALLOW', { p: { permissions: [header('a')], principals: [any] } }), x('b'), '403'],
      [rules('ALLOW', { p: { ...all.p, condition: {} } }), {}, 'depends 403'],
      [
        rules('ALLOW', { p: { permissions: [header('a')], principals: [any], condition: {} } }),
        x('b'),
        '403',
      ],
      [rules('ALLOW', { p: { permissions: [header('a')], principals: [any] }, q: all.p }), x('b'), 'passes'],
    ],
  ],
  [
    'and_rules: a set of rules that all must match; or_rules: at least one must match',
    [
      [allow({ andRules: { rules: [any, header('a')] } }), x('a'), 'passes'],
      [allow({ andRules: { rules: [any, header('a')] } }), x('b'), '403'],
      [allow({ orRules: { rules: [header('a'), header('b')] } }), x('b'), 'passes'],
      [allow({ orRules: { rules: [header('a'), header('b')] } }), x('c'), '403'],
      [allow(any, { andIds: { ids: [any, header('a')] } }), x('b'), '403'],
      [allow(any, { orIds: { ids: [header('b'), header('a')] } }), x('a'), 'passes'],
    ],
  ],
  [
    'not_rule: if its value would match, this permission would not match, and conversely',
    [
      [allow({ notRule: header('a') }), x('a'), '403'],
      [allow({ notRule: header('a') }), x('b'), 'passes'],
      [allow({ notRule: header('a') }), {}, 'passes'],
      [allow(any, { notId: header('a') }), x('a'), '403'],
      [allow(any, { notId: { notId: header('a') } }), x('a'), 'passes'],
      [allow({ notRule: metadata }), {}, 'depends 403'],
    ],
  ],
  [
    'header: the pseudo-header :path includes the query; url_path matches the path without the query',
    [
      [allow({ header: { name: ':path', stringMatch: { exact: '/a?b' } } }), at('GET h/a?b'), 'passes'],
      [allow({ header: { name: ':path', stringMatch: { exact: '/a' } } }), at('GET h/a?b'), '403'],
      [allow({ header: { name: ':method', stringMatch: { exact: 'PUT' } } }), at('PUT h/a'), 'passes'],
      [allow(path({ exact: '/a' })), at('GET h/a?b'), 'passes'],
      [allow(path({ prefix: '/a' })), at('GET h/ab'), 'passes'],
      [allow(path({ suffix: 'b' })), at('GET h/a?b'), '403'],
      [allow(any, path({ safeRegex: { regex: '/[a-z]' } })), at('GET h/a'), 'passes'],
      [allow(any, path({ safeRegex: { regex: '/[a-z]' } })), at('GET h/ab'), '403'],
      [allow(header('a', { invertMatch: true })), x('b'), 'passes'],
      [allow(template), at('GET h/cart/1?q'), 'passes'],
      [allow(template), at('GET h/cart/1/2'), '403'],
    ],
  ],
  [
    'destination_ip: a CIDR block that describes the destination IP; destination_port_range includes its start, not its end',
    [
      [allow({ destinationIp: cidr('10.0.0.0', 8) }), {}, 'passes'],
      [allow({ destinationIp: cidr('10.0.0.2', 32) }), {}, '403'],
      [allow({ destinationIp: cidr('::', 0) }), {}, '403'],
      [allow({ destinationPort: 80 }), {}, 'passes'],
      [allow({ destinationPort: 81 }), {}, '403'],
      [allow({ destinationPort: 81 }), { connection: { destinationPort: 81 } }, 'passes'],
      [allow({ destinationPortRange: { start: 80, end: 81 } }), {}, 'passes'],
      [allow({ destinationPortRange: { start: 79, end: 80 } }), {}, '403'],
    ],
  ],
  [
    'requested_server_name: the request server from the connection, typically TLS SNI',
    [
      [allow({ requestedServerName: { exact: 'a.b' } }), secure('a.b'), 'passes'],
      [allow({ requestedServerName: { suffix: '.c' } }), secure('a.b'), '403'],
      [allow({ requestedServerName: { exact: 'shop.example' } }), secure(), 'passes'],
      [allow({ requestedServerName: { exact: 'shop.example' } }), {}, '403'],
      [allow({ requestedServerName: { exact: '' } }), {}, 'passes'],
    ],
  ],
  [
    'direct_remote_ip: this is always the physical peer; remote_ip can be inferred from x-forwarded-for',
    [
      [allow(any, { directRemoteIp: cidr('1.2.0.0', 16) }), from('1.2.3.4'), 'passes'],
      [allow(any, { directRemoteIp: cidr('1.2.0.0', 16) }), from('1.3.3.4'), '403'],
      [allow(any, { directRemoteIp: cidr('1.2.0.0', 16) }), {}, 'depends 403'],
      [allow(any, { sourceIp: cidr('1.2.0.0', 16) }), from('1.2.3.4'), 'passes'],
      [allow(any, { remoteIp: cidr('1.2.0.0', 16) }), from('1.2.3.4'), 'passes'],
      [allow(any, { remoteIp: cidr('1.2.0.0', 16) }), {}, 'depends 403'],
      [
        allow(any, { remoteIp: cidr('5.0.0.0', 8) }),
        { ...from('1.2.3.4'), headers: ['x-forwarded-for: 4.0.0.1, 5.0.0.1'] },
        'passes',
      ],
      [
        allow(any, { remoteIp: cidr('5.0.0.0', 8) }),
        { headers: ['x-forwarded-for: 5.0.0.1'], manager: { xffNumTrustedHops: 1 } },
        'depends 403',
      ],
      [
        allow(any, { remoteIp: cidr('4.0.0.0', 8) }),
        { headers: ['x-forwarded-for: 4.0.0.1, 5.0.0.1'], manager: { xffNumTrustedHops: 1 } },
        'passes',
      ],
      [
        allow(any, { remoteIp: cidr('5.0.0.0', 8) }),
        { ...from('1.2.3.4'), headers: ['x-forwarded-for: 5.0.0.1'], manager: { useRemoteAddress: true } },
        '403',
      ],
      [
        allow(any, { remoteIp: cidr('5.0.0.0', 8) }),
        { headers: ['x-forwarded-for: 5.0.0.1'], manager: { useRemoteAddress: true, xffNumTrustedHops: 1 } },
        'passes',
      ],
      [
        allow(any, { remoteIp: cidr('5.0.0.0', 8) }),
        { manager: { originalIpDetectionExtensions: [{ name: 'e' }] } },
        'depends 403',
      ],
      [
        allow(any, { remoteIp: cidr('1.0.0.0', 8) }),
        { ...from('1.2.3.4'), headers: ['x-forwarded-for: bad'] },
        'passes',
      ],
    ],
  ],
  [
    'authenticated: attributes that identify the downstream; without TLS, none is authenticated',
    [
      [allow(any, { authenticated: {} }), {}, '403'],
      [allow(any, { authenticated: {} }), secure(), 'depends 403'],
      [allow(any, { notId: { authenticated: {} } }), {}, 'passes'],
      [
        rules('DENY', { p: { permissions: [any], principals: [{ authenticated: {} }] } }),
        secure(),
        'depends 403',
      ],
    ],
  ],
  [
    'what other filters or extensions decide is not guessed, unless another policy or condition decides',
    [
      [allow(metadata), {}, 'depends 403'],
      [allow(any, metadata), {}, 'depends 403'],
      [allow({ sourcedMetadata: { metadataMatcher: {} } }), {}, 'depends 403'],
      [allow({ matcher: { name: 'm' } }), {}, 'depends 403'],
      [allow(any, { filterState: {} }), {}, 'depends 403'],
      [allow(any, { custom: { name: 'c' } }), {}, 'depends 403'],
      [allow({ andRules: { rules: [metadata, header('a')] } }), x('b'), '403'],
      [allow({ orRules: { rules: [metadata, header('a')] } }), x('a'), 'passes'],
      [rules('ALLOW', { p: { permissions: [metadata], principals: [any] }, q: all.p }), {}, 'passes'],
      [rules('DENY', { p: { permissions: [metadata], principals: [any] }, q: all.p }), {}, '403'],
      [allow({ unknown: 1 }), {}, 'depends 403'],
    ],
  ],
  [
    'metadata: the value of the path must match, and does not if it is absent, unless invert is set',
    [
      [allow(inMetadata({ stringMatch: { exact: 'a' } })), set({ k: 'a' }), 'passes'],
      [allow(inMetadata({ stringMatch: { exact: 'a' } })), set({ k: 1 }), '403'],
      [allow(inMetadata({ stringMatch: { exact: 'a' } })), set({}), '403'],
      [allow(inMetadata({ stringMatch: { exact: 'a' } }, { invert: true })), set({}), 'passes'],
      [allow(inMetadata({ presentMatch: true })), set({ k: null }), 'passes'],
      [allow(inMetadata({ presentMatch: false })), set({}), '403'],
      [allow(inMetadata({ nullMatch: {} })), set({ k: null }), 'passes'],
      [allow(inMetadata({ boolMatch: true })), set({ k: true }), 'passes'],
      [allow(inMetadata({ doubleMatch: { range: { start: 0, end: 7 } } })), set({ k: 7 }), '403'],
      [
        allow(inMetadata({ listMatch: { oneOf: { doubleMatch: { exact: 2 } } } })),
        set({ k: [1, 2] }),
        'passes',
      ],
      [
        allow(inMetadata({ orMatch: { valueMatchers: [{ boolMatch: true }, { nullMatch: {} }] } })),
        set({ k: 1 }),
        '403',
      ],
      [
        allow(inMetadata({ nullMatch: {} })),
        { metadata: { known: {}, doubts: [{ namespace: 'n', reason: 'a filter can set it' }] } },
        'depends 403',
      ],
      [allow(inMetadata({ nullMatch: {} })), { client: 'go' }, 'PERMISSION_DENIED'],
      [allow(inMetadata({ nullMatch: {} }, { invert: true })), { client: 'go' }, 'passes'],
      [
        allow({
          sourcedMetadata: {
            metadataMatcher: inMetadata({ boolMatch: true }).metadata,
            metadataSource: 'ROUTE',
          },
        }),
        { owners: [{ match: {}, metadata: { filterMetadata: { n: { k: true } } } }] },
        'passes',
      ],
    ],
  ],
  [
    'metadata of the route: an inverted matcher does not hold without a route',
    [
      [ofRoute({ invert: true }), { owners: [] }, '403'],
      [ofRoute({ invert: true }), { owners: [{ match: {} }] }, 'passes'],
    ],
  ],
  [
    'matcher: the action of the match decides, and requests without a match are denied',
    [
      [byColor({ blue: 'ALLOW', red: 'DENY', grey: 'LOG' }), x('blue'), 'passes'],
      [byColor({ blue: 'ALLOW', red: 'DENY', grey: 'LOG' }), x('red'), '403'],
      [byColor({ blue: 'ALLOW', red: 'DENY', grey: 'LOG' }), x('grey'), 'passes'],
      [byColor({ blue: 'ALLOW', red: 'DENY', grey: 'LOG' }), x('white'), '403'],
      [byColor({ blue: undefined }), x('blue'), 'passes'],
      [{ shadowMatcher: byColor({ blue: 'DENY' }).matcher }, x('blue'), 'passes'],
      [{ matcher: { matcherTree: { input: { name: 'other' } } } }, {}, 'depends 403'],
    ],
  ],
];

describe('an RBAC filter', () => {
  for (const [sentence, rows] of groups)
    it.each(rows)(`${sentence}: %j, %j`, (config, of, expected) => {
      expect(resultOf(decideRbac, { ...of, config })).toBe(expected);
    });

  it('is replaced by the config of the route: if absent, the global RBAC policy will be disabled for this route', () => {
    const config = rules('DENY', all);
    expect(resultOf(decideRbac, { config, overrides: [{ rbac: rules('ALLOW', all) }] })).toBe('passes');
    expect(resultOf(decideRbac, { config, overrides: [{}] })).toBe('passes');
    expect(resultOf(decideRbac, { config, overrides: [{ rbac: config }, {}] })).toBe('403');
  });

  it('names the policy that decides: policies are evaluated in lexicographic order of the policy name', () => {
    const policies = { z: all.p, b: all.p, a: { permissions: [header('a')], principals: [any] } };
    const reasonOf = (action: string, of: FilterCase = {}) =>
      decideRbac(filterRequest({ ...of, config: rules(action, policies) })).reason;
    expect(reasonOf('ALLOW')).toBe('policy "b" allows it');
    expect(reasonOf('DENY', x('a'))).toBe('policy "a" denies it');
    expect(reasonOf('LOG')).toBe('it denies no request (action LOG), and policy "b" matches');
  });

  it('states why no policy matches, and what the shadow rules would do', () => {
    const config = { ...allow(header('a')), shadowRules: { action: 'DENY', policies: all } };
    expect(decideRbac(filterRequest({ config })).reason).toBe(
      'no policy allows it: policy "p": header x is absent, and its value must be "a"; shadow rules, which are not enforced: policy "p" denies it',
    );
  });

  it('of a gRPC server denies with PERMISSION_DENIED, and sees :path, the method POST and the authority (gRFC A41)', () => {
    const of = (config: object) =>
      resultOf(decideRbac, { config, client: 'go', line: 'POST shop/shop.Cart/Add' });
    expect(of(rules('ALLOW', {}))).toBe('PERMISSION_DENIED');
    expect(of(allow({ header: { name: ':path', stringMatch: { exact: '/shop.Cart/Add' } } }))).toBe('passes');
    expect(of(allow({ header: { name: ':method', stringMatch: { exact: 'POST' } } }))).toBe('passes');
    expect(of(allow({ header: { name: 'host', stringMatch: { exact: 'shop' } } }))).toBe('passes');
    expect(of(allow(path({ prefix: '/shop.Cart/' })))).toBe('passes');
    expect(of(allow(path({ prefix: '/shop.Other/' })))).toBe('PERMISSION_DENIED');
  });
});
