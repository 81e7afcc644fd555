/** Returns true if an If-None-Match header has the ETag. RFC 9110 13.1.2: a list or `*`, compared weakly. */
export function isNamedTag(list: string, tag: string): boolean {
  const opaque = (text: string) => text.trim().replace(/^W\//, '');
  return list.trim() === '*' || list.split(',').some((each) => opaque(each) === opaque(tag));
}
