import type { FieldReader } from '../model/field-reader';
import { holdsCel } from './cel';
import { acceptsText, findInputMatcher, isInRange, type KnownInput, lengthOf } from './input-matchers';
import type { FindHeader } from './request';

/**
 * The value of an input of a matcher tree, or the reason why it is not known. `unavailable`: what the connection never has ends the
 * evaluation, without on_no_match.
 */
export type InputValue =
  | KnownInput
  | { readonly kind: 'unavailable'; readonly what: string }
  | { readonly kind: 'unknown'; readonly reason: string };

type TreeResult =
  /** `path`: of the action, relative to the matcher. */
  | { readonly kind: 'action'; readonly action: FieldReader; readonly path: string }
  | { readonly kind: 'none'; readonly isFinal?: true }
  | { readonly kind: 'unknown'; readonly reason: string; readonly path: string };

interface Tree {
  /** Reads the input of a TypedExtensionConfig. */
  readonly read: (input: FieldReader) => InputValue;
  /** The headers by which expressions (CEL) match; absent: they are not evaluated. */
  readonly find?: FindHeader | undefined;
  /** MUTATED: the inputs that are read, as in "destination port 80". */
  readonly seen: Set<string>;
}

const deepest = 32;
const none: TreeResult = { kind: 'none' };
const ended: TreeResult = { kind: 'none', isFinal: true };

/**
 * Evaluates an xds.type.matcher.v3.Matcher. "on_no_match" applies if nothing matches; a nested matcher without a match lets
 * the evaluation continue (Envoy since 1.36).
 */
export function evaluateMatcher(
  matcher: FieldReader,
  read: Tree['read'],
  find?: FindHeader,
): { readonly result: TreeResult; readonly inputs: readonly string[] } {
  const seen = new Set<string>();
  const result = evaluate(matcher, { read, find, seen }, '', 0);
  return { result, inputs: [...seen] };
}

function evaluate(matcher: FieldReader, tree: Tree, path: string, depth: number): TreeResult {
  if (depth > deepest) return { kind: 'unknown', reason: `more than ${deepest} nested matchers`, path };
  const at = (field: string): string => (path === '' ? field : `${path}.${field}`);
  for (const target of targetsOf(matcher, tree, at)) {
    const result = 'kind' in target ? target : follow(target.onMatch, tree, at(target.path), depth);
    if (result.kind !== 'none' || result.isFinal) return result;
  }
  return follow(matcher.object('onNoMatch'), tree, at('onNoMatch'), depth);
}

function follow(onMatch: FieldReader | undefined, tree: Tree, path: string, depth: number): TreeResult {
  const nested = onMatch?.object('matcher');
  const action = onMatch?.object('action');
  if (nested !== undefined) return evaluate(nested, tree, `${path}.matcher`, depth + 1);
  if (action === undefined) return none;
  if (onMatch?.boolean('keepMatching')) return none;
  return { kind: 'action', action, path: `${path}.action` };
}

interface Target {
  readonly onMatch: FieldReader | undefined;
  readonly path: string;
}

/** The targets that match, in the order in which they are tried; an unknown result ends them. */
function* targetsOf(
  matcher: FieldReader,
  tree: Tree,
  at: (field: string) => string,
): Generator<Target | TreeResult> {
  for (const [index, each] of (matcher.object('matcherList')?.objects('matchers') ?? []).entries()) {
    const path = `matcherList.matchers[${index}]`;
    const result = evaluatePredicate(each.object('predicate'), tree, 0);
    if (result === 'unavailable') return yield ended;
    if (typeof result === 'string') return yield { kind: 'unknown', reason: result, path: at(path) };
    if (result) yield { onMatch: each.object('onMatch'), path: `${path}.onMatch` };
  }
  const own = matcher.object('matcherTree');
  if (own === undefined) return;
  const value = readInput(own.object('input'), tree);
  if (value.kind === 'unknown')
    return yield { kind: 'unknown', reason: value.reason, path: at('matcherTree.input') };
  if (value.kind === 'unavailable') return yield ended;
  if (value.kind !== 'value') return;
  const exact = own.object('exactMatchMap')?.object('map');
  if (exact !== undefined && Object.hasOwn(exact.json, value.value))
    yield { onMatch: exact.object(value.value), path: `matcherTree.exactMatchMap.map.${value.value}` };
  const prefixes = own.object('prefixMatchMap')?.object('map');
  for (const prefix of longestFirst(Object.keys(prefixes?.json ?? {})))
    if (value.value.startsWith(prefix))
      yield { onMatch: prefixes?.object(prefix), path: `matcherTree.prefixMatchMap.map.${prefix}` };
  const custom = own.object('customMatch')?.object('typedConfig');
  if (custom === undefined) return;
  const type = custom.messageName();
  if (type.endsWith('.IPMatcher')) yield* matchRanges(custom, value.value);
  else if (type.endsWith('.ServerNameMatcher')) yield* matchDomains(custom, value.value);
  else yield { kind: 'unknown', reason: `${type} is not evaluated`, path: at('matcherTree.customMatch') };
}

