import { describe, expect, it } from 'vitest';
import { rules, titleOfRule } from '@/lib/validate/rules';
import { groupFindings } from '@/lib/views/findings/group-findings';
import { mapProfiles } from '@/lib/xds/profile';

const counts = {
  ...{
    validated: 3,
    found: 3,
    findings: 12,
    ofProfile: 3,
    rejected: 0,
    noFaultFound: 0,
    nacked: mapProfiles(() => 0),
  },
  byRule: [
    { ruleId: 'C6', title: 'policy', source: 'gRFC A42', findings: 10, ofProfile: 2, nacked: 1 },
    { ruleId: 'C7', title: 'ring', source: 'gRFC A42', findings: 1, ofProfile: 1, nacked: 0 },
    { ruleId: 'L1', title: 'listener', source: 'gRFC A27', findings: 1, ofProfile: 0, nacked: 0 },
  ],
};

describe('groupFindings', () => {
  it('separates what concerns the profile from what concerns other clients', () => {
    const { ofProfile, portability } = groupFindings(counts);
    expect(ofProfile.map(({ key, findings, nacked }) => [key, findings, nacked])).toEqual([
      ['C6', 2, 1],
      ['C7', 1, 0],
    ]);
    expect(portability.map(({ key, findings, nacked }) => [key, findings, nacked])).toEqual([
      ['others-C6', 8, 0],
      ['others-L1', 1, 0],
    ]);
  });

  it('begins with the resources that the client itself rejected', () => {
    const [first] = groupFindings({ ...counts, rejected: 2 }).ofProfile;
    expect(first).toMatchObject({ key: 'rejected', findings: 2, query: { only: 'rejected' } });
  });
});

describe('titleOfRule', () => {
  it('has one title for each rule', () => {
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
    expect(rules.map(({ id }) => titleOfRule(id))).toEqual(rules.map(({ title }) => title));
  });

  it('returns the id of a rule that it does not know', () => {
    expect(titleOfRule('toString')).toBe('toString');
  });
});
