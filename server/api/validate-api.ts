import { newValidation, type Validation } from '@/lib/api/schema';
import { type Profile, profiles } from '@/lib/validate/profile';
import { validateResource, verdictOf } from '@/lib/validate/validate-resource';
import type { Codec } from '../codec/codec';
import { CodecError } from '../codec/codec-error';
import { badRequest } from './api-error';
import { parseInput } from './parse-input';

/** What a gRPC client would make of a resource that somebody holds in the hand. Nothing is stored. */
export function validateInput(codec: Codec, profile: string, input: unknown): Validation {
  const known = profiles.find((each) => each === profile);
  if (known === undefined) {
    throw badRequest(`profile: expected one of ${profiles.join(', ')}, got ${JSON.stringify(profile)}`);
  }
  const { typeUrl, valueBase64, resource, certificateProviders } = parseInput(newValidation, input);
  if ((valueBase64 === undefined) === (resource === undefined)) {
    throw badRequest('expected either valueBase64 (bytes) or resource (proto3 JSON)');
  }
  const bytes =
    valueBase64 === undefined ? encode(codec, typeUrl, resource) : Buffer.from(valueBase64, 'base64');
  const providers = certificateProviders === undefined ? undefined : new Set(certificateProviders);
  return judge(codec, known, typeUrl, bytes, providers);
}

function judge(
  codec: Codec,
  profile: Profile,
  typeUrl: string,
  bytes: Uint8Array,
  certificateProviders: ReadonlySet<string> | undefined,
): Validation {
  const { json } = codec.decode(typeUrl, bytes);
  const findings = validateResource(typeUrl, json, { certificateProviders });
  return { verdict: verdictOf(findings, profile), findings };
}

function encode(codec: Codec, typeUrl: string, resource: unknown): Uint8Array {
  try {
    return codec.encode(typeUrl, resource);
  } catch (error) {
    if (error instanceof CodecError) throw badRequest(`resource: ${error.message}`);
    throw error;
  }
}
