/** What tools call the answers of Envoy's admin interface, and sections of a config dump, in lower case without separators. */
const parts = new Set([
  ...['configdump', 'clusters', 'listeners', 'serverinfo', 'certs', 'initdump', 'stats', 'memory', 'runtime'],
  ...['bootstrap', 'dump', 'config', 'configs', 'xds', 'envoy', 'data', 'resources', 'staticresources'],
  ...['cluster', 'listener', 'route', 'routes', 'endpoint', 'endpoints', 'hosts', 'secret', 'secrets'],
  ...['scopedroutes', 'virtualhosts', 'extensionconfigs'],
]);

/** Answers of Envoy's admin interface, as files are called. A prefix names the Envoy, as in "edge-1.config_dump.json". */
const answerFile =
  /^(.*?)[-_. ]?(config[-_]?dump|clusters|listeners|server[-_]?info|certs|init[-_]?dump)(?:[?_-](?:include[-_]eds|format[=_-]\w+))?(?:\.(?:json|ya?ml|txt))?(?:\.(?:gz|zst))?$/i;

/** Returns the prefix of the name of a file that holds an answer of Envoy's admin interface; undefined for another file. */
export function findPrefixOfAnswer(fileName: string): string | undefined {
  return answerFile.exec(fileName)?.[1];
}

/**
 * Returns whether a member of a document, as in "config_dump?include_eds" or "clusters.json", is a part of a client's state,
 * and not a client of that name.
 */
export function isAdminPart(name: string): boolean {
  const [path = ''] = name.toLowerCase().split('?');
  return parts.has(path.replace(/\.(?:json|ya?ml|txt)$/, '').replace(/[^a-z]/g, ''));
}
