import { describe, expect, it } from 'vitest';
import { requestOf } from '../requests/matched-requests';
import { cart, edge, start } from './edge-mesh';
import { explainIn, linesOf } from './explained-mesh';

describe('a listener with filter_chain_matcher', () => {
  const input = (name: string) => ({
    name,
    typedConfig: {
      '@type': `type.googleapis.com/envoy.extensions.matching.common_inputs.network.v3.${name}`,
    },
  });
  const chain = (value: string) => ({
    action: {
      name: value,
      typedConfig: { '@type': 'type.googleapis.com/google.protobuf.StringValue', value },
    },
  });
  const listenerOf = (filterChainMatcher: object, defaultChain = false) => {
    const { typeUrl, name, body } = edge({
      chains: ['c0', 'c1', 'c2'].map((each) => ({ name: each, match: {}, clusters: 'cart' })),
    });
    const { filterChains } = body as { filterChains: readonly object[] };
    const defaultFilterChain = defaultChain
      ? { defaultFilterChain: { ...filterChains[0], name: 'rest' } }
      : {};
    return { typeUrl, name, body: { ...body, filterChainMatcher, ...defaultFilterChain } };
  };
  const byPort = {
    matcherTree: {
      input: input('DestinationPortInput'),
      exactMatchMap: { map: { 80: chain('c1'), 443: chain('c0') } },
    },
  };
  const choose = (matcher: object, line: string, connection: object = {}) => {
    const request = { ...requestOf(line), connection };
    const { steps, branches } = explainIn([listenerOf(matcher), ...cart], request, { start });
    const taken = steps.find(({ stage, verdict }) => stage === 'filter-chain' && verdict === 'taken');
    return taken?.title.replace('filter chain ', '') ?? branches[0]?.kind;
  };
  const ranges = (exclusive: boolean) => ({
    matcherTree: {
      input: input('SourceIPInput'),
      customMatch: {
        typedConfig: {
          '@type': 'type.googleapis.com/xds.type.matcher.v3.IPMatcher',
          rangeMatchers: [
            { ranges: [{ addressPrefix: '10.0.0.0', prefixLen: 8 }], onMatch: chain('c0') },
            {
              ranges: [{ addressPrefix: '10.1.0.0', prefixLen: 16 }],
              onMatch: {
                matcher: {
                  matcherTree: { ...byPort.matcherTree, exactMatchMap: { map: { 81: chain('c1') } } },
                },
              },
              exclusive,
            },
          ],
        },
      },
    },
    onNoMatch: chain('c2'),
  });
  const listOf = (predicate: object) => ({
    matcherList: { matchers: [{ predicate, onMatch: chain('c1') }] },
    onNoMatch: chain('c2'),
  });
  const single = (name: string, valueMatch: object) => ({
    singlePredicate: { input: input(name), valueMatch },
  });

  it.each<[string, object, string, object, string]>([
    ['the port chooses', byPort, 'http://a/', {}, 'c1'],
    ['no action applies', byPort, 'http://a/', { destinationPort: 81 }, 'failed'],
    [
      'the longest address range',
      ranges(false),
      'http://a/',
      { sourceAddress: '10.1.0.1', destinationPort: 81 },
      'c1',
    ],
    ['a range whose matcher has no match', ranges(false), 'http://a/', { sourceAddress: '10.1.0.1' }, 'c0'],
    [
      'an exclusive range whose matcher has no match',
      ranges(true),
      'http://a/',
      { sourceAddress: '10.1.0.1' },
      'c2',
    ],
    ['no range', ranges(false), 'http://a/', { sourceAddress: '11.1.0.1' }, 'c2'],
    ['an unknown source address', ranges(false), 'http://a/', {}, 'unknown'],
    [
      'a predicate of the server name',
      listOf(single('ServerNameInput', { suffix: '.a' })),
      'https://x.a/',
      {},
      'c1',
    ],
    ['no server name', listOf(single('ServerNameInput', { prefix: '' })), 'http://x.a/', {}, 'c2'],
    [
      'a predicate that must not hold',
      listOf({ notMatcher: single('ServerNameInput', { exact: 'a' }) }),
      'http://a/',
      {},
      'c1',
    ],
    [
      'one of several predicates',
      listOf({
        orMatcher: {
          predicate: [
            single('TransportProtocolInput', { exact: 'tls' }),
            single('DestinationPortInput', { exact: '80' }),
          ],
        },
      }),
      'http://a/',
      {},
      'c1',
    ],
    [
      'all of several predicates',
      listOf({
        andMatcher: {
          predicate: [
            single('TransportProtocolInput', { exact: 'tls' }),
            single('DestinationPortInput', { exact: '80' }),
          ],
        },
      }),
      'http://a/',
      {},
      'c2',
    ],
    [
      'application protocols in the order of the caller',
      listOf(single('ApplicationProtocolInput', { exact: "'h2','http/1.1'" })),
      'https://a/',
      { applicationProtocols: ['h2', 'http/1.1'] },
      'c1',
    ],
    [
      'an input that is not evaluated',
      listOf(single('FilterStateInput', { exact: 'a' })),
      'http://a/',
      {},
      'unknown',
    ],
    ['a chain that does not exist', { onNoMatch: chain('gone') }, 'http://a/', {}, 'unknown'],
  ])('chooses the chain by %s', (_, matcher, line, connection, expected) => {
    expect(choose(matcher, `GET ${line}`, connection)).toBe(expected);
  });

  it('states the criterion of each chain that loses, and uses the default chain if none matches', () => {
    const request = { ...requestOf('GET http://a/'), connection: { destinationPort: 81 } };
    const trace = explainIn([listenerOf(byPort, true), ...cart], request, { start });
    expect(linesOf(trace).slice(1, 5)).toEqual([
      'not-taken filter chain c0: filter_chain_matcher: destination port 443; the connection has destination port "81" @filterChainMatcher',
      'not-taken filter chain c1: filter_chain_matcher: destination port 80; the connection has destination port "81" @filterChainMatcher',
      'not-taken filter chain c2: never used: no action of filter_chain_matcher leads to it @filterChainMatcher',
      'taken filter chain rest: the default filter chain: no other matches the connection @defaultFilterChain',
    ]);
  });
});
