import { parseResource } from '@/lib/model/parse-resource';
import { type Reference, referencesOf } from '@/lib/model/references';
import type { Body } from '../observe';
import { decodeBody } from './decode-body';
import type { RedactionMarker } from './redaction-marker';
import { findMessageType } from './root';
import { takeBody } from './take-body';

/** All that an xDS client wants to know of a resource that just came, in one go. */
export interface InspectedResource {
  readonly body: Body;
  /** Why a strict decoder refuses the bytes; null when it takes them. */
  readonly problem: string | null;
  /** What it asks for by name; empty unless wanted, since that costs the way through JSON. */
  readonly references: readonly Reference[];
}

export function inspectResource(
  typeUrl: string,
  bytes: Uint8Array,
  options: { readonly withReferences: boolean },
  marker: RedactionMarker,
): InspectedResource {
  const { body } = takeBody(typeUrl, bytes, marker);
  const problem = findProblem(typeUrl, bytes);
  const wantsReferences = options.withReferences && problem === null;
  const references = wantsReferences
    ? referencesOf(parseResource(typeUrl, decodeBody(typeUrl, bytes, { asV3: true }).json))
    : [];
  return { body, problem, references };
}

function findProblem(typeUrl: string, bytes: Uint8Array): string | null {
  const type = findMessageType(typeUrl);
  if (type === undefined) return `the type "${typeUrl}" is not in xdscope's protos`;
  try {
    type.decode(bytes);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
