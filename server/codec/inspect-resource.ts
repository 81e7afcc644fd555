import { messageOf } from '@/lib/format/message-of';
import { followedReferences } from '@/lib/model/followed-references';
import { parseResource } from '@/lib/model/parse-resource';
import { type Reference, referencesOf } from '@/lib/model/references';
import type { Body } from '../observe';
import { decodeBody } from './decode-body';
import type { RedactionMarker } from './redaction-marker';
import { findMessageType, unknownTypeReason } from './root';
import { sanitizeBody } from './sanitize-body';

/** The properties of a received resource that an xDS client needs. */
export interface InspectedResource {
  readonly body: Body;
  /** The error of a strict decoder, or null if it accepts the bytes. */
  readonly problem: string | null;
  /** The resources to which a client subscribes because of this one. Empty unless requested. */
  readonly references: readonly Reference[];
}

const noReferences: readonly Reference[] = [];

export function inspectResource(
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