function longestFirst(texts: readonly string[]): string[] {
  return [...texts].sort((a, b) => b.length - a.length);
}

/** xds.type.matcher.v3.IPMatcher: "the most specific range"; an exclusive one ends the search. */
function* matchRanges(matcher: FieldReader, address: string): Generator<Target> {
  const found = matcher.objects('rangeMatchers').flatMap((each, index) => {
    const lengths = each
      .objects('ranges')
      .flatMap((range) => (isInRange(range, address) ? [lengthOf(range)] : []));
    return lengths.length === 0 ? [] : [{ each, index, length: Math.max(...lengths) }];
  });
  for (const { each, index } of found.sort((a, b) => b.length - a.length)) {
    yield {
      onMatch: each.object('onMatch'),
      path: `matcherTree.customMatch.typedConfig.rangeMatchers[${index}].onMatch`,
    };
    if (each.boolean('exclusive')) return;
  }
}

/** xds.type.matcher.v3.ServerNameMatcher: the name itself, then "*.example.com" before "*.com", then "*". */
function* matchDomains(matcher: FieldReader, name: string): Generator<Target> {
  const all = matcher
    .objects('domainMatchers')
    .flatMap((each, index) => each.strings('domains').map((domain) => ({ each, index, domain })));
  const matches = ({ domain }: (typeof all)[number]): boolean =>
    domain === name || domain === '*' || (domain.startsWith('*.') && name.endsWith(domain.slice(1)));
  const rank = (domain: string): number => (domain === name ? Number.POSITIVE_INFINITY : domain.length);
  for (const { each, index } of all.filter(matches).sort((a, b) => rank(b.domain) - rank(a.domain)))
    yield {
      onMatch: each.object('onMatch'),
      path: `matcherTree.customMatch.typedConfig.domainMatchers[${index}].onMatch`,
    };
}

/** The expression of an xds.type.matcher.v3.CelMatcher, parsed or checked. */
function expressionOf(matcher: FieldReader | undefined): FieldReader | undefined {
  const match = matcher?.object('exprMatch');
  return ['parsedExpr', 'checkedExpr', 'celExprParsed', 'celExprChecked']
    .map((field) => match?.object(field)?.object('expr'))
    .find((each) => each !== undefined);
}

function readInput(input: FieldReader | undefined, tree: Tree): InputValue {
  const value: InputValue =
    input === undefined ? { kind: 'unknown', reason: 'the matcher has no input' } : tree.read(input);
  if (value.kind === 'value') tree.seen.add(`${value.what} ${JSON.stringify(value.value)}`);
  if (value.kind === 'absent' || value.kind === 'unavailable') tree.seen.add(`no ${value.what}`);
  if (value.kind === 'metadata' && value.found.kind !== 'depends')
    tree.seen.add(
      value.found.kind === 'absent'
        ? `no ${value.what}`
        : `${value.what} ${JSON.stringify(value.found.value)}`,
    );
  return value;
}

/** Returns the reason if it is not known whether the predicate holds, or `unavailable`, which ends the evaluation. */
function evaluatePredicate(predicate: FieldReader | undefined, tree: Tree, depth: number): boolean | string {
  if (depth > deepest) return `more than ${deepest} nested predicates`;
  const inner = predicate?.object('notMatcher');
  if (inner !== undefined) {
    const result = evaluatePredicate(inner, tree, depth + 1);
    return typeof result === 'string' ? result : !result;
  }
  const evaluateAll = (list: readonly FieldReader[]) =>
    list.map((each) => evaluatePredicate(each, tree, depth + 1));
  const any = predicate?.object('orMatcher')?.objects('predicate');
  if (any !== undefined) {
    const results = evaluateAll(any);
    const isOpen = (each: boolean | string): boolean => typeof each === 'string' && each !== 'unavailable';
    return (
      results.includes(true) || (results.find(isOpen) ?? (results.includes('unavailable') && 'unavailable'))
    );
  }
  const all = predicate?.object('andMatcher')?.objects('predicate');
  if (all !== undefined) {
    // "unavailable" ends it, but not behind what is false.
    let open: string | undefined;
    for (const result of evaluateAll(all)) {
      if (result === false) return false;
      if (result === 'unavailable') return open ?? result;
      if (result !== true) open ??= result;
    }
    return open ?? true;
  }
  const single = predicate?.object('singlePredicate');
  if (single === undefined) return 'the kind of the predicate is not known';
  const custom = single.object('customMatch')?.object('typedConfig');
  const type = custom?.messageName() ?? '';
  const expr = type.endsWith('.CelMatcher') ? expressionOf(custom) : undefined;
  if (expr !== undefined && tree.find !== undefined) return holdsCel(expr, tree.find);
  const matcher = custom ?? single.object('valueMatch');
  if (matcher === undefined) return 'the predicate has no matcher';
  const accepts = custom === undefined ? acceptsText : findInputMatcher(type);
  if (accepts === undefined) return `${type} is not evaluated`;
  const value = readInput(single.object('input'), tree);
  if (value.kind === 'unavailable') return 'unavailable';
  return value.kind === 'unknown' ? value.reason : accepts(value, matcher);
}
