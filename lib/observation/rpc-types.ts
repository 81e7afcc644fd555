/** The RPCs of a test client, as XdsUpdateClientConfigureService names them. */
export const rpcTypes = ['EMPTY_CALL', 'UNARY_CALL'] as const;
export type RpcType = (typeof rpcTypes)[number];
