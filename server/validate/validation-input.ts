import { newValidation, type Validation } from '@/lib/api/findings';
import type { Profile } from '@/lib/validate/profile';
import type { RuleContext } from '@/lib/validate/rule';
import { type CollectedFindings, collectFindings } from '@/lib/validate/validate-resource';
import { CDS } from '@/lib/xds/resource-type';
import { readTypeUrl } from '@/lib/xds/v2-types';
import { CodecError } from '../codec/codec-error';
import { readConstraints } from '../codec/constraints';
import { decodeBody } from '../codec/decode-body';
import { encodeBody } from '../codec/encode-body';
import { findContainerType } from '../codec/input/containers';
import type { InputResource, ReadInput } from '../codec/input/input';
import { readInput } from '../codec/input/read-input';
import { parseExactJson } from '../codec/parse-exact-json';
import type { RedactionMarker } from '../codec/redaction-marker';
import { takeBody } from '../codec/take-body';
import { ValidationBuilder } from './validation-builder';

export interface InputToValidate {
  readonly profile: Profile;
  readonly bytes: Uint8Array;
  /** What the bytes are said to be. */
  readonly format: 'json' | 'yaml' | 'text';
  /** What the document as a whole is, where it does not say so itself. */
  readonly typeUrl?: string;
}

/** Bad input is a value: it comes from outside. */
export type ValidatedInput =
  | { readonly ok: true; readonly validation: Validation }
  | { readonly ok: false; readonly reason: string };

/** What somebody holds in the hand: `{typeUrl, valueBase64}`, `{typeUrl, resource}`, or any document with resources. */
export function validateInput(input: InputToValidate, marker: RedactionMarker): ValidatedInput {
  const envelope = readEnvelope(input);
  if (envelope !== undefined) return validateEnvelope(envelope, input.profile, marker);
  return validateDocument(input, marker);
}

/** undefined: it is a document. */
function readEnvelope({ bytes, format }: InputToValidate): Record<string, unknown> | undefined {
  if (format === 'text') return undefined;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!head.includes('valueBase64') && !head.includes('resource')) return undefined;
  let json: unknown;
  try {
    json = parseExactJson(head.toString('utf8'));
  } catch {
    // YAML, or no JSON: the reader of documents says what is wrong with it.
    return undefined;
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json) || !('typeUrl' in json))
    return undefined;
  return 'valueBase64' in json || 'resource' in json ? { ...json } : undefined;
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
  const context = { certificateProviders: providers };
  // A Resource of a delta response, or a whole response: what it holds is validated.
  if (findContainerType(typeUrl) !== undefined) {
    const read = readInput({ content: bytes, format: 'protobuf', typeUrl });
    return validateRead(read, profile, marker, context);
  }
  const builder = new ValidationBuilder(profile);
  builder.add({ typeUrl, name: '', place: '' }, validate(typeUrl, bytes, marker, context));
  return { ok: true, validation: builder.ofResource(markV2(typeUrl)) };
}

function markV2(typeUrl: string): { readonly apiVersion?: 'v2' } {
  return readTypeUrl(typeUrl).apiVersion === 'v2' ? { apiVersion: 'v2' } : {};
}

function validateDocument(
  { bytes, format, typeUrl, profile }: InputToValidate,
  marker: RedactionMarker,
): ValidatedInput {
  // JSON is YAML too, and clients name one where they send the other: what it says it is decides only about text.
  const read = readInput({ content: bytes, typeUrl, ...(format === 'text' ? {} : { format }) });
  return validateRead(read, profile, marker);
}

function validateRead(
  read: ReadInput,
  profile: Profile,
  marker: RedactionMarker,
  reported: RuleContext = {},
): ValidatedInput {
  const [problem] = read.problems;
  // One resource that cannot be read whole is bad input; of a dump, the rest is validated.
  const isWhole = read.kind === 'resource' && problem !== undefined;
  if (read.resources.length === 0 || isWhole) {
    const { place = '', reason = 'expected a document with resources in it, found none' } = problem ?? {};
    return { ok: false, reason: place === '' ? reason : `${place}: ${reason}` };
  }
  const context = { ...reported, clusters: clustersOf(read.resources) };
  const builder = new ValidationBuilder(profile);
  for (const { typeUrl, name, place, bytes } of read.resources) {
    builder.add({ typeUrl, name, place, ...markV2(typeUrl) }, validate(typeUrl, bytes, marker, context));
  }
  return { ok: true, validation: builder.ofDocument(read.problems) };
}

/** Every cluster of a document that has some; a route configuration alone does not say what its client knows. */
function clustersOf(resources: readonly InputResource[]): ReadonlySet<string> | undefined {
  const names = resources
    .filter((resource) => readTypeUrl(resource.typeUrl).typeUrl === CDS.typeUrl)
    .map(({ name }) => name);
  return names.length === 0 ? undefined : new Set(names);
}

/** Redacted first: a finding shows the value that it is about. */
function validate(
  typeUrl: string,
  bytes: Uint8Array,
  marker: RedactionMarker,
  context: RuleContext,
): CollectedFindings {
  const { body } = takeBody(typeUrl, bytes, marker);
  const { json } = decodeBody(body.typeUrl, body.bytes, { asV3: true });
  return collectFindings(body.typeUrl, json, { ...context, constraints: readConstraints() });
}
