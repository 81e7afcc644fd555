import { describe, expect, it } from 'vitest';
import { nackBy, noNacks, type Reactions, react } from '@/lib/validate/reactions';
import type { Finding } from '@/lib/validate/validate-resource';
import { findExplained } from '../peers/verdicts/explained';

const finding = (ruleId: string, reactions: Reactions, otherwise?: Reactions): Finding => ({
  ...{ ruleId, reactions, source: 's', fieldPath: 'a.b', message: 'm' },
  ...(otherwise && { dependsOn: 'It depends.', otherwise }),
});
const explain = (answer: 'ACK' | 'NACK' | 'ended', findings: readonly Finding[], text = '') =>
  findExplained('envoy 1.40.0', 'some title', 'envoy-1.40', { found: { answer, text }, findings });

const envoyNack = nackBy('envoy');
const extension = finding('ENVOY-extensions', envoyNack, noNacks);
const file = finding('ENVOY-files', noNacks, envoyNack);

describe('a difference between a verdict and an answer', () => {
  it('is explained by a finding whose assumption does not hold, with its field', () => {
    expect(explain('ACK', [extension])).toBe('a.b: It depends.');
    expect(explain('NACK', [file], 'paths must refer to an existing path')).toBe('a.b: It depends.');
  });

  it('is not explained in the other direction', () => {
    expect(explain('ended', [extension])).toBeUndefined();
    expect(explain('ended', [file])).toBeUndefined();
  });

  it('is not explained by an error about something else', () => {
    expect(explain('NACK', [file], 'Invalid header name')).toBeUndefined();
  });

  it('is not explained if another finding has the verdict', () => {
    expect(explain('ACK', [extension, finding('PGV', envoyNack)])).toBeUndefined();
  });

  it('is not explained by what depends on the state of another client', () => {
    const ofJava = finding('S1', noNacks, react({ 'not serving': ['java'] }));
    expect(explain('NACK', [ofJava], 'address')).toBeUndefined();
  });
});
