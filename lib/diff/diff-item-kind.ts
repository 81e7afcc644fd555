/**
 * What a resource is in a comparison. "order" and "notation": its bytes differ and it means the same, but for the order of
 * a set, or for what is written out. "status": the same body, another status or error. "version": nothing but the
 * version. "unread": the bodies differ, and one is no longer stored.
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
