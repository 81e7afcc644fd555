import fc from 'fast-check';

type Json = Readonly<Record<string, unknown>>;

const oneOf = fc.constantFrom;
const call = (name: string, args: readonly Json[], target?: Json): Json => ({
  callExpr: { ...(target && { target }), function: name, args },
});
const request = (field: string): Json => ({
  selectExpr: { operand: { identExpr: { name: 'request' } }, field },
});
const text = (stringValue: string): Json => ({ constExpr: { stringValue } });
const header = (name: string): Json => call('_[_]', [request('headers'), text(name)]);

const operand = fc.oneof(
  oneOf('path', 'url_path', 'method', 'host', 'scheme').map(request),
  oneOf('x-color', 'x-version', 'X-Version').map(header),
);
const value = oneOf('/shop', '/shop/cart', 'GET', 'shop.example', 'blue', '1', 'http', 'cart').map(text);
const simple: fc.Arbitrary<Json> = fc.oneof(
  fc.tuple(oneOf('_==_', '_!=_'), operand, value).map(([name, a, b]) => call(name, [a, b])),
  fc
    .tuple(oneOf('startsWith', 'endsWith', 'contains'), operand, value)
    .map(([name, a, b]) => call(name, [b], a)),
  oneOf('x-color', 'x-version').map((name) => call('@in', [text(name), request('headers')])),
);

/** An expression in CEL whose result is a boolean. */
export const expression: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: simple },
  simple.map((each) => call('!_', [each])),
  fc.tuple(oneOf('_&&_', '_||_'), simple, simple).map(([name, a, b]) => call(name, [a, b])),
);
