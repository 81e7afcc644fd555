import fc from 'fast-check';

type Json = Readonly<Record<string, unknown>>;

const oneOf = fc.constantFrom;
const colors = ['blue', '1', 'b'];

const text: fc.Arbitrary<Json> = fc.oneof(
  ...['exact', 'prefix', 'suffix', 'contains'].map((kind) =>
    oneOf(...colors).map((value) => ({ [kind]: value })),
  ),
  oneOf('b.*', '\\d+').map((regex) => ({ safeRegex: { regex } })),
);
/** A header matcher whose result depends on the requests. */
export const header: fc.Arbitrary<Json> = fc
  .record({
    name: oneOf('x-color', 'x-version', ':method', ':path', ':authority'),
    rule: fc.oneof(
      text.map((stringMatch) => ({ stringMatch })),
      oneOf({ presentMatch: true }, { presentMatch: false }),
    ),
    invertMatch: fc.boolean(),
  })
  .map(({ name, rule, invertMatch }) => ({ name, ...rule, ...(invertMatch && { invertMatch }) }));
const pathText = oneOf(
  { prefix: '/shop' },
  { exact: '/shop/cart' },
  { suffix: 'cart' },
  { safeRegex: { regex: '/[a-z]+' } },
);
const ranges = oneOf(
  { addressPrefix: '127.0.0.0', prefixLen: 8 },
  { addressPrefix: '10.0.0.0', prefixLen: 8 },
  { addressPrefix: '127.0.0.1', prefixLen: 32 },
  { addressPrefix: '::1', prefixLen: 128 },
);

/** Permissions and principals, with sets and negations of each other up to a depth. */
function rules(
  kinds: readonly fc.Arbitrary<Json>[],
  and: string,
  or: string,
  not: string,
  list: string,
): fc.Arbitrary<Json> {
  const leaf = fc.oneof(...kinds);
  const set = (of: fc.Arbitrary<Json>) =>
    fc.array(of, { minLength: 1, maxLength: 3 }).map((each) => ({ [list]: each }));
  const inner = fc.oneof(
    { weight: 3, arbitrary: leaf },
    leaf.map((each) => ({ [not]: each })),
  );
  return fc.oneof(
    { weight: 4, arbitrary: leaf },
    set(inner).map((each) => ({ [and]: each })),
    set(inner).map((each) => ({ [or]: each })),
    inner.map((each) => ({ [not]: each })),
  );
}

const common = [
  fc.constant({ any: true }),
  header.map((each) => ({ header: each })),
  pathText.map((path) => ({ urlPath: { path } })),
];
const template = {
  name: 'template',
  typedConfig: {
    '@type': 'type.googleapis.com/envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig',
    pathTemplate: '/shop/*',
  },
};
const permission = rules(
  [
    ...common,
    ranges.map((destinationIp) => ({ destinationIp })),
    fc.constant({ destinationPort: 80 }),
    oneOf({ start: 1, end: 65_536 }, { start: 1, end: 1000 }).map((destinationPortRange) => ({
      destinationPortRange,
    })),
    oneOf('', 'shop.example').map((exact) => ({ requestedServerName: { exact } })),
    fc.constant({ uriTemplate: template }),
    fc.constant({ metadata: { filter: 'f', path: [{ key: 'k' }], value: { presentMatch: true } } }),
  ],
  ...(['andRules', 'orRules', 'notRule', 'rules'] as const),
);
const principal = rules(
  [
    ...common,
    ranges.map((directRemoteIp) => ({ directRemoteIp })),
    ranges.map((remoteIp) => ({ remoteIp })),
    fc.constant({ authenticated: {} }),
    fc.constant({ metadata: { filter: 'f', path: [{ key: 'k' }], value: { presentMatch: true } } }),
  ],
  ...(['andIds', 'orIds', 'notId', 'ids'] as const),
);

const policies = fc.record({
  action: oneOf('ALLOW', 'ALLOW', 'DENY', 'DENY', 'LOG'),
  policies: fc.dictionary(
    oneOf('a', 'b', 'c.d'),
    fc.record({
      permissions: fc.array(permission, { minLength: 1, maxLength: 2 }),
      principals: fc.array(principal, { minLength: 1, maxLength: 2 }),
    }),
    { maxKeys: 2 },
  ),
});
/** The config of an RBAC filter. */
export const rbac = fc.oneof(
  { weight: 6, arbitrary: policies.map((each): Json => ({ rules: each })) },
  { weight: 2, arbitrary: fc.record({ rules: policies, shadowRules: policies }) },
  { weight: 1, arbitrary: policies.map((shadowRules) => ({ shadowRules })) },
);
