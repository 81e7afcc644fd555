/**
 * User agents that put the last GOOD config into failed_configuration and leave xds_config out, as grpc-js-xds does.
 * According to envoy.admin.v3.UpdateFailureState the field is "what the component configuration would have been if
 * the update had succeeded".
 */
const withGoodConfig: ReadonlySet<string> = new Set(['gRPC Node Pure JS']);

export function reportsGoodConfigAsFailed(userAgentName: string): boolean {
  return withGoodConfig.has(userAgentName);
}
