/** Returns whether the place of a store is the URL of a PostgreSQL, and not the path of a SQLite file. */
export function isStoreUrl(place: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(place);
}

/** host:port/database, without user and password; the path of a SQLite file as it is. */
export function nameOfStore(place: string): string {
  if (!isStoreUrl(place)) return place;
  const { host, pathname } = new URL(place);
  return `${host}${pathname}`;
}
