import { before, since } from '../../xds/profile';
import { uint32Max } from '../common-values';
import type { Field } from '../field';
import { everyNack, ignoredBy, nackBy } from '../reactions';
import type { Report } from '../rule';

export function checkWeights(weighted: Field, report: Report): void {
  let sum = 0;
  for (const cluster of weighted.at('clusters').items()) {
    const name = cluster.at('name');
    const weight = cluster.at('weight');
    if (name.text === '') {
      const isInHeader = cluster.at('clusterHeader').text !== '';
      const reactions = isInHeader ? nackBy('core') : nackBy('core', 'envoy');
      report({ field: name, expected: 'a cluster name', reactions });
    }
    if (!weight.exists) report({ field: weight, expected: 'a weight', reactions: nackBy('core', 'envoy') });
    else if (weight.numberOr(0) === 0)
      report({
        field: weight,
        expected: 'at least 1, else the cluster is not used',
        reactions: ignoredBy('core', 'go', 'java', 'node'),
      });
    sum += weight.numberOr(0);
  }
  const field = weighted.at('clusters');
  const total = weighted.at('totalWeight');
  if (sum === 0) report({ field, expected: 'a sum of weights >= 1', got: '0', reactions: everyNack });
  // The first version of gRFC A28, which C-core 1.51 implements. It computes the sum in 32 bits.
  if (sum % (uint32Max + 1) !== total.numberOr(100))
    report({
      field,
      expected: `a sum of totalWeight, which is ${total.numberOr(100)}`,
      got: String(sum),
      reactions: nackBy('core-1.51'),
      note: total.exists ? undefined : 'totalWeight is 100 unless set.',
    });
  if (sum > uint32Max)
    report({
      field,
      expected: `a sum of weights <= ${uint32Max}`,
      got: String(sum),
      reactions: nackBy(...since('core-1.53'), 'go', ...since('java-1.76'), 'node', 'envoy'),
    });
  if (sum > 0 && (sum | 0) <= 0)
    report({
      field,
      expected: 'a sum of weights that is positive as a signed number of 32 bits',
      got: String(sum),
      reactions: nackBy(...before('java-1.76')),
    });
}
