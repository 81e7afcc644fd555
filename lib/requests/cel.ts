import type { FieldReader } from '../model/field-reader';
import type { FindHeader } from './request';

/** The value of a CEL expression. `error`: Envoy treats it as a condition that does not hold. */
type CelValue =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'error' }
  | { readonly kind: 'unknown'; readonly reason: string };

/** Attributes of a request that are the values of headers. */
const attributes: Readonly<Record<string, string>> = {
  path: ':path',
  method: ':method',
  host: ':authority',
  scheme: ':scheme',
};

const deepest = 32;

/**
 * Decides whether an expression holds, which is a google.api.expr.v1alpha1.Expr or a cel.expr.Expr: strings of the path, method, host,
 * scheme and headers, which are compared and combined. Returns the reason if it is not known.
 */
export function holdsCel(expr: FieldReader, find: FindHeader): boolean | string {
  const result = evaluate(expr, find, 0);
  if (result.kind === 'unknown') return `${result.reason}, in the expression ${formatCel(expr)}`;
  return result.kind === 'value' && result.value === true;
}

function evaluate(expr: FieldReader, find: FindHeader, depth: number): CelValue {
  const constant = expr.object('constExpr');
  if (constant !== undefined) {
    const [value] = Object.values(constant.json);
    return constant.has('stringValue') || constant.has('boolValue')
      ? { kind: 'value', value }
      : notEvaluated('a constant that is no string');
  }
  const selected = attributeOf(expr);
  if (selected !== undefined) return readAttribute(selected, find);
  const call = expr.object('callExpr');
  if (call === undefined || depth > deepest) return notEvaluated('a part of it');
  const { target, args, name } = partsOf(call);
  const value = (at: number): CelValue =>
    args[at] === undefined ? { kind: 'error' } : evaluate(args[at], find, depth + 1);
  switch (name) {
    case '!_': {
      const own = value(0);
      return own.kind === 'value' ? isTrue(own.value !== true) : own;
    }
    case '_&&_':
      return combine(value(0), value(1), false);
    case '_||_':
      return combine(value(0), value(1), true);
    case '_==_':
    case '_!=_':
      return compare(value(0), value(1), (a, b) => (a === b) === (name === '_==_'));
    case '_[_]': {
      const key = value(1);
      if (args[0] === undefined || attributeOf(args[0]) !== 'headers' || key.kind !== 'value')
        return notEvaluated(name);
      return readHeader(String(key.value), find);
    }
    case '@in':
    case '_in_':
    case 'in': {
      const key = value(0);
      if (args[1] === undefined || attributeOf(args[1]) !== 'headers' || key.kind !== 'value')
        return notEvaluated(name);
      const header = readHeader(String(key.value), find);
      return header.kind === 'unknown' ? header : isTrue(header.kind === 'value');
    }
    case 'startsWith':
      return ofStrings((a, b) => a.startsWith(b));
    case 'endsWith':
      return ofStrings((a, b) => a.endsWith(b));
    case 'contains':
      return ofStrings((a, b) => a.includes(b));
    default:
      return notEvaluated(name);
  }
  function ofStrings(test: (a: string, b: string) => boolean): CelValue {
    if (target === undefined) return { kind: 'error' };
    return compare(evaluate(target, find, depth + 1), value(0), (a, b) => test(String(a), String(b)));
  }
}

function partsOf(call: FieldReader) {
  return { target: call.object('target'), args: call.objects('args'), name: call.string('function') };
}

function isTrue(value: boolean): CelValue {
  return { kind: 'value', value };
}

function notEvaluated(what: string): CelValue {
  return { kind: 'unknown', reason: `${what} is not evaluated` };
}

function compare(a: CelValue, b: CelValue, test: (a: unknown, b: unknown) => boolean): CelValue {
  if (a.kind !== 'value') return a;
  return b.kind === 'value' ? isTrue(test(a.value, b.value)) : b;
}

/** One value that decides is enough, also beside an error. */
function combine(a: CelValue, b: CelValue, decides: boolean): CelValue {
  const both = [a, b];
  if (both.some((each) => each.kind === 'value' && each.value === decides)) return isTrue(decides);
  return both.find(({ kind }) => kind === 'unknown') ?? both.find(({ kind }) => kind === 'error') ?? a;
}

/** The name of an attribute of the request, as in "path" of `request.path`. */
function attributeOf(expr: FieldReader): string | undefined {
  const select = expr.object('selectExpr');
  const isRequest = select?.object('operand')?.object('identExpr')?.string('name') === 'request';
  return isRequest && !select.boolean('testOnly') ? select.string('field') : undefined;
}

function readAttribute(name: string, find: FindHeader): CelValue {
  const header = attributes[name === 'url_path' ? 'path' : name];
  if (header === undefined) return notEvaluated(`request.${name}`);
  const found = readHeader(header, find);
  if (name !== 'url_path' || found.kind !== 'value') return found;
  return { kind: 'value', value: String(found.value).replace(/\?.*$/s, '') };
}

function readHeader(name: string, find: FindHeader): CelValue {
  const header = find(name);
  if (header.kind === 'depends') return { kind: 'unknown', reason: header.reason };
  return header.kind === 'absent' ? { kind: 'error' } : { kind: 'value', value: header.values.join(',') };
}

const longestText = 200;

/** The expression as text, without parts that are seldom used. */
export function formatCel(expr: FieldReader): string {
  const text = write(expr);
  return text.length > longestText ? `${text.slice(0, longestText)}...` : text;
}

function write(expr: FieldReader): string {
  const constant = expr.object('constExpr');
  if (constant !== undefined) return JSON.stringify(Object.values(constant.json)[0] ?? null);
  const ident = expr.object('identExpr');
  if (ident !== undefined) return ident.string('name');
  const select = expr.object('selectExpr');
  const operand = select?.object('operand');
  if (select !== undefined && operand !== undefined) return `${write(operand)}.${select.string('field')}`;
  const call = expr.object('callExpr');
  if (call === undefined) return '...';
  const { target, args, name } = partsOf(call);
  const texts = args.map(write);
  const operator = /^_(\W+)_$/.exec(name)?.[1];
  if (name === '_[_]') return `${texts[0]}[${texts[1]}]`;
  if (name === '!_') return `!(${texts[0]})`;
  if (operator !== undefined) return texts.join(` ${operator} `);
  if (name === '@in') return texts.join(' in ');
  return `${target === undefined ? '' : `${write(target)}.`}${name}(${texts.join(', ')})`;
}
