import fc from 'fast-check';
import { expression } from './draw-cel';
import { stringMatcher } from './draw-routes';

type Json = Readonly<Record<string, unknown>>;

const oneOf = fc.constantFrom;
const typed = (name: string, type: string, more: Json = {}): Json => ({
  name,
  typedConfig: { '@type': `type.googleapis.com/envoy.${type}`, ...more },
});
const headerInput = (headerName: string): Json =>
  typed('header', 'type.matcher.v3.HttpRequestHeaderMatchInput', { headerName });
const networkInput = (kind: string): Json =>
  typed('network', `extensions.matching.common_inputs.network.v3.${kind}`);

/** In xds.type.matcher.v3 the engine is required. */
const valueMatch = stringMatcher.map((text) =>
  'safeRegex' in text ? { safeRegex: { ...(text.safeRegex as Json), googleRe2: {} } } : text,
);

const ofHeader: fc.Arbitrary<Json> = fc
  .record({ name: oneOf('x-color', 'x-color', 'X-Version', ':path', ':method'), valueMatch })
  .map(({ name, ...rest }) => ({ singlePredicate: { input: headerInput(name), ...rest } }));

const ofConnection: fc.Arbitrary<Json> = oneOf(
  { kind: 'DirectSourceIPInput', valueMatch: { exact: '127.0.0.1' } },
  { kind: 'SourceIPInput', valueMatch: { prefix: '10.' } },
  { kind: 'DestinationIPInput', valueMatch: { exact: '127.0.0.1' } },
  { kind: 'ServerNameInput', valueMatch: { exact: 'shop.example' } },
).map(({ kind, ...rest }) => ({ singlePredicate: { input: networkInput(kind), ...rest } }));

const ofExpression: fc.Arbitrary<Json> = expression.map((expr) => ({
  singlePredicate: {
    input: {
      name: 'attributes',
      typedConfig: { '@type': 'type.googleapis.com/xds.type.matcher.v3.HttpAttributesCelMatchInput' },
    },
    customMatch: {
      name: 'cel',
      typedConfig: {
        '@type': 'type.googleapis.com/xds.type.matcher.v3.CelMatcher',
        exprMatch: { celExprParsed: { expr } },
      },
    },
  },
}));

/** A virtual host can match by headers alone. */
function predicateOf(single: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc.oneof(
    { weight: 3, arbitrary: single },
    { weight: 1, arbitrary: single.map((notMatcher) => ({ notMatcher })) },
    ...['orMatcher', 'andMatcher'].map((kind) => ({
      weight: 1,
      arbitrary: fc
        .array(single, { minLength: 2, maxLength: 3 })
        .map((list) => ({ [kind]: { predicate: list } })),
    })),
  );
}

/** An xds.type.matcher.v3.Matcher with the actions, nested up to the depth. */
export function drawMatcher(
  action: fc.Arbitrary<Json>,
  depth: number,
  inputs: 'headers' | 'any',
): fc.Arbitrary<Json> {
  const predicate = predicateOf(
    inputs === 'headers' ? ofHeader : fc.oneof(ofHeader, ofConnection, ofExpression),
  );
  const ofAction = action.map((each) => ({ action: each }));
  const onMatch: fc.Arbitrary<Json> =
    depth === 0
      ? ofAction
      : fc.oneof(
          { weight: 3, arbitrary: ofAction },
          {
            weight: 1,
            arbitrary: drawMatcher(action, depth - 1, inputs).map((matcher) => ({ matcher })),
          },
        );
  const mapOf = (keys: readonly string[]) =>
    fc
      .subarray([...keys], { minLength: 1 })
      .chain((own) => fc.record(Object.fromEntries(own.map((key) => [key, onMatch]))))
      .map((map) => ({ map }));
  const kind = fc.oneof(
    mapOf(['blue', 'Blue', '1', 'a,b', 'true']).map((exactMatchMap) => ({
      matcherTree: { input: headerInput('x-color'), exactMatchMap },
    })),
    mapOf(['/', '/shop', '/shop/cart', '/a', '/x']).map((prefixMatchMap) => ({
      matcherTree: { input: headerInput(':path'), prefixMatchMap },
    })),
    fc.array(fc.record({ predicate, onMatch }), { minLength: 1, maxLength: 3 }).map((matchers) => ({
      matcherList: { matchers },
    })),
  );
  return fc
    .record({ own: kind, onNoMatch: fc.option(onMatch, { nil: undefined }) })
    .map(({ own, onNoMatch }) => ({ ...own, ...(onNoMatch && { onNoMatch }) }));
}
