import { describe, expect, it } from 'vitest';
import { checkedMessages } from '@/lib/validate/envoy/messages/checked-messages';
import { rules } from '@/lib/validate/rules';
import { verdictOfValidated } from '@/lib/validate/validate-resource';
import { encodeBody } from '@/server/codec/encode-body';
import { findMessageType } from '@/server/codec/root';
import { type EnvoyAnswer, readEnvoyAnswers, typeUrlOf, validateForEnvoy } from '../../support/envoy-answers';

const compared = readEnvoyAnswers().map((answer: EnvoyAnswer) => {
  const typeUrl = typeUrlOf(answer.service);
  return { ...answer, ...validateForEnvoy(typeUrl, encodeBody(typeUrl, answer.resource)) };
});
const titlesOf = (all: typeof compared) =>
  all.map(({ service, title, text, findings }) => {
    const broken = findings.filter(({ reactions }) => reactions['envoy-1.40'] === 'NACK');
    return `${service} ${title}: ${broken.map(({ ruleId, message }) => `${ruleId} ${message}`).join('; ')} ${text}`;
  });

describe('verdicts beside the recorded answers of Envoy 1.40.0', () => {
  it('a NACK is one of Envoy', () => {
    const isFalse = ({ verdict, answer }: (typeof compared)[number]) =>
      verdict === 'NACK' && (answer === 'ACK' || answer === 'silent');
    expect(titlesOf(compared.filter(isFalse))).toEqual([]);
  });

  it('an ACK is one of Envoy', () => {
    const isFalse = ({ verdict, answer }: (typeof compared)[number]) =>
      verdict === 'ACK' && (answer === 'NACK' || answer === 'ended');
    expect(titlesOf(compared.filter(isFalse))).toEqual([]);
  });

  it('an ACK or NACK by the rules of 1.36 is one of Envoy 1.36.2', () => {
    const wrong = compared.flatMap(({ service, title, of136, ...of140 }) => {
      const verdict = verdictOfValidated(of140, 'envoy-1.36');
      const { answer, text } = of136 ?? of140;
      const isFalse =
        (verdict === 'NACK' && (answer === 'ACK' || answer === 'silent')) ||
        (verdict === 'ACK' && (answer === 'NACK' || answer === 'ended'));
      return isFalse ? [`${service} ${title}: ${verdict}, ${answer} ${text}`] : [];
    });
    expect(wrong).toEqual([]);
    expect(compared.filter(({ of136 }) => of136 !== undefined).length).toBeGreaterThan(30);
  });

  it('every rule measured with Envoy has a resource that breaks it', () => {
    const broken = new Set(compared.flatMap(({ findings }) => findings.map(({ ruleId }) => ruleId)));
    const own = new Set(rules.filter(({ id }) => id.startsWith('ENVOY-')).map(({ id }) => id));
    const recorded = [...own].filter((id) => broken.has(id));
    expect(recorded).toContain('ENVOY-operators');
    expect(recorded.length).toBeGreaterThan(30);
  });
});

describe('checkedMessages', () => {
  it('has messages and fields of the protos alone', () => {
    const wrong: string[] = [];
    for (const [name, fields] of checkedMessages) {
      const type = findMessageType(name);
      if (type === undefined) {
        wrong.push(name);
        continue;
      }
      for (const [field, { kind, message, isMap }] of fields) {
        const found = type.fieldsArray.find((each) => jsonNameOf(each.name) === field);
        const resolved = found?.resolvedType?.fullName.slice(1) ?? '';
        const expected =
          kind === 'message'
            ? message
            : kind === 'extension'
              ? 'envoy.config.core.v3.TypedExtensionConfig'
              : { any: 'google.protobuf.Any', duration: 'google.protobuf.Duration', value: undefined }[kind];
        if (found === undefined || (kind !== 'value' && found.map !== isMap)) wrong.push(`${name}.${field}`);
        else if (expected !== undefined && resolved !== expected) wrong.push(`${name}.${field}: ${resolved}`);
        else if (kind === 'value' && ['google.protobuf.Any', 'google.protobuf.Duration'].includes(resolved))
          wrong.push(`${name}.${field}: ${resolved}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

function jsonNameOf(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
