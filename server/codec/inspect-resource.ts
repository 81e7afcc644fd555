import { messageOf } from '@/lib/format/message-of';
import { followedReferences } from '@/lib/model/followed-references';
import { parseResource } from '@/lib/model/parse-resource';
import { type Reference, referencesOf } from '@/lib/model/references';
import { CDS, normaliseTypeUrl } from '@/lib/xds/resource-type';
import type { Body } from '../observe';
import { canonicalWire } from './canonical-wire';
import { findClusterReferences } from './cluster-reference';
import { decodeBody } from './decode-body';
import { isPlainResource } from './is-plain-resource';
import type { KeyTextSearch } from './key-text-search';
import { maskPrivateKeys } from './mask-private-keys';
import type { RedactionMarker } from './redaction-marker';
import { findMessageType, unknownTypeReason } from './root';
import { sanitizeBody } from './sanitize-body';
import { mayHoldSecretValue } from './secrets/trigger-scan';
import { sha256 } from './sha256';

/** The properties of a received resource that an xDS client needs. */
export interface InspectedResource {
  readonly body: Body;
  /** The error of a strict decoder, or null if it accepts the bytes. */
  readonly problem: string | null;
  /** The resources to which a client subscribes because of this one. Empty unless requested. */
  readonly references: readonly Reference[];
}

const noReferences: readonly Reference[] = [];

export interface InspectOptions {
  readonly withReferences: boolean;
  /** The search over the response that the resource is part of. */
  readonly keyTexts?: KeyTextSearch | undefined;
}

export function inspectResource(
  typeUrl: string,
  bytes: Uint8Array,
  { withReferences, keyTexts }: InspectOptions,
  marker: RedactionMarker,
): InspectedResource {
  if (!isPlainResource(typeUrl, bytes)) return inspectAny(typeUrl, bytes, withReferences, marker);
  const { body } = mayHoldSecretValue(bytes)
    ? sanitizeBody(typeUrl, bytes, marker)
    : takePlainBody(typeUrl, bytes, keyTexts);
  return { body, problem: null, references: withReferences ? findReferences(typeUrl, bytes) : noReferences };
}

function takePlainBody(
  typeUrl: string,
  bytes: Uint8Array,
  keyTexts: KeyTextSearch | undefined,
): { body: Body } {
  const clean = keyTexts?.mayHold(bytes) === false ? bytes : maskPrivateKeys(bytes).bytes;
  const canonical = canonicalWire(typeUrl, clean);
  return { body: { hash: sha256(canonical), typeUrl: normaliseTypeUrl(typeUrl), bytes: canonical } };
}

/** Inspects a resource without the shortcut for plain resources. */
export function inspectAny(
  typeUrl: string,
  bytes: Uint8Array,
  withReferences: boolean,
  marker: RedactionMarker,
): InspectedResource {
  const { body } = sanitizeBody(typeUrl, bytes, marker);
  const problem = findProblem(typeUrl, bytes);
  const references = withReferences && problem === null ? readReferences(typeUrl, bytes) : noReferences;
  return { body, problem, references };
}

/** The client decides whether it follows those of an api_config_source. */
const fromAny = { fromApi: true, fromRest: true };

function findReferences(typeUrl: string, bytes: Uint8Array): readonly Reference[] {
  const found = typeUrl === CDS.typeUrl ? findClusterReferences(bytes) : undefined;
  return found === undefined ? readReferences(typeUrl, bytes) : followedReferences(found, fromAny);
}

function readReferences(typeUrl: string, bytes: Uint8Array): readonly Reference[] {
  const { json } = decodeBody(typeUrl, bytes, { asV3: true });
  return followedReferences(referencesOf(parseResource(typeUrl, json)), fromAny);
}

function findProblem(typeUrl: string, bytes: Uint8Array): string | null {
  const type = findMessageType(typeUrl);
  if (type === undefined) return unknownTypeReason(typeUrl);
  try {
    type.decode(bytes);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}
