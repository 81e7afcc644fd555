import { findUnchecked, type UncheckedPart } from '@/lib/validate/find-unchecked';
import type { RuleContext } from '@/lib/validate/rule';
import { addAddresses } from '@/lib/validate/taken-addresses';
import { type CollectedFindings, collectFindings } from '@/lib/validate/validate-resource';
import { newValidation, type Validation } from '@/lib/views/findings/schema';
import type { Profile } from '@/lib/xds/profile';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { readTypeUrl } from '@/lib/xds/v2-types';
import { CodecError } from '../codec/codec-error';
import { decodeBody } from '../codec/decode-body';
import { planProtobuf, planReport } from '../codec/dump-parser/plan-report';
import { type FoundResource, type FoundResources, readResources } from '../codec/dump-parser/read-resources';
import { encodeBody } from '../codec/encode-body';
import { findContainerType } from '../codec/input/containers';
import { isJsonObject, type JsonObject } from '../codec/json/json-object';
import { parseExactJson } from '../codec/parse-exact-json';
import type { RedactionMarker } from '../codec/redaction-marker';
import { sanitizeBody } from '../codec/sanitize-body';
import { contextOfDecoded } from './decoded-context';
import { ValidationBuilder } from './validation-builder';

export interface InputToValidate {
  readonly profile: Profile;
  readonly bytes: Uint8Array;
  /** Type URL or full name of the document, or of each element of a list, if neither states its type. */
  readonly typeUrl?: string | undefined;
}

export type ValidatedInput =
  | { readonly ok: true; readonly validation: Validation }
  | { readonly ok: false; readonly reason: string };

/** Validates `{typeUrl, valueBase64}`, `{typeUrl, resource}`, or any document with resources in it. */
export function validateInput(input: InputToValidate, marker: RedactionMarker): ValidatedInput {
  const { bytes, typeUrl, profile } = input;
  const envelope = readEnvelope(bytes);
  if (envelope !== undefined) return validateEnvelope(envelope, profile, marker);
  return validateFound(readResources(planReport(bytes, { typeUrl })), profile, marker);
}

/** Returns undefined if the bytes are a document. */
function readEnvelope(bytes: Uint8Array): JsonObject | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!text.includes('valueBase64') && !text.includes('resource')) return undefined;
  try {
    const json = parseExactJson(text.toString('utf8'));
    const isEnvelope =
      isJsonObject(json) && 'typeUrl' in json && ('valueBase64' in json || 'resource' in json);
    return isEnvelope ? json : undefined;
  } catch {
    return undefined; // planReport() reports the reason, or reads the document as YAML or protobuf.
  }
}

function validateEnvelope(envelope: unknown, profile: Profile, marker: RedactionMarker): ValidatedInput {
  const parsed = newValidation.safeParse(envelope);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const where = issue === undefined || issue.path.length === 0 ? 'body' : issue.path.join('.');
    return { ok: false, reason: `${where}: ${issue?.message ?? 'not understood'}` };
  }
  const { typeUrl, valueBase64, resource, certificateProviders } = parsed.data;
  if ((valueBase64 === undefined) === (resource === undefined)) {
    return { ok: false, reason: 'expected either valueBase64 (bytes) or resource (proto3 JSON)' };
  }
  let bytes: Uint8Array;
  try {
    bytes = valueBase64 === undefined ? encodeBody(typeUrl, resource) : Buffer.from(valueBase64, 'base64');
  } catch (error) {
    if (error instanceof CodecError) return { ok: false, reason: `resource: ${error.message}` };
    throw error;
  }
  const providers = certificateProviders === undefined ? undefined : new Set(certificateProviders);
  const context = { certificateProviders: providers, isWithoutClient: true };
  // The resources in a Resource of a delta response, or in a whole response, are validated.
  if (findContainerType(typeUrl) !== undefined) {
    return validateFound(readResources(planProtobuf(bytes, typeUrl)), profile, marker, context);
  }
  const builder = new ValidationBuilder(profile);
  builder.add({ typeUrl, name: '', place: '' }, ...validate(typeUrl, bytes, marker, context));
  return { ok: true, validation: builder.ofResource(markV2(typeUrl)) };
}

function markV2(typeUrl: string): { readonly apiVersion?: 'v2' } {
  return readTypeUrl(typeUrl).apiVersion === 'v2' ? { apiVersion: 'v2' } : {};
}

function validateFound(
  { resources, problems, isSingle }: FoundResources,
  profile: Profile,
  marker: RedactionMarker,
  reported: RuleContext = {},
): ValidatedInput {
  const [problem] = problems;
  // A single resource that cannot be read whole is bad input; the readable part of a dump is validated.
  if (resources.length === 0 || (isSingle && problem !== undefined)) {
    const { place = '', reason = 'expected a document with xDS resources in it' } = problem ?? {};
    return { ok: false, reason: place === '' ? reason : `${place}: ${reason}` };
  }
  const context = { ...reported, isWithoutClient: true, clusters: clustersOf(resources) };
  const builder = new ValidationBuilder(profile);
  const seen = new Set<string>();
  const takenAddresses = new Map<string, string>();
  for (const { typeUrl, name, place, bytes } of resources) {
    const key = `${typeUrl} ${name}`;
    const isRepeated = inResponse.test(place) && seen.has(key);
    seen.add(key);
    const validated = validate(typeUrl, bytes, marker, { ...context, isRepeated, takenAddresses }, (json) => {
      if (readTypeUrl(typeUrl).typeUrl === LDS.typeUrl) addAddresses(takenAddresses, name, json);
    });
    builder.add({ typeUrl, name, place, ...markV2(typeUrl) }, ...validated);
  }
  return { ok: true, validation: builder.ofDocument(problems) };
}

/** The place of a resource in a DiscoveryResponse. Dumps repeat names, such as those of active and warming clusters. */
const inResponse = /^resources\[\d+\]/;

/** Returns the names of all clusters, or undefined without clusters, because those of the client are unknown. */
function clustersOf(resources: readonly FoundResource[]): ReadonlySet<string> | undefined {
  const names = resources
    .filter((resource) => readTypeUrl(resource.typeUrl).typeUrl === CDS.typeUrl)
    .map(({ name }) => name);
  return names.length === 0 ? undefined : new Set(names);
}

/** Redacts the resource first, because a finding quotes the value that it is about. */
function validate(
  typeUrl: string,
  bytes: Uint8Array,
  marker: RedactionMarker,
  context: RuleContext,
  onValidated: (json: unknown) => void = () => {},
): [findings: CollectedFindings, unchecked: readonly UncheckedPart[]] {
  const { body } = sanitizeBody(typeUrl, bytes, marker);
  const { json, v2 } = decodeBody(body.typeUrl, body.bytes, { asV3: true });
  const found = collectFindings(body.typeUrl, json, {
    ...context,
    ...contextOfDecoded(body.typeUrl, v2),
  });
  onValidated(json);
  return [found, findUnchecked(body.typeUrl, json)];
}
