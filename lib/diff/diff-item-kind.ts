/**
 * The ways in which a resource differs in a comparison. "order" and "notation": the bytes differ, but the meaning
 * does not, except for the order of a set, or for defaults that are written out. "status": the body is the same, the
 * status or error differs. "version": only the version differs. "unread": the bodies differ, and one is no longer
 * stored.
 */
export const diffItemKinds = [
  'changed',
  'added',
  'removed',
  'unread',
  'status',
  'order',
  'notation',
  'version',
] as const;

export type DiffItemKind = (typeof diffItemKinds)[number];
