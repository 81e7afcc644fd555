const units = ['kB', 'MB', 'GB', 'TB'] as const;

/** Decimal units, three digits at the most: "0 B", "999 B", "4.19 MB", "16.8 MB". */
export function formatBytes(sizeBytes: number): string {
  if (sizeBytes < 1_000) return `${sizeBytes} B`;
  let value = sizeBytes;
  let unit: string = units[0];
  for (const next of units) {
    value /= 1_000;
    unit = next;
    // 999.5 would be written as 1000.
    if (value < 999.5) break;
  }
  const digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${unit}`;
}
