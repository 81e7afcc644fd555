import { describe, expect, it } from 'vitest';
import { FieldReader } from '@/lib/model/field-reader';
import { formatCel, holdsCel } from '@/lib/requests/cel';
import { headersOf } from '@/lib/requests/request';
import { newestOf } from '@/lib/xds/profile';
import { requestOf } from './matched-requests';

const call = (name: string, args: readonly object[], target?: object) => ({
  callExpr: { function: name, args, ...(target && { target }) },
});
const attribute = (field: string) => ({
  selectExpr: { operand: { identExpr: { name: 'request' } }, field },
});
const text = (stringValue: string) => ({ constExpr: { stringValue } });
const header = (name: string) => call('_[_]', [attribute('headers'), text(name)]);
const is = (left: object, right: string) => call('_==_', [left, text(right)]);
const find = headersOf(requestOf('GET shop.example/cart?q=1', 'x: a', 'x: b'), newestOf('envoy'));
const holds = (expr: object) => holdsCel(FieldReader.open(expr, []), find);
const absent = is(header('absent'), 'a');

describe('an expression (CEL)', () => {
  it.each<readonly [what: string, expr: object, expected: boolean]>([
    ['the path with its query', is(attribute('path'), '/cart?q=1'), true],
    ['the path without its query', is(attribute('url_path'), '/cart'), true],
    ['the method', is(attribute('method'), 'POST'), false],
    ['the host', is(attribute('host'), 'shop.example'), true],
    ['another value', call('_!=_', [attribute('method'), text('POST')]), true],
    ['a header, whose values are joined', is(header('X'), 'a,b'), true],
    ['a header that is absent', absent, false],
    ['the negation of an error, which is one', call('!_', [absent]), false],
    ['a negation', call('!_', [is(attribute('method'), 'POST')]), true],
    ['the presence of a header', call('@in', [text('x'), attribute('headers')]), true],
    ['a prefix', call('startsWith', [text('/ca')], attribute('path')), true],
    ['a suffix', call('endsWith', [text('/ca')], attribute('path')), false],
    ['a part', call('contains', [text('art')], attribute('path')), true],
    ['an error beside what decides', call('_||_', [absent, is(attribute('method'), 'GET')]), true],
    ['an error beside what does not', call('_&&_', [absent, is(attribute('method'), 'GET')]), false],
    ['two that hold', call('_&&_', [is(header('x'), 'a,b'), is(attribute('scheme'), 'http')]), true],
  ])('compares %s', (_, expr, expected) => {
    expect(holds(expr)).toBe(expected);
  });

  it('is not known if a part is not evaluated, unless another part decides', () => {
    const size = call('_>_', [attribute('size'), { constExpr: { int64Value: '1' } }]);
    expect(holds(size)).toBe('_>_ is not evaluated, in the expression request.size > "1"');
    expect(holds(call('_||_', [size, is(attribute('method'), 'GET')]))).toBe(true);
    expect(holds(call('_&&_', [size, is(attribute('method'), 'GET')]))).toContain('is not evaluated');
  });

  it('is written as text', () => {
    const both = call('_&&_', [
      call('startsWith', [text('/a')], attribute('path')),
      call('!_', [call('@in', [text('x'), attribute('headers')])]),
    ]);
    expect(formatCel(FieldReader.open(both, []))).toBe(
      'request.path.startsWith("/a") && !("x" in request.headers)',
    );
    expect(formatCel(FieldReader.open(is(header('x'), 'a'), []))).toBe('request.headers["x"] == "a"');
  });
});
