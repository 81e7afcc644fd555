import fc from 'fast-check';

type Json = Readonly<Record<string, unknown>>;

const oneOf = fc.constantFrom;
const colors = ['blue', '1', 'b'];

/** A text matcher whose result depends on the requests. */
export const text: fc.Arbitrary<Json> = fc.oneof(
  ...['exact', 'prefix', 'suffix', 'contains'].map((kind) =>
    oneOf(...colors).map((value) => ({ [kind]: value })),
  ),
  oneOf('b.*', '\\d+').map((regex) => ({ safeRegex: { regex } })),
);
/** Namespaces into which filters write, and the values that matchers compare. */
export const metadataNamespaces = ['n', 'envoy.lb', 'envoy.filters.http.header_to_metadata'];
export const metadataMatcher: fc.Arbitrary<Json> = fc
  .record({
    filter: oneOf('n', ...metadataNamespaces),
    path: oneOf(['k'], ['k'], ['j'], ['k', 'a'], ['absent']),
    value: fc.oneof(
      text.map((stringMatch): Json => ({ stringMatch })),
      fc.boolean().map((presentMatch) => ({ presentMatch })),
      oneOf<Json>(
        { nullMatch: {} },
        { boolMatch: true },
        { doubleMatch: { exact: 1 } },
        { doubleMatch: { range: { start: 0, end: 7 } } },
        { listMatch: { oneOf: { stringMatch: { exact: 'blue' } } } },
        { orMatch: { valueMatchers: [{ boolMatch: true }, { stringMatch: { prefix: 'b' } }] } },
      ),
    ),
    invert: oneOf(false, false, true),
  })
  .map(({ path, invert, ...rest }) => ({
    ...rest,
    path: path.map((key) => ({ key })),
    ...(invert && { invert }),
  }));
