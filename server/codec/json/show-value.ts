const longest = 80;

/** Describes a value for an error message. Quotes only numbers, since other values may be secrets. */
export function showValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) {
    const keys = Object.keys(value);
    return keys.length === 0 ? '{}' : `an object with ${showName(keys.slice(0, 4).join(', '))}`;
  }
  if (typeof value !== 'string') return String(value);
  if (value === '') return '""';
  return /^[-+\d.eE]{1,40}$/.test(value) ? `"${value}"` : `text of ${value.length} characters`;
}

export function showName(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
