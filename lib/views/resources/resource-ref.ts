import type { ResourceKey } from '../../observation/resource-state';
import { decodePercent } from '../../xds/decode-percent';
import { findResourceType, normaliseTypeUrl, resourceTypes } from '../../xds/resource-type';

/** Formats a type for URLs: "CDS" for a known type, else the percent-encoded type URL. */
export function formatTypeKey(typeUrl: string): string {
  return findResourceType(typeUrl)?.service ?? encodeURIComponent(normaliseTypeUrl(typeUrl));
}

export function parseTypeKey(text: string): string | undefined {
  const known = resourceTypes.find((type) => type.service === text);
  if (known !== undefined) return known.typeUrl;
  // URLs may be written by hand, with invalid escapes.
  const typeUrl = decodePercent(text);
  return typeUrl === undefined ? undefined : normaliseTypeUrl(typeUrl);
}

/** "CDS:shop-cart". The type contains no colon, so that the name is everything after the first one. */
export function formatResourceRef({ typeUrl, name }: ResourceKey): string {
  return `${formatTypeKey(typeUrl)}:${name}`;
}

export function parseResourceRef(text: string): ResourceKey | undefined {
  const colon = text.indexOf(':');
  if (colon === -1) return undefined;
  const typeUrl = parseTypeKey(text.slice(0, colon));
  return typeUrl === undefined ? undefined : { typeUrl, name: text.slice(colon + 1) };
}
