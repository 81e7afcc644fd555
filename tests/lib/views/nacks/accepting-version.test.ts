import { expect, it } from 'vitest';
import { nackBy } from '@/lib/validate/reactions';
import { collectFindings, type Finding } from '@/lib/validate/validate-resource';
import { describeAcceptingVersion } from '@/lib/views/nacks/accepting-version';
import type { Profile, Who } from '@/lib/xds/profile';
import { CDS } from '@/lib/xds/resource-type';

const { findings } = collectFindings(CDS.typeUrl, {
  name: 'a',
  lbPolicy: 'MAGLEV',
  maglevLbConfig: { tableSize: 4 },
});
const [sample] = findings;
if (sample === undefined) throw new Error('expected a finding, got none');
const finding = (...who: readonly Who[]): Finding => ({ ...sample, reactions: nackBy(...who) });
const stated = (own: Profile, found: Finding, isChecked = true) =>
  describeAcceptingVersion(
    {
      findings: [found],
      unchecked: isChecked ? [] : [{ fieldPath: 'a', message: 'a is not checked', clients: ['envoy'] }],
    },
    own,
  );

it('is the nearest to the version of the client, and of two equally near ones the newer', () => {
  expect(stated('envoy-1.40', finding('envoy-1.39', 'envoy-1.40'))).toMatch(
    /would accept .* is Envoy 1\.38\.$/,
  );
  expect(stated('envoy-1.38', finding('envoy-1.38'))).toMatch(/ is Envoy 1\.39\.$/);
  expect(stated('core-1.68', finding('core-1.68', 'core-1.73'))).toMatch(/ is C-core 1\.56 to 1\.67\.$/);
});

it('is none if every measured version rejects the payload, whatever other clients do', () => {
  expect(stated('envoy-1.40', finding('envoy'))).toBe(
    'No measured version of Envoy (1.36 to 1.40) accepts this payload.',
  );
  expect(stated('node-1.14', finding('node'))).toMatch(/^No measured version of Node \(1\.14\)/);
});

it('is not certain to accept it if not every part of the payload is checked', () => {
  expect(stated('envoy-1.40', finding('envoy-1.40'), false)).toMatch(
    /no fault is found is Envoy 1\.39: not every part/,
  );
});

it('is not stated if no rule explains why the client rejected it', () => {
  expect(stated('envoy-1.40', finding('envoy-1.36'))).toBeUndefined();
});
