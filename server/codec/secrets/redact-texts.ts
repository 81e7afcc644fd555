/**
 * Redacts every text in plain JSON, except keys and the members in `kept`. Unchanged values, which are mostly the
 * whole, are returned as the same objects.
 */
export function redactTexts<T>(
  value: T,
  redact: (text: string) => string,
  kept: ReadonlySet<string> = none,
): T {
  return redactValue(value, redact, kept) as T;
}

const none: ReadonlySet<string> = new Set();

function redactValue(value: unknown, redact: (text: string) => string, kept: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return redactList(value, redact, kept);
  let changed: Record<string, unknown> | undefined;
  for (const [key, member] of Object.entries(value)) {
    if (kept.has(key)) continue;
    const redacted = redactValue(member, redact, kept);
    if (redacted === member) continue;
    changed ??= { ...value };
    changed[key] = redacted;
  }
  return changed ?? value;
}

function redactList(
  list: readonly unknown[],
  redact: (text: string) => string,
  kept: ReadonlySet<string>,
): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (const [index, item] of list.entries()) {
    const redacted = redactValue(item, redact, kept);
    if (redacted === item) continue;
    changed ??= [...list];
    changed[index] = redacted;
  }
  return changed ?? list;
}
