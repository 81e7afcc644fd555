/** google.rpc.Code of our NACKs. Any code is allowed ("do not interpret"); C-core and Go send INVALID_ARGUMENT. */
export const nackCode = 3;
