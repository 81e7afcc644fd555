/** Redacts the text of the member `key`, or of an item of the list `key`; the key is empty outside of an object. */
type RedactMember = (text: string, key: string) => string;

/**
 * Redacts every text in plain JSON, except keys and the members in `kept`. Unchanged values, which are mostly the
 * whole, are returned as the same objects.
 */
export function redactTexts<T>(value: T, redact: RedactMember, kept: ReadonlySet<string> = none): T {
  return redactValue(value, '', redact, kept) as T;
}

const none: ReadonlySet<string> = new Set();

function redactValue(value: unknown, key: string, redact: RedactMember, kept: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return redact(value, key);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return redactList(value, key, redact, kept);
  let changed: Record<string, unknown> | undefined;
  for (const [name, member] of Object.entries(value)) {
    if (kept.has(name)) continue;
    const redacted = redactValue(member, name, redact, kept);
    if (redacted === member) continue;
    changed ??= { ...value };
    changed[name] = redacted;
  }
  return changed ?? value;
}

function redactList(
  list: readonly unknown[],
  key: string,
  redact: RedactMember,
  kept: ReadonlySet<string>,
): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (const [index, item] of list.entries()) {
    const redacted = redactValue(item, key, redact, kept);
    if (redacted === item) continue;
    changed ??= [...list];
    changed[index] = redacted;
  }
  return changed ?? list;
}
