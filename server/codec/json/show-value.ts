const longest = 80;

/** A value of a document for an error message: short, whatever came. */
export function showValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) {
    const keys = Object.keys(value);
    return keys.length === 0 ? '{}' : `an object with ${showName(keys.slice(0, 4).join(', '))}`;
  }
  return typeof value === 'string' ? JSON.stringify(showName(value)) : String(value);
}

export function showName(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
