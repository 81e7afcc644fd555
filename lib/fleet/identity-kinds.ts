/** `duplicate`: a shared node id; `changed`: the node changed; `vanished`: no source reports the client any longer. */
export const identityKinds = ['duplicate', 'changed', 'vanished'] as const;
export type IdentityKind = (typeof identityKinds)[number];
