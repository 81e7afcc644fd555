import { FieldReader } from './field-reader';

/** Services that a filter calls beside what it forwards. */
const called: ReadonlySet<string> = new Set(['grpcService', 'httpService', 'accessLog', 'rateLimitService']);
const maxDepth = 100;

/**
 * The clusters to which a network filter forwards, as the routes of Redis, Thrift and Dubbo proxies name them: in `cluster` and in
 * `weighted_clusters`.
 */
export function readFilterClusters(config: unknown): string[] {
  const found = new Set<string>();
  walk(config, 0, found);
  return [...found];
}

/** MUTATES `found`. */
function walk(json: unknown, depth: number, found: Set<string>): void {
  if (typeof json !== 'object' || json === null || depth > maxDepth) return;
  for (const [key, value] of Object.entries(json)) {
    if (called.has(key)) continue;
    if (key === 'cluster' && typeof value === 'string' && value !== '') found.add(value);
    if (key === 'weightedClusters') {
      const names = FieldReader.open(value, [])
        .objects('clusters')
        .map((each) => each.string('name'));
      for (const name of names) if (name !== '') found.add(name);
    }
    walk(value, depth + 1, found);
  }
}
