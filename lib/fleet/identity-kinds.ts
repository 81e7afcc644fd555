/** `duplicate`: a node id that is not one client's alone; `changed`: its node was another; `vanished`: no source reports it. */
export const identityKinds = ['duplicate', 'changed', 'vanished'] as const;
export type IdentityKind = (typeof identityKinds)[number];
