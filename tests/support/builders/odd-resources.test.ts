import { describe, expect, it } from 'vitest';
import { rules } from '@/lib/validate/rules';
import { validateResource, verdictOf } from '@/lib/validate/validate-resource';
import { profiles } from '@/lib/xds/profile';
import { readEnforcedConstraints } from '@/server/codec/constraints';
import { decodeBody } from '@/server/codec/decode-body';
import { encodeBody } from '@/server/codec/encode-body';
import { readEnvoyAnswers, typeUrlOf, validateForEnvoy } from '../envoy-answers';
import { buildOddResources } from './odd-resources/odd-resources';

const resources = buildOddResources();
const context = {
  constraints: readEnforcedConstraints(),
  certificateProviders: new Set(['p']),
  clusters: new Set(['c']),
  isWithoutClient: true,
  isRepeated: true,
  takenAddresses: new Map([['TCP 0.0.0.0:80', 'other']]),
};
const ofEnvoy = readEnvoyAnswers().map(({ service, resource }) => {
  const typeUrl = typeUrlOf(service);
  return { typeUrl, findings: validateForEnvoy(typeUrl, encodeBody(typeUrl, resource)).findings };
});
const validated = resources.map(({ title, typeUrl, bytes }) => {
  const content = bytes('tested');
  const { json } = decodeBody(typeUrl, content);
  return {
    title,
    typeUrl,
    content,
    findings: validateResource(typeUrl, json, { ...context, subscribedName: 'tested' }),
  };
});

describe('odd resources', () => {
  it('are at least 1,000, each with a title and content of its own', () => {
    expect(resources.length).toBeGreaterThanOrEqual(1_000);
    expect(new Set(resources.map(({ title }) => title)).size).toBe(resources.length);
    const contents = validated.map(
      ({ typeUrl, content }) => `${typeUrl} ${Buffer.from(content).toString('base64')}`,
    );
    expect(new Set(contents).size).toBe(resources.length);
  });

  it('are the same in every run', () => {
    const titles = resources.map(({ title }) => title);
    expect(buildOddResources().map(({ title }) => title)).toEqual(titles);
  });

  it('have a verdict of every client', () => {
    const verdicts = new Map(profiles.map((profile) => [profile, new Set<string>()]));
    for (const { findings } of validated) {
      for (const profile of profiles) verdicts.get(profile)?.add(verdictOf(findings, profile));
    }
    for (const [profile, answers] of verdicts)
      expect([...answers], profile).toEqual(expect.arrayContaining(['ACK', 'NACK']));
  });

  // A rule about responses has tests of its own: these resources are in none.
  const ofResources = rules.filter(({ id }) => id !== 'response-type');
  it.each(ofResources.map((rule) => [rule.id, rule] as const))(
    'and the recorded ones of Envoy: some violate rule %s and some of its types do not',
    (_, { id, types }) => {
      const isViolated = [...validated, ...ofEnvoy]
        .filter(({ typeUrl }) => types.includes(typeUrl))
        .map(({ findings }) => findings.some(({ ruleId }) => ruleId === id));
      expect(isViolated).toContain(true);
      expect(isViolated).toContain(false);
    },
  );
});
