import { describe, expect, it } from 'vitest';
import { FieldReader } from '@/lib/model/field-reader';
import { describeChoice, readChainChoice } from '@/lib/model/filter-chain-matcher';
import { parseResource } from '@/lib/model/parse-resource';
import { LDS } from '@/lib/xds/resource-type';

const chooses = (value: string) => ({
  action: {
    name: 'chain',
    typedConfig: { '@type': 'type.googleapis.com/google.protobuf.StringValue', value },
  },
});
const inputOf = (name: string) => ({
  name: 'input',
  typedConfig: { '@type': `type.googleapis.com/envoy.extensions.matching.common_inputs.network.v3.${name}` },
});
const byPort = {
  matcherTree: {
    input: inputOf('DestinationPortInput'),
    exactMatchMap: { map: { 19101: chooses('smtp'), 19102: chooses('imap'), 19103: chooses('imap') } },
  },
};
const describeChains = (matcher: object, ...chains: string[]) => {
  const choice = readChainChoice(FieldReader.open(matcher, []));
  return chains.map((chain) => describeChoice(choice, chain));
};

describe('filter_chain_matcher', () => {
  it('states for which connections a chain is chosen, and which chain never is', () => {
    expect(describeChains(byPort, 'smtp', 'imap', 'pop')).toEqual([
      'destination port 19101',
      'destination port 19102; destination port 19103',
      'never used: no action of filter_chain_matcher leads to it',
    ]);
  });

  it('follows nested matchers, ranges of addresses and names', () => {
    const matcher = {
      matcherTree: {
        input: inputOf('SourceIPInput'),
        customMatch: {
          name: 'ip',
          typedConfig: {
            rangeMatchers: [
              { ranges: [{ addressPrefix: '10.0.0.0', prefixLen: 8 }], onMatch: { matcher: byPort } },
            ],
          },
        },
      },
      onNoMatch: chooses('rest'),
    };
    expect(describeChains(matcher, 'smtp', 'rest', 'other')).toEqual([
      'source IP 10.0.0.0/8, destination port 19101',
      'otherwise',
      'never used: no action of filter_chain_matcher leads to it',
    ]);
  });

  it('calls no chain unused if it contains a matcher or an action that is not known', () => {
    const custom = { matcherTree: { input: inputOf('ServerNameInput'), customMatch: { typedConfig: {} } } };
    const unknown = { matcherList: { matchers: [{ onMatch: { action: { name: 'own' } } }] } };
    for (const matcher of [custom, unknown])
      expect(describeChains(matcher, 'pop')).toEqual([
        'chosen by filter_chain_matcher, which is not known in full',
      ]);
  });

  it('decides in place of the matches of the chains', () => {
    const body = {
      name: 'mail',
      filterChainMatcher: byPort,
      filterChains: [{ name: 'smtp' }, { name: 'pop' }],
      defaultFilterChain: {},
    };
    const model = parseResource(LDS.typeUrl, body);
    if (model.kind !== 'listener') throw new Error('expected a listener');
    expect(model.filterChains.map(({ name, match }) => [name, match])).toEqual([
      ['smtp', 'destination port 19101'],
      ['pop', 'never used: no action of filter_chain_matcher leads to it'],
      ['default', ''],
    ]);
  });
});
