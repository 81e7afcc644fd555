/** A list of a config dump, as `config_dump?resource=` gives it. */
export interface ConfigSection {
  /** Field of one of the dumps in envoy.admin.v3.ConfigDump. */
  readonly resource: string;
  /** The end of the type URL of its items. */
  readonly item: string;
  readonly path: string;
}

const failure = 'error_state.last_update_attempt,error_state.details,error_state.version_info';
const facts = `version_info,last_updated,client_status,${failure}`;
const state = (name: string): string => `${name}.version_info,${name}.last_updated`;
const states = ['active_state', 'warming_state', 'draining_state'].map(state).join(',');

/**
 * A mask for the versions and times of changes without the contents: a mask reaches into the one Any of an item, and
 * into no list.
 */
const masks = [
  ['dynamic_active_clusters', 'ClustersConfigDump.DynamicCluster', `cluster.name,${facts}`],
  ['dynamic_warming_clusters', 'ClustersConfigDump.DynamicCluster', `cluster.name,${facts}`],
  ['dynamic_listeners', 'ListenersConfigDump.DynamicListener', `name,${states},client_status,${failure}`],
  ['dynamic_route_configs', 'RoutesConfigDump.DynamicRouteConfig', `route_config.name,${facts}`],
  ['dynamic_scoped_route_configs', 'ScopedRoutesConfigDump.DynamicScopedRouteConfigs', `name,${facts}`],
  ['dynamic_active_secrets', 'SecretsConfigDump.DynamicSecret', `name,${facts}`],
  ['dynamic_warming_secrets', 'SecretsConfigDump.DynamicSecret', `name,${facts}`],
  ['ecds_filters', 'EcdsConfigDump.EcdsFilterConfig', `ecds_filter.name,${facts}`],
] as const;

/** Sections in which Envoy reports changes in few bytes. */
export const datedSections: readonly ConfigSection[] = masks.map(([resource, item, mask]) => ({
  resource,
  item,
  path: `/config_dump?resource=${resource}&mask=${mask}`,
}));

/** Sections without versions and times: only the whole dump shows whether they changed. */
export const endpointSections: readonly ConfigSection[] = [
  ['dynamic_endpoint_configs', 'EndpointsConfigDump.DynamicEndpointConfig'] as const,
  ['static_endpoint_configs', 'EndpointsConfigDump.StaticEndpointConfig'] as const,
].map(([resource, item]) => ({ resource, item, path: `/config_dump?resource=${resource}&include_eds` }));

/** Items of it and nothing else, which may be none. `{}`: a message without fields, as Envoy until 1.3x prints it. */
export function isOfSection(bytes: Uint8Array, { item }: ConfigSection): boolean {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 1_000)).toString(
    'latin1',
  );
  const found = /^\s*\{\s*(?:\}\s*$|"configs"\s*:\s*\[\s*(?:\]\s*\}\s*$|\{\s*"@type"\s*:\s*"([^"]*)"))/.exec(
    start,
  );
  if (found === null) return false;
  const [, type] = found;
  return type === undefined || type.endsWith(`.${item}`);
}

/** Envoy's answer if no dump has such a list yet, as an Envoy without a listener that routes. */
export function reportsMissing(body: Uint8Array, { resource }: ConfigSection): boolean {
  return Buffer.from(body).toString('latin1').trim() === `${resource} not found in config dump`;
}
