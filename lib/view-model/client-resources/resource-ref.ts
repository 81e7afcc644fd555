import type { ResourceKey } from '../../observation/observation';
import { decodePercent } from '../../xds/decode-percent';
import { findResourceType, normaliseTypeUrl, resourceTypes } from '../../xds/resource-type';

/** A type as the URL says it: "CDS" for a known one, the whole type URL, percent-encoded, for another. */
export function formatTypeKey(typeUrl: string): string {
  return findResourceType(typeUrl)?.service ?? encodeURIComponent(normaliseTypeUrl(typeUrl));
}

export function parseTypeKey(text: string): string | undefined {
  const known = resourceTypes.find((type) => type.service === text);
  if (known !== undefined) return known.typeUrl;
  // Undefined where it is written by hand.
  const typeUrl = decodePercent(text);
  return typeUrl === undefined ? undefined : normaliseTypeUrl(typeUrl);
}

/** "CDS:shop-cart". The type never holds a colon, so whatever follows the first one is the name. */
export function formatResourceRef({ typeUrl, name }: ResourceKey): string {
  return `${formatTypeKey(typeUrl)}:${name}`;
}

export function parseResourceRef(text: string): ResourceKey | undefined {
  const colon = text.indexOf(':');
  if (colon === -1) return undefined;
  const typeUrl = parseTypeKey(text.slice(0, colon));
  return typeUrl === undefined ? undefined : { typeUrl, name: text.slice(colon + 1) };
}
