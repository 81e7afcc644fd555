import { before, since } from '../xds/profile';
import { CDS, LDS, RDS } from '../xds/resource-type';
import { nackBy, react } from './reactions';
import type { Rule } from './rule';

/** Section 2.1: rules that hold for every type. The name of an EDS resource is rule E1. */
export const nameRules: readonly Rule[] = [
  {
    id: '2.1',
    title: 'A resource name is an old-style name or a valid xdstp name',
    types: [LDS.typeUrl, RDS.typeUrl, CDS.typeUrl],
    source: 'xDS: resource names',
    reactions: react({ NACK: since('go-1.82'), crash: before('go-1.82') }),
    check(resource, report) {
      const name = resource.at('name');
      if (name.text === '') report({ field: name, expected: 'the name of the resource' });
      // gRFC A47: xdstp://authority/type/id.
      else if (name.text.startsWith('xdstp:') && !/^xdstp:(?:\/\/[^/]*)?\/[^/]+/.test(name.text))
        report({
          field: name,
          expected: 'a name as in xdstp://authority/type/id',
          reactions: nackBy(...since('core-1.56'), 'java', 'node', 'envoy'),
        });
    },
  },
];
