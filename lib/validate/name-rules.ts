import { CDS, LDS, RDS } from '../xds/resource-type';
import { nackBy } from './reactions';
import type { Rule } from './rule';

/** Section 2.1: rules that hold for every type. The name of an EDS resource is rule E1. */
export const nameRules: readonly Rule[] = [
  {
    id: '2.1',
    types: [LDS.typeUrl, RDS.typeUrl, CDS.typeUrl],
    source: 'xDS: resource names',
    fieldPath: 'name',
    reactions: nackBy('go'),
    check(resource, report) {
      const name = resource.at('name');
      if (name.text === '') report({ field: name, expected: 'the name of the resource' });
    },
  },
];
