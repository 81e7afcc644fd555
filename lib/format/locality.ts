interface LocalityLike {
  readonly region: string;
  readonly zone: string;
  readonly subZone: string;
}

/** "eu / eu-1 / rack-2": the told parts, in order; "no locality" when nothing was told. */
export function formatLocality(locality: LocalityLike | null): string {
  if (locality === null) return 'no locality';
  const told = [locality.region, locality.zone, locality.subZone].filter((part) => part !== '');
  return told.length === 0 ? 'no locality' : told.join(' / ');
}
