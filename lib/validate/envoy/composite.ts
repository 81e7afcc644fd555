import type { Field } from '../field';
import { type Extension, extensionOf, httpFilters } from './extension';

const withMatcher = 'envoy.extensions.common.matching.v3.ExtensionWithMatcher';
const executeFilter = 'envoy.extensions.filters.http.composite.v3.ExecuteFilterAction';
const ofMatchers = ['envoy.extensions.', 'envoy.type.matcher.', 'xds.'];
/** Protobuf itself rejects deeper nesting. */
const maxDepth = 100;

/** The extensions in an HTTP filter with a matcher: the filter itself, inputs, actions, and filters of actions. */
export function compositeOf(config: Field): Extension[] {
  if (config.typeName !== withMatcher || config.isTypedStruct) return [];
  return [
    ...extensionOf(config.at('extensionConfig'), httpFilters),
    ...inMatcher(config.at('xdsMatcher'), 0),
  ];
}

function inMatcher(matcher: Field, depth: number): Extension[] {
  if (!matcher.exists || depth > maxDepth) return [];
  const list = matcher.in('matcherList', 'matchers').items();
  const tree = matcher.at('matcherTree');
  const matches = [
    ...list.map((each) => each.at('onMatch')),
    ...['exactMatchMap', 'prefixMatchMap'].flatMap((name) =>
      tree
        .in(name, 'map')
        .entries()
        .map(([, each]) => each),
    ),
    matcher.at('onNoMatch'),
  ];
  return [
    ...list.flatMap((each) => inPredicate(each.at('predicate'), depth + 1)),
    ...extensionOf(tree.at('input'), ofMatchers),
    ...matches.flatMap((each) => [
      ...inAction(each.at('action')),
      ...inMatcher(each.at('matcher'), depth + 1),
    ]),
  ];
}

function inPredicate(predicate: Field, depth: number): Extension[] {
  if (!predicate.exists || depth > maxDepth) return [];
  const nested = [
    ...['orMatcher', 'andMatcher'].flatMap((name) => predicate.in(name, 'predicate').items()),
    predicate.at('notMatcher'),
  ];
  return [
    ...extensionOf(predicate.in('singlePredicate', 'input'), ofMatchers),
    ...extensionOf(predicate.in('singlePredicate', 'customMatch'), ofMatchers),
    ...nested.flatMap((each) => inPredicate(each, depth + 1)),
  ];
}

function inAction(action: Field): Extension[] {
  const config = action.at('typedConfig');
  const inner = config.typeName === executeFilter ? config.at('typedConfig') : undefined;
  return [
    ...extensionOf(action, ofMatchers),
    ...(inner === undefined ? [] : extensionOf(inner, httpFilters)),
    ...(inner === undefined ? [] : compositeOf(inner.at('typedConfig'))),
  ];
}

/** Every config of an ExecuteFilterAction in an HTTP filter with a matcher. */
export function filterActionsOf(config: Field): Field[] {
  return compositeOf(config)
    .map((each) => each.config)
    .filter((each) => each.typeName === executeFilter);
}
