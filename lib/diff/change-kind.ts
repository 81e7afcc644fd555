export const changeKinds = ['added', 'removed', 'changed'] as const;

export type ChangeKind = (typeof changeKinds)[number];

/** The compared facts of a resource: body, version (the client's or the control plane's), status, error, and the control plane's body. */
export const changedFacts = ['content', 'version', 'status', 'error', 'control plane'] as const;

export type ChangedFact = (typeof changedFacts)[number];
