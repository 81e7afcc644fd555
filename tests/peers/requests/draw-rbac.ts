import fc from 'fast-check';
import { expression } from './draw-cel';
import { drawMatcher } from './draw-matcher';
import { metadataMatcher, text } from './draw-metadata';

type Json = Readonly<Record<string, unknown>>;

const oneOf = fc.constantFrom;
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

const metadata: fc.Arbitrary<Json> = fc.oneof(
  metadataMatcher.map((each): Json => ({ metadata: each })),
  fc
    .record({ metadataMatcher, metadataSource: oneOf('DYNAMIC', 'ROUTE', 'ROUTE') })
    .map((sourcedMetadata) => ({ sourcedMetadata })),
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
const often = (rule: fc.Arbitrary<Json>): fc.Arbitrary<Json>[] => [rule, rule, rule];
const permission = rules(
  [
    ...common,
    // Rare rules are seen by few pairs unless they are drawn more often.
    ...often(ranges.map((destinationIp) => ({ destinationIp }))),
    ...often(fc.constant({ destinationPort: 80 })),
    ...often(
      oneOf({ start: 1, end: 65_536 }, { start: 1, end: 1000 }).map((destinationPortRange) => ({
        destinationPortRange,
      })),
    ),
    ...often(oneOf('', 'shop.example').map((exact) => ({ requestedServerName: { exact } }))),
    ...often(fc.constant({ uriTemplate: template })),
    metadata,
    metadata,
  ],
  ...(['andRules', 'orRules', 'notRule', 'rules'] as const),
);
const principal = rules(
  [
    ...common,
    ranges.map((directRemoteIp) => ({ directRemoteIp })),
    ranges.map((remoteIp) => ({ remoteIp })),
    ...Array<fc.Arbitrary<Json>>(2).fill(fc.constant({ authenticated: {} })),
    metadata,
    metadata,
  ],
  ...(['andIds', 'orIds', 'notId', 'ids'] as const),
);

const policies = fc.record({
  action: oneOf('ALLOW', 'ALLOW', 'DENY', 'DENY', 'LOG'),
  policies: fc.dictionary(
    oneOf('a', 'b', 'c.d'),
    fc.record({
      permissions: fc.array(permission, { minLength: 1, maxLength: 3 }),
      principals: fc.array(principal, { minLength: 1, maxLength: 3 }),
      condition: fc.option(expression, { nil: undefined, freq: 2 }),
    }),
    { maxKeys: 2 },
  ),
});
const matcher = drawMatcher(
  fc.record({ name: oneOf('a', 'b'), action: oneOf('ALLOW', 'ALLOW', 'DENY', 'LOG') }).map((each) => ({
    name: 'action',
    typedConfig: { '@type': 'type.googleapis.com/envoy.config.rbac.v3.Action', ...each },
  })),
  1,
  'any',
);
/** The config of an RBAC filter. */
export const rbac = fc.oneof(
  { weight: 6, arbitrary: policies.map((each): Json => ({ rules: each })) },
  { weight: 2, arbitrary: fc.record({ rules: policies, shadowRules: policies }) },
  { weight: 1, arbitrary: policies.map((shadowRules) => ({ shadowRules })) },
  { weight: 4, arbitrary: matcher.map((each) => ({ matcher: each })) },
  { weight: 2, arbitrary: fc.record({ rules: policies, shadowMatcher: matcher }) },
);
