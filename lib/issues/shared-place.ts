/** The places at which requests to a cluster fail, as far as they are reported. */
export interface FailingPlaces {
  /** The addresses of endpoints. */
  readonly addresses: readonly string[];
  /** Localities with errors, if the cluster has others without. */
  readonly localities: readonly string[];
}

export interface SharedPlace {
  readonly kind: 'host' | 'locality';
  readonly name: string;
}

/**
 * The one place at which all requests of these clusters fail, by what is measured of each. undefined: there is none, or it is not
 * measured of one of them.
 */
export function findSharedPlace(all: readonly (FailingPlaces | undefined)[]): SharedPlace | undefined {
  const host = onlyOne(all.map((places) => places?.addresses.map(hostOf)));
  if (host !== undefined) return { kind: 'host', name: host };
  const locality = onlyOne(all.map((places) => places?.localities));
  return locality === undefined ? undefined : { kind: 'locality', name: locality };
}

function onlyOne(lists: readonly (readonly string[] | undefined)[]): string | undefined {
  if (lists.some((list = []) => list.length === 0)) return undefined;
  const names = new Set(lists.flatMap((list = []) => list));
  return names.size === 1 ? [...names][0] : undefined;
}

function hostOf(address: string): string {
  return address.replace(/:\d+$/, '');
}
