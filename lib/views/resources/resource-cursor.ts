import type { RowPlace } from './resource-order';
import { formatResourceSort, type ResourceSort } from './resource-question';

/**
 * The end of a page: a place in the order, which remains valid when rows before it change. If the name is too long for a
 * URL, it is the number of rows before.
 */
export type ResourceCursor =
  | { readonly kind: 'place'; readonly place: RowPlace }
  | { readonly kind: 'offset'; readonly offset: number };

const mostChars = 4_000;

/** Formats an opaque cursor. It contains the order, in which alone the place is valid. */
export function formatResourceCursor(place: RowPlace, offset: number, sort: ResourceSort | null): string {
  const { value, typeUrl, name } = place;
  const exact = toBase64Url(JSON.stringify([formatResourceSort(sort), value, typeUrl, name]));
  return exact.length <= mostChars ? exact : toBase64Url(JSON.stringify([formatResourceSort(sort), offset]));
}

/** Returns undefined if the text is not a cursor of this order. */
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
    return undefined; // The text is not base64, or not JSON.
  }
}

/** JSON escapes lone surrogates, which UTF-8 cannot encode, so that any name is preserved. */
function toBase64Url(text: string): string {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte));
  return btoa(bytes.join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
