import { NestingError } from '../document-nesting';
import { findTypeOfJson, typesWith } from '../input/recognise-json';
import { isJsonObject } from '../json/json-object';
import type { DocumentView } from './document-view';

export type Notation = 'JSON' | 'YAML';

/** Limits an object that is parsed as a whole to recognise a resource. */
const largestPartBytes = 64 * 1024 * 1024;

/**
 * Returns true if an object without "@type" has the fields of a resource. Returns the limit that the value exceeds,
 * if it does, because a document that is too large may still contain resources.
 */
export function isBareResource(view: DocumentView, notation: Notation): boolean | NestingError {
  if (view.size() > largestPartBytes) return false;
  try {
    // Parsing YAML costs far more than finding its keys.
    if (notation === 'YAML' && typesWith(keysOf(view)).length === 0) return false;
    const json = view.value();
    return isJsonObject(json) && findTypeOfJson(json) !== undefined;
  } catch (error) {
    return error instanceof NestingError && error; // Other errors are reported when the parts are read.
  }
}

function* keysOf(view: DocumentView): Iterable<string> {
  for (const [key] of view.members()) yield key;
}
