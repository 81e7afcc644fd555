/** What tools call the answers of Envoy's admin interface, and sections of a config dump, in lower case without separators. */
const parts = new Set([
  ...['configdump', 'clusters', 'listeners', 'serverinfo', 'certs', 'initdump', 'stats', 'memory', 'runtime'],
  ...['bootstrap', 'dump', 'config', 'configs', 'xds', 'envoy', 'data', 'resources', 'staticresources'],
  ...['cluster', 'listener', 'route', 'routes', 'endpoint', 'endpoints', 'hosts', 'secret', 'secrets'],
  ...['scopedroutes', 'virtualhosts', 'extensionconfigs'],
]);

/**
 * Returns whether a member of a document, as in "config_dump?include_eds" or "clusters.json", is a part of a client's state,
 * and not a client of that name.
 */
export function isAdminPart(name: string): boolean {
  const [path = ''] = name.toLowerCase().split('?');
  return parts.has(path.replace(/\.(?:json|ya?ml|txt)$/, '').replace(/[^a-z]/g, ''));
}
