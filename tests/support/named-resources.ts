import { parseAllDocuments } from 'yaml';

const types =
  /\.(Listener|RouteConfiguration|ScopedRouteConfiguration|Cluster|ClusterLoadAssignment|Secret|Runtime|TypedExtensionConfig)$/;
const staticTypes = { clusters: 'Cluster', listeners: 'Listener', secrets: 'Secret' } as const;

/**
 * Every resource that a JSON or YAML text names, as "Cluster orders" ("* orders" where its type is not reported), found without the product's code: what has an
 * "@type" of a resource, at any depth but within another resource, what a bootstrap holds, and the elements of a list alone.
 */
export function namedResources(text: string): string[] {
  const found: string[] = [];
  for (const document of parseAllDocuments(text)) {
    if (!('toJS' in document)) continue;
    const json: unknown = document.toJS();
    walk(json, found);
    if (Array.isArray(json)) found.push(...json.flatMap(nameOfBare));
  }
  return [...new Set(found)];
}

/** An element of a list of resources that only their fields tell. */
function nameOfBare(item: unknown): string[] {
  if (typeof item !== 'object' || item === null || '@type' in item) return [];
  const { name, cluster_name: snake, clusterName = snake }: Record<string, unknown> = { ...item };
  return typeof (name ?? clusterName) === 'string' ? [`* ${name ?? clusterName}`] : [];
}

function walk(value: unknown, found: string[]): void {
  if (Array.isArray(value)) for (const item of value) walk(item, found);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const held = value as Readonly<Record<string, unknown>>;
  const { '@type': typeUrl = '', cluster_name: snake = '', clusterName = snake, name = clusterName } = held;
  const type = types.exec(String(typeUrl))?.[1];
  if (type !== undefined) {
    found.push(`${type} ${name}`);
    return;
  }
  for (const [key, inner] of Object.entries(held)) {
    const isStatic = key === 'static_resources' || key === 'staticResources';
    if (isStatic && typeof inner === 'object' && inner !== null) walkStatic(inner, found);
    else walk(inner, found);
  }
}

function walkStatic(resources: object, found: string[]): void {
  for (const [kind, type] of Object.entries(staticTypes)) {
    const list: unknown = Reflect.get(resources, kind);
    if (!Array.isArray(list)) continue;
    for (const item of list) found.push(`${type} ${Reflect.get(item, 'name')}`);
  }
}
