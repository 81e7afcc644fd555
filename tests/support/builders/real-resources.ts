import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { corpusDir } from './codec-corpus';

/** proto3 JSON, or another form of a file. */
export type RealResource = Record<string, unknown> & { readonly '@type': string };

/** The resources in the tests of real projects, with their files. There are none unless hasCorpus. */
export function* realResources(): Iterable<{ readonly file: string; readonly resource: RealResource }> {
  const dir = path.join(corpusDir, 'real');
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => /\.(json|yaml|golden)$/.test(name)).sort()) {
    for (const resource of readResources(path.join(dir, file))) yield { file, resource };
  }
}

/** Messages that only contain resources. */
const containers = /ConfigDump$|DiscoveryResponse$|^type\.googleapis\.com\/envoy\.admin\./;

/** Every outermost object with "@type" that is not a container. */
export function* findResources(json: unknown): Iterable<Record<string, unknown> & { '@type': string }> {
  if (Array.isArray(json)) {
    for (const item of json) yield* findResources(item);
  } else if (typeof json === 'object' && json !== null) {
    const entries = { ...json } as Record<string, unknown>;
    const type = entries['@type'];
    if (typeof type === 'string' && !containers.test(type)) yield { ...entries, '@type': type };
    else for (const value of Object.values(entries)) yield* findResources(value);
  }
}

/** The golden files of Envoy Gateway are lists of one type, which is in the file name. */
const untypedLists: Record<string, string> = {
  clusters: 'envoy.config.cluster.v3.Cluster',
  listeners: 'envoy.config.listener.v3.Listener',
  routes: 'envoy.config.route.v3.RouteConfiguration',
  endpoints: 'envoy.config.endpoint.v3.ClusterLoadAssignment',
  secrets: 'envoy.extensions.transport_sockets.tls.v3.Secret',
};

function readYaml(text: string): unknown[] {
  const documents = parseAllDocuments(text, { logLevel: 'silent' });
  return 'empty' in documents ? [] : documents.map((document) => document.toJS());
}

function readResources(file: string): RealResource[] {
  const text = readFileSync(file, 'utf8');
  const content = text.trimStart().startsWith('{') ? [JSON.parse(text)] : readYaml(text);
  const listed = untypedLists[/\.(\w+)\.yaml$/.exec(file)?.[1] ?? ''];
  if (!file.includes('envoy-gateway') || listed === undefined) return [...findResources(content)];
  return content
    .flat()
    .filter((item): item is Record<string, unknown> => typeof item === 'object' && item !== null)
    .map((item) => ({ ...item, '@type': `type.googleapis.com/${listed}` }));
}
