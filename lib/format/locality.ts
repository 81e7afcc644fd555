interface LocalityLike {
  readonly region: string;
  readonly zone: string;
  readonly subZone: string;
}

/** "eu / eu-1 / rack-2": the reported parts, in order; "no locality" if none is reported. */
export function formatLocality(locality: LocalityLike | null | undefined): string {
  if (locality == null) return 'no locality';
  const reported = [locality.region, locality.zone, locality.subZone].filter((part) => part !== '');
  return reported.length === 0 ? 'no locality' : reported.join(' / ');
}

/**
 * Formats a locality for a narrow column: parts that the next one repeats are left out, as in "eu-west1 / eu-west1-c"
 * -> "eu-west1-c".
 */
export function formatShortLocality(locality: LocalityLike | null | undefined): string {
  if (locality == null) return formatLocality(locality);
  const { region, zone, subZone } = locality;
  const parts = [region, zone, subZone].filter((part) => part !== '');
  const short = parts.filter((part, index) => parts[index + 1]?.startsWith(part) !== true);
  return short.length === 0 ? formatLocality(locality) : short.join(' / ');
}
