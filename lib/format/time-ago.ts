import type { EpochMs } from '../xds/units';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** "just now", "12 s ago", "4 min ago", "3 h ago", "2 d ago"; "in 5 s" if clocks differ. */
export function formatTimeAgo(at: EpochMs, now: EpochMs): string {
  const ageMs = now - at;
  if (Math.abs(ageMs) < 1_500) return 'just now';
  return ageMs > 0 ? `${formatAge(ageMs)} ago` : `in ${formatAge(-ageMs)}`;
}

/** One unit: "12 s", "4 min", "3 h", "2 d". */
export function formatAge(ageMs: number): string {
  if (ageMs < minuteMs) return `${Math.max(0, Math.floor(ageMs / 1_000))} s`;
  if (ageMs < hourMs) return `${Math.floor(ageMs / minuteMs)} min`;
  if (ageMs < 2 * dayMs) return `${Math.floor(ageMs / hourMs)} h`;
  return `${Math.floor(ageMs / dayMs)} d`;
}

const pairs = [
  [dayMs, 'd', hourMs, 'h'],
  [hourMs, 'h', minuteMs, 'min'],
  [minuteMs, 'min', 1_000, 's'],
] as const;

/** Two units: "40 s", "2 min 10 s", "3 h 5 min", "2 d 4 h". */
export function formatElapsed(elapsedMs: number): string {
  for (const [unitMs, unit, smallerMs, smaller] of pairs) {
    if (elapsedMs < unitMs) continue;
    const rest = Math.floor((elapsedMs % unitMs) / smallerMs);
    return `${Math.floor(elapsedMs / unitMs)} ${unit}${rest === 0 ? '' : ` ${rest} ${smaller}`}`;
  }
  return `${Math.floor(elapsedMs / 1_000)} s`;
}
