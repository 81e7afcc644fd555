import { describe, expect, it } from 'vitest';
import { validateResource, verdictOf } from '@/lib/validate/validate-resource';
import { decodeBody } from '@/server/codec/decode-body';
import { encodeBody } from '@/server/codec/encode-body';
import { envoyCases, envoyContext } from './conformance-cases/envoy-cases';

describe.each(envoyCases)('verdicts of Envoy 1.40.0 (xds-semantics %s)', (_, typeUrl, cases) => {
  it.each(cases.map((each) => [each[0], each] as const))('%s', (_title, [, resource, verdict, context]) => {
    const bytes = encodeBody(typeUrl, JSON.parse(JSON.stringify(resource)));
    const findings = validateResource(typeUrl, decodeBody(typeUrl, bytes).json, {
      ...envoyContext,
      ...context,
    });
    const why = findings.map(
      ({ ruleId, message, reactions }) => `${ruleId} ${reactions['envoy-1.40']} ${message}`,
    );
    expect(verdictOf(findings, 'envoy-1.40'), why.join('\n')).toBe(verdict);
  });
});
