import fc from 'fast-check';
import { expression } from './draw-cel';
import { metadataMatcher } from './draw-metadata';
import { stringMatcher } from './draw-routes';

type Json = Readonly<Record<string, unknown>>;

const oneOf = fc.constantFrom;
const typed = (name: string, type: string, more: Json = {}): Json => ({
  name,
  typedConfig: { '@type': `type.googleapis.com/envoy.${type}`, ...more },
});
const headerInput = (headerName: string): Json =>
  typed('header', 'type.matcher.v3.HttpRequestHeaderMatchInput', { headerName });

/** In xds.type.matcher.v3 the engine is required. */
const valueMatch = stringMatcher.map((text) =>
  'safeRegex' in text ? { safeRegex: { ...(text.safeRegex as Json), googleRe2: {} } } : text,
);

const ofHeader: fc.Arbitrary<Json> = fc
  .record({ name: oneOf('x-color', 'x-color', 'X-Version', ':path', ':method'), valueMatch })
  .map(({ name, ...rest }) => ({ singlePredicate: { input: headerInput(name), ...rest } }));

const custom = (type: string, more: Json): Json => ({
  customMatch: typed('custom', `extensions.matching.input_matchers.${type}`, more),
});

/** The hash of a header decides, in place of a random number. */
const ofHash: fc.Arbitrary<Json> = fc
  .record({
    name: oneOf('x-color', 'X-Version', ':path', ':authority'),
    seed: oneOf(undefined, 7, '18446744073709551615'),
    matcher: oneOf<readonly [string, Json]>(
      ['consistent_hashing.v3.ConsistentHashing', { threshold: 50, modulo: 100 }],
      ['consistent_hashing.v3.ConsistentHashing', { threshold: 3, modulo: 7 }],
      ...['HUNDRED', 'TEN_THOUSAND', 'MILLION'].map((denominator): readonly [string, Json] => [
        'runtime_fraction.v3.RuntimeFraction',
        { runtimeFraction: { defaultValue: { numerator: 50, denominator } } },
      ]),
    ),
  })
  .map(({ name, seed, matcher: [type, fields] }) => ({
    singlePredicate: {
      input: headerInput(name),
      ...custom(type, { ...fields, ...(seed !== undefined && { seed }) }),
    },
  }));

const ofMetadata: fc.Arbitrary<Json> = fc
  .record({ matcher: metadataMatcher, isText: oneOf(false, false, false, true) })
  .map(({ matcher: { filter, path, value, invert }, isText }) => ({
    singlePredicate: {
      input: typed('metadata', 'extensions.matching.common_inputs.network.v3.DynamicMetadataInput', {
        filter,
        path,
      }),
      ...(isText
        ? { valueMatch: { exact: 'blue' } }
        : custom('metadata.v3.Metadata', { value, ...(invert === true && { invert }) })),
    },
  }));

const ofConnection: fc.Arbitrary<Json> = oneOf(
  { kind: 'network.v3.DirectSourceIPInput', valueMatch: { exact: '127.0.0.1' } },
  { kind: 'network.v3.SourceIPInput', valueMatch: { prefix: '10.' } },
  { kind: 'network.v3.DestinationIPInput', valueMatch: { exact: '127.0.0.1' } },
  { kind: 'network.v3.ServerNameInput', valueMatch: { exact: 'shop.example' } },
  { kind: 'ssl.v3.UriSanInput', valueMatch: { prefix: 'spiffe:' } },
  { kind: 'ssl.v3.DnsSanInput', valueMatch: { prefix: 'shop' } },
  { kind: 'ssl.v3.SubjectInput', valueMatch: { prefix: 'CN' } },
).map(({ kind, ...rest }) => ({
  singlePredicate: { input: typed('input', `extensions.matching.common_inputs.${kind}`), ...rest },
}));

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
    inputs === 'headers'
      ? fc.oneof({ weight: 3, arbitrary: ofHeader }, ofHash)
      : fc.oneof(ofHeader, ofHash, ofMetadata, ofConnection, ofExpression),
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
