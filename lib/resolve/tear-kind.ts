export const tearKinds = [
  'route-to-unknown-cluster',
  'cluster-removed-in-use',
  'endpoints-not-come',
  'routes-not-come',
] as const;

export type TearKind = (typeof tearKinds)[number];
