/**
 * envoy.admin.v3.UpdateFailureState: failed_configuration is "what the component configuration would have been
 * if the update had succeeded". grpc-js-xds puts the last GOOD config there, and leaves xds_config out.
 */
const withGoodConfig: ReadonlySet<string> = new Set(['gRPC Node Pure JS']);

export function reportsGoodConfigAsFailed(userAgentName: string): boolean {
  return withGoodConfig.has(userAgentName);
}
