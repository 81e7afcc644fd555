import type { FieldReader } from './field-reader';

/** For which connections the matcher tree of a listener chooses each filter chain. */
export interface ChainChoice {
  /** Formatted conditions by the name of the chain. */
  readonly conditions: ReadonlyMap<string, readonly string[]>;
  /** False if it contains a matcher whose actions are not known, so that any chain may be chosen. */
  readonly isComplete: boolean;
}

const deepest = 32;

/** Reads Listener.filter_chain_matcher (xds.type.matcher.v3.Matcher), whose actions are names of filter chains. */
export function readChainChoice(matcher: FieldReader): ChainChoice {
  const conditions = new Map<string, string[]>();
  let isComplete = true;
  const onMatch = (target: FieldReader | undefined, place: readonly string[]): void => {
    const action = target?.object('action');
    const inner = target?.object('matcher');
    if (inner !== undefined) visit(inner, place);
    if (action === undefined) return;
    const chain = action.object('typedConfig')?.string('value') ?? '';
    if (chain === '') {
      isComplete = false;
      return;
    }
    const known = conditions.get(chain) ?? [];
    known.push(place.join(', '));
    conditions.set(chain, known);
  };
  const visit = (node: FieldReader, place: readonly string[]): void => {
    if (place.length > deepest) {
      isComplete = false;
      return;
    }
    for (const each of node.object('matcherList')?.objects('matchers') ?? [])
      onMatch(each.object('onMatch'), [...place, 'a predicate']);
    const tree = node.object('matcherTree');
    if (tree !== undefined) {
      const input = nameInput(tree.object('input'));
      for (const [kind, word] of [
        ['exactMatchMap', ''],
        ['prefixMatchMap', 'prefix '],
      ] as const) {
        const map = tree.object(kind)?.object('map');
        for (const key of Object.keys(map?.json ?? {}))
          onMatch(map?.object(key), [...place, `${input} ${word}${key}`]);
      }
      const custom = tree.object('customMatch')?.object('typedConfig');
      const ranges = custom?.objects('rangeMatchers') ?? [];
      const domains = custom?.objects('domainMatchers') ?? [];
      if (custom !== undefined && ranges.length + domains.length === 0) isComplete = false;
      for (const range of ranges) {
        const text = range.objects('ranges').map(formatRange).join(' or ');
        onMatch(range.object('onMatch'), [...place, `${input} ${text}`]);
      }
      for (const domain of domains)
        onMatch(domain.object('onMatch'), [...place, `${input} ${domain.strings('domains').join(' or ')}`]);
    }
    onMatch(node.object('onNoMatch'), [...place, 'otherwise']);
  };
  visit(matcher, []);
  return { conditions, isComplete };
}

function formatRange(range: FieldReader): string {
  const length = range.number('prefixLen');
  return `${range.string('addressPrefix')}${length === undefined ? '' : `/${length}`}`;
}

/** "destination port" of envoy.extensions.matching.common_inputs.network.v3.DestinationPortInput. */
function nameInput(input: FieldReader | undefined): string {
  const type = input?.object('typedConfig')?.messageName().split('.').at(-1) ?? '';
  const words = type.replace(/Input$/, '').replace(/([a-z])(?=[A-Z])/g, '$1 ');
  return words === ''
    ? (input?.string('name') ?? '')
    : words.replace(/\b[A-Z](?=[a-z])/g, (c) => c.toLowerCase());
}

const listed = 3;

/** What describeChoice() returns of a chain that no connection is given to. */
export const neverChosen = 'never used: no action of filter_chain_matcher leads to it';

/** Returns for which connections the chain is chosen. */
export function describeChoice({ conditions, isComplete }: ChainChoice, chain: string): string {
  const own = conditions.get(chain) ?? [];
  if (own.length > listed) return `${own.slice(0, listed).join('; ')} and ${own.length - listed} more`;
  if (own.length > 0) return own.join('; ');
  return isComplete ? neverChosen : 'chosen by filter_chain_matcher, which is not known in full';
}
