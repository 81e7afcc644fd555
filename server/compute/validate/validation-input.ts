import { findUnchecked, type UncheckedPart } from '@/lib/validate/find-unchecked';
import type { RuleContext } from '@/lib/validate/rule';
import { addAddresses } from '@/lib/validate/taken-addresses';
import { type CollectedFindings, collectFindings } from '@/lib/validate/validate-resource';
import { newValidation, type Validation } from '@/lib/views/findings/schema';
import type { Profile } from '@/lib/xds/profile';
import { CDS, LDS, normaliseTypeUrl } from '@/lib/xds/resource-type';
import { readTypeUrl } from '@/lib/xds/v2-types';
import { CodecError } from '../../codec/codec-error';
import { decodeBody } from '../../codec/decode-body';
import { planProtobuf, planReport } from '../../codec/dump-parser/plan-report';
import {
  type FoundResource,
  type FoundResources,
  readResources,
} from '../../codec/dump-parser/read-resources';
import { encodeBody } from '../../codec/encode-body';
import { findContainerType } from '../../codec/input/containers';
import { isJsonObject, type JsonObject } from '../../codec/json/json-object';
import { parseExactJson } from '../../codec/parse-exact-json';
import type { RedactionMarker } from '../../codec/redaction-marker';
import { sanitizeBody } from '../../codec/sanitize-body';
import type { Body } from '../../observe';
import { contextOfDecoded } from './decoded-context';
import { ValidationBuilder } from './validation-builder';

/** The bytes of a request, and the type of the document, or of each element of a list, if neither states its type. */
export interface InputDocument {
  readonly bytes: Uint8Array;
  readonly typeUrl?: string | undefined;
  /** The clusters of the client that would receive the resources, beside those of the document. */
  readonly clusters?: readonly string[] | undefined;
}

export interface InputToValidate extends InputDocument {
  readonly profile: Profile;
}

export type ValidatedInput =
  | { readonly ok: true; readonly validation: Validation }
  | { readonly ok: false; readonly reason: string };

/** A resource of the input with what is found in it. Names and findings may quote secrets; `body` is redacted. */
export interface FoundInInput extends Pick<FoundResource, 'typeUrl' | 'name' | 'place' | 'client'> {
  readonly apiVersion?: 'v2';
  readonly body: Body;
  readonly isRedacted: boolean;
  readonly collected: CollectedFindings;
  readonly unchecked: readonly UncheckedPart[];
}

type InputSummary =
  | {
      readonly ok: true;
      /** Set if the input is one resource with its type, and no document. */
      readonly single?: Pick<FoundInInput, 'apiVersion'>;
      readonly problems: FoundResources['problems'];
      readonly removals: FoundResources['removals'];
      readonly emptyTypes: FoundResources['emptyTypes'];
    }
  | { readonly ok: false; readonly reason: string };

/** Validates `{typeUrl, valueBase64}`, `{typeUrl, resource}`, or any document with resources in it. */
export function validateInput(input: InputToValidate, marker: RedactionMarker): ValidatedInput {
  const builder = new ValidationBuilder(input.profile);
  let count = 0;
  const read = validateEach(
    input,
    marker,
    ({ body: _, isRedacted: __, collected, unchecked, ...resource }) => {
      count += 1;
      builder.add(resource, collected, unchecked);
    },
  );
  if (!read.ok) return read;
  if (count === 0) return { ok: false, reason: withoutResources };
  const { single, problems } = read;
  const validation = single === undefined ? builder.ofDocument(problems) : builder.ofResource(single);
  return { ok: true, validation };
}

const withoutResources = 'expected a document with xDS resources in it, got a response without resources';

/** Hands over each resource of the input, in its order. */
export function validateEach(
  input: InputDocument,
  marker: RedactionMarker,
  take: (found: FoundInInput) => void,
): InputSummary {
  const { bytes, typeUrl, clusters } = input;
  const envelope = readEnvelope(bytes);
  if (envelope !== undefined) return validateEnvelope(envelope, marker, take);
  return validateFound(readResources(planReport(bytes, { typeUrl })), { clusters, marker, take });
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

function validateEnvelope(
  envelope: unknown,
  marker: RedactionMarker,
  take: (found: FoundInInput) => void,
): InputSummary {
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
    return validateFound(readResources(planProtobuf(bytes, typeUrl)), { marker, take, context });
  }
  take({
    typeUrl,
    name: '',
    place: '',
    client: 0,
    ...markV2(typeUrl),
    ...validate(typeUrl, bytes, marker, context),
  });
  return { ok: true, single: markV2(typeUrl), problems: [], removals: [], emptyTypes: [] };
}

