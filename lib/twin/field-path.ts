/** Appends the name of a field to a path such as "filterChains[0]". */
export function joinPath(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}
