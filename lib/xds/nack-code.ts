/** google.rpc.Code of our NACKs. Any would do ("do not interpret"); C-core and Go send this one, INVALID_ARGUMENT. */
export const nackCode = 3;
