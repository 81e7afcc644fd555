import { grpcClients, type Who } from '../../xds/profile';
import type { Field } from '../field';
import { grpcNack, nackBy } from '../reactions';
import type { CheckContext, Report } from '../rule';
import { checkStringMatcher } from '../string-matcher';

/** The CertificateValidationContext, in either of the two places that gRPC reads. */
export function validationOf(common: Field): Field {
  const combined = common.at('combinedValidationContext');
  return combined.exists ? combined.at('defaultValidationContext') : common.at('validationContext');
}

/**
 * The deprecated places of the CA certificates. C-core and Java still read the one inside a combined context, grpc-go
 * reads both, grpc-js-xds neither.
 */
export function oldCaProviderOf(common: Field): {
  readonly field: Field;
  readonly readers: readonly Who[];
} {
  const inside = common.in('combinedValidationContext', 'validationContextCertificateProviderInstance');
  if (inside.exists) return { field: inside, readers: ['core', 'go', 'java'] };
  return { field: common.at('validationContextCertificateProviderInstance'), readers: ['go'] };
}

export function identityOf(common: Field): Field {
  const current = common.at('tlsCertificateProviderInstance');
  return current.exists ? current : common.at('tlsCertificateCertificateProviderInstance');
}

/**
 * grpc-go reads the deprecated fields if the current ones are invalid. If the deprecated fields have a CA provider,
 * it rejects nothing in the validation context.
 */
function hasGoFallback(common: Field): boolean {
  return common.in('combinedValidationContext', 'validationContextCertificateProviderInstance').exists;
}

/** Rule T3. */
export function checkUnsupported(common: Field, report: Report): void {
  for (const name of ['tlsParams', 'customHandshaker']) {
    const field = common.at(name);
    if (field.exists) report({ field, expected: 'nothing: it is not supported' });
  }
}

/** Rule T4. */
export function checkValidation(common: Field, report: Report): void {
  const validation = validationOf(common);
  const reactions = hasGoFallback(common) ? nackBy('core', 'java', 'node') : grpcNack;
  for (const name of ['verifyCertificateSpki', 'verifyCertificateHash', 'crl', 'customValidatorConfig']) {
    const field = validation.at(name);
    if (field.exists) report({ field, expected: 'nothing: it is not supported', reactions });
  }
  const timestamp = validation.at('requireSignedCertificateTimestamp');
  // grpc-js-xds rejects the field whenever it is present, whatever its value.
  if (timestamp.isTrue) report({ field: timestamp, expected: 'false: it is not supported', reactions });
  else if (timestamp.exists)
    report({ field: timestamp, expected: 'nothing: it is not supported', reactions: nackBy('node') });
}

/** Rule T5: certificates that come from a source other than a provider. */
export function checkOtherCertificates(common: Field, side: 'client' | 'server', report: Report): void {
  const sds = common.at('validationContextSdsSecretConfig');
  const combined = common.in('combinedValidationContext', 'validationContextSdsSecretConfig');
  if (sds.exists) report({ field: sds, expected: 'a provider instance: SDS is not supported' });
  if (combined.exists)
    report({
      field: combined,
      expected: 'a provider instance: SDS is not supported',
      reactions: nackBy(),
      note: 'gRPC does not read it here, beside a default validation context.',
    });
  if (common.at('tlsCertificateProviderInstance').exists) return;
  const isOld = identityOf(common).exists;
  // C-core accepts the deprecated field; grpc-go then reads only the deprecated fields.
  const reactions = isOld
    ? nackBy('node')
    : nackBy('core', 'java', ...(side === 'client' ? (['node'] as const) : []));
  for (const name of ['tlsCertificates', 'tlsCertificateSdsSecretConfigs']) {
    const field = common.at(name);
    if (!field.exists) continue;
    report({ field, expected: 'a provider instance in its place', reactions });
    if (side === 'client' && !oldCaProviderOf(common).field.exists)
      report({ field, expected: 'a provider instance in its place', reactions: nackBy('go') });
  }
}

/** Rule T6: the provider must be in the client's bootstrap. */
export function checkProviders(common: Field, context: CheckContext, report: Report): void {
  const known = context.certificateProviders;
  const validation = validationOf(common);
  const current = validation.at('caCertificateProviderInstance');
  const old = oldCaProviderOf(common);
  const identity = identityOf(common);
  const isOldIdentity = !common.at('tlsCertificateProviderInstance').exists;
  const readersOfOld: readonly Who[] = ['core', 'go', 'java'];
  const named: [provider: Field, readers: readonly Who[]][] = [
    [identity, isOldIdentity ? readersOfOld : grpcClients],
    [current, grpcClients],
    ...(current.exists ? [] : [[old.field, old.readers] as [Field, readonly Who[]]]),
  ];
  for (const [provider, readers] of named) {
    const name = provider.at('instanceName');
    if (!provider.exists) continue;
    if (known === undefined) {
      report({
        field: name,
        expected: 'a provider of the bootstrap',
        reactions: nackBy(),
        dependence: {
          dependsOn:
            "The client's bootstrap, which is not known here: it is assumed to have the certificate providers that the resource names.",
          otherwise: nackBy(...readers),
        },
      });
    } else if (!known.has(name.text)) {
      report({
        field: name,
        expected: `a provider of the bootstrap (${[...known].join(', ') || 'it has none'})`,
        reactions: nackBy(...readers),
      });
    }
  }
}

/** Rule T7. */
export function checkSubjectAltNames(common: Field, report: Report): void {
  const validates = hasGoFallback(common) ? (['core', 'java'] as const) : (['core', 'go', 'java'] as const);
  for (const matcher of validationOf(common).at('matchSubjectAltNames').items())
    checkStringMatcher(matcher, [...validates, 'envoy'], report);
}