function markV2(typeUrl: string): { readonly apiVersion?: 'v2' } {
  return readTypeUrl(typeUrl).apiVersion === 'v2' ? { apiVersion: 'v2' } : {};
}

interface FoundHandling {
  readonly marker: RedactionMarker;
  readonly take: (found: FoundInInput) => void;
  readonly context?: RuleContext;
  readonly clusters?: readonly string[] | undefined;
}

function validateFound(
  { resources, problems, isSingle, removals, emptyTypes }: FoundResources,
  { marker, take, context: reported = {}, clusters = [] }: FoundHandling,
): InputSummary {
  const [problem] = problems;
  const isEmpty = resources.length === 0 && problem === undefined;
  const untyped = [...removals.map(({ typeUrl }) => typeUrl), ...emptyTypes].includes('');
  if (isEmpty && untyped) return { ok: false, reason: `${withoutResources}, which states no type_url` };
  // A response that has no resources is read for what it removes.
  if (isEmpty && removals.length + emptyTypes.length > 0) return { ok: true, problems, removals, emptyTypes };
  // A single resource that cannot be read whole is bad input; the readable part of a dump is validated.
  if (resources.length === 0 || (isSingle && problem !== undefined)) {
    const { place = '', reason = 'expected a document with xDS resources in it' } = problem ?? {};
    return { ok: false, reason: place === '' ? reason : `${place}: ${reason}` };
  }
  const context = { ...reported, isWithoutClient: true };
  const known = clustersByClient(resources, clusters);
  const pushes = new Map<object | number, Push>();
  const mixed = new Set(resources.filter(isOfOtherType).map(({ response }) => response));
  for (const { typeUrl, name, place, bytes, response, client, isSent } of resources) {
    const push = pushes.get(response ?? client) ?? { keys: new Set(), takenAddresses: new Map() };
    pushes.set(response ?? client, push);
    const { keys, takenAddresses } = push;
    const key = `${typeUrl} ${name}`;
    // Dumps repeat names, such as those of active and warming clusters.
    const isRepeated = isSent && keys.has(key);
    keys.add(key);
    const own = {
      ...{ ...context, clusters: known.get(client), isRepeated, takenAddresses },
      ...(response &&
        response.typeUrl !== '' && {
          response: { typeUrl: normaliseTypeUrl(response.typeUrl), isMixed: mixed.has(response) },
        }),
    };
    const validated = validate(typeUrl, bytes, marker, own, (json) => {
      if (readTypeUrl(typeUrl).typeUrl === LDS.typeUrl) addAddresses(takenAddresses, name, json);
    });
    take({ typeUrl, name, place, client, ...markV2(typeUrl), ...validated });
  }
  return { ok: true, problems, removals, emptyTypes };
}

/** Returns true for a resource in a response that states another type. */
function isOfOtherType({ typeUrl, response }: FoundResource): boolean {
  if (response === undefined || response.typeUrl === '') return false;
  return readTypeUrl(normaliseTypeUrl(response.typeUrl)).typeUrl !== readTypeUrl(typeUrl).typeUrl;
}

/** Resources that reach a client together: those of one response, or of a client in a document. */
interface Push {
  readonly keys: Set<string>;
  /** The addresses of the listeners so far, with their names. */
  readonly takenAddresses: Map<string, string>;
}

/** The names of all clusters by client. A client without clusters is left out, because its clusters are unknown. */
function clustersByClient(
  resources: readonly FoundResource[],
  others: readonly string[],
): ReadonlyMap<number, ReadonlySet<string>> {
  const found = new Map<number, Set<string>>();
  for (const { typeUrl, name, client } of resources) {
    const isCluster = readTypeUrl(typeUrl).typeUrl === CDS.typeUrl;
    if (!isCluster && others.length === 0) continue;
    const names = found.get(client) ?? new Set(others);
    if (isCluster) names.add(name);
    found.set(client, names);
  }
  return found;
}

/** Redacts the resource first, because a finding quotes the value that it is about. */
function validate(
  typeUrl: string,
  bytes: Uint8Array,
  marker: RedactionMarker,
  context: RuleContext,
  onValidated: (json: unknown) => void = () => {},
): Pick<FoundInInput, 'body' | 'isRedacted' | 'collected' | 'unchecked'> {
  const { body, redacted } = sanitizeBody(typeUrl, bytes, marker);
  const { json, v2 } = decodeBody(body.typeUrl, body.bytes, { asV3: true });
  const collected = collectFindings(body.typeUrl, json, {
    ...context,
    ...contextOfDecoded(body.typeUrl, v2),
  });
  onValidated(json);
  return { body, isRedacted: redacted.length > 0, collected, unchecked: findUnchecked(body.typeUrl, json) };
}
