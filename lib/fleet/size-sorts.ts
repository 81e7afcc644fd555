/** Of clients and of a client's types: what is largest first, or what grew most since it was first measured. */
export const sizeSorts = ['bytes', 'growth'] as const;
export type SizeSort = (typeof sizeSorts)[number];
