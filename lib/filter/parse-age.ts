const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** Parses an age of one or several units, as in "10m" or "1h30m", to milliseconds; undefined for other texts. */
export function parseAge(text: string): number | undefined {
  if (!/^(?:\d{1,6}[smhdw])+$/i.test(text)) return undefined;
  let total = 0;
  for (const [, count, unit = ''] of text.matchAll(/(\d+)([smhdw])/gi)) {
    total += Number(count) * (unitMs[unit.toLowerCase()] ?? 0);
  }
  return total;
}
