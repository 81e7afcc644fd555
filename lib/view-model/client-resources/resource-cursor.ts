import type { RowPlace } from './resource-order';
import { formatResourceSort, type ResourceSort } from './resource-question';

/**
 * Where a page ends: behind a place in the order, which stays true whatever comes and goes before it. A name too long
 * for a URL leaves only the number of rows before.
 */
export type ResourceCursor =
  | { readonly kind: 'place'; readonly place: RowPlace }
  | { readonly kind: 'offset'; readonly offset: number };

const mostChars = 4_000;

/** Opaque to who gets it. The order is in it: in another one the place would mean nothing. */
export function formatResourceCursor(place: RowPlace, offset: number, sort: ResourceSort | null): string {
  const { value, typeUrl, name } = place;
  const exact = toBase64Url(JSON.stringify([formatResourceSort(sort), value, typeUrl, name]));
  return exact.length <= mostChars ? exact : toBase64Url(JSON.stringify([formatResourceSort(sort), offset]));
}

/** undefined: not a cursor of this order. */
export function parseResourceCursor(text: string, sort: ResourceSort | null): ResourceCursor | undefined {
  const parts = parseParts(text);
  if (parts === undefined || parts[0] !== formatResourceSort(sort)) return undefined;
  const [, value, typeUrl, name] = parts;
  if (parts.length === 2 && typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) {
    return { kind: 'offset', offset: value };
  }
  const isValue = value === null || typeof value === 'number' || typeof value === 'string';
  if (!isValue || typeof typeUrl !== 'string' || typeof name !== 'string') return undefined;
  return { kind: 'place', place: { value, typeUrl, name } };
}

function parseParts(text: string): readonly unknown[] | undefined {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (byte) =>
      byte.charCodeAt(0),
    );
    const parts: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return Array.isArray(parts) ? parts : undefined;
  } catch {
    return undefined; // Neither base64 nor JSON: not ours.
  }
}

/** JSON escapes what UTF-8 cannot say (half of a surrogate pair), so any name comes back as it was. */
function toBase64Url(text: string): string {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte));
  return btoa(bytes.join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
