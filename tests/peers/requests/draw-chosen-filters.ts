import fc from 'fast-check';

type Json = Readonly<Record<string, unknown>>;

const oneOf = fc.constantFrom;
const types = 'type.googleapis.com/envoy.extensions.filters.http';
const common = 'type.googleapis.com/envoy.extensions.filters.common';
export const matching = 'type.googleapis.com/envoy.extensions.common.matching.v3.ExtensionWithMatcher';
/** A matcher that chooses one of the actions, or none, for each request. */
export const chooser = (actions: readonly Json[]): fc.Arbitrary<Json> =>
  fc
    .record({
      name: oneOf('x-color', 'x-version', ':path'),
      first: oneOf(...actions),
      second: oneOf(...actions, undefined),
      match: oneOf({ exact: 'blue' }, { prefix: '/shop' }, { contains: '1' }),
    })
    .map(({ name, first, second, match }) => {
      const input = {
        name: 'header',
        typedConfig: {
          '@type': 'type.googleapis.com/envoy.type.matcher.v3.HttpRequestHeaderMatchInput',
          headerName: name,
        },
      };
      const onMatch = (typedConfig: Json): Json => ({ action: { name: 'action', typedConfig } });
      const matcher = {
        predicate: { singlePredicate: { input, valueMatch: match } },
        onMatch: onMatch(first),
      };
      return {
        xdsMatcher: {
          matcherList: { matchers: [matcher] },
          ...(second && { onNoMatch: onMatch(second) }),
        },
      };
    });
export const skip = { '@type': `${common}.matcher.action.v3.SkipFilter` };
/** A filter that is skipped for some requests. */
export const withMatcher = (fault: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.record({ own: fault, matcher: chooser([skip]) }).map(({ own, matcher }) => ({
    ...matcher,
    extensionConfig: { name: 'matched', typedConfig: { '@type': `${types}.fault.v3.HTTPFault`, ...own } },
  }));
/** A composite filter, for which a matcher chooses one of two filters. */
export const composite = (fault: fc.Arbitrary<Json>, mutations: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc
    .tuple(fault, mutations)
    .chain(([own, changes]) =>
      chooser([
        skip,
        execute(`${types}.fault.v3.HTTPFault`, own),
        execute(`${types}.header_mutation.v3.HeaderMutation`, changes),
      ]),
    )
    .map((matcher) => ({
      ...matcher,
      extensionConfig: { name: 'composite', typedConfig: { '@type': `${types}.composite.v3.Composite` } },
    }));

function execute(type: string, config: Json): Json {
  return {
    '@type': `${types}.composite.v3.ExecuteFilterAction`,
    typedConfig: { name: 'chosen', typedConfig: { '@type': type, ...config } },
  };
}
