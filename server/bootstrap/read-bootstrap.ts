import { readFileSync } from 'node:fs';
import type { Locality } from '@/lib/observation/observation';
import { type BootstrapFile, bootstrapSchema } from './bootstrap-schema';
import { parseServerUri } from './server-uri';

/** Where a bootstrap comes from: a file (`--bootstrap`, GRPC_XDS_BOOTSTRAP) or the JSON itself (GRPC_XDS_BOOTSTRAP_CONFIG). */
export type BootstrapSource = { readonly file: string } | { readonly json: string };

export interface BootstrapServer {
  /** host:port. */
  readonly target: string;
  /** The first of `channel_creds` that we support. */
  readonly credentials: 'insecure';
  readonly features: readonly string[];
}

export interface BootstrapNode {
  readonly id: string;
  readonly cluster: string;
  readonly locality: Locality | null;
  /** As it is, for the server; not redacted. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface Bootstrap {
  /** Of the first server: the probe has one. */
  readonly target: string;
  readonly nodeId: string;
  readonly node: BootstrapNode;
  /** In the order of preference (gRFC A71). */
  readonly servers: readonly BootstrapServer[];
  /** gRFC A47, not read yet. */
  readonly authorities: Readonly<Record<string, unknown>>;
}

/** The names of credentials in gRPC's registries. */
const knownCredentials: ReadonlySet<string> = new Set([
  'insecure',
  'tls',
  'google_default',
  'alts',
  'xds',
  'fake',
]);

/** Throws an Error of one line that names the field: what was expected, what came. */
export function readBootstrap(source: BootstrapSource): Bootstrap {
  const text = 'file' in source ? readText(source.file) : source.json;
  const file = checkShape(parseJson(text, 'file' in source ? source.file : 'the bootstrap'));
  const servers = file.xds_servers.map(readServer);
  const first = servers[0];
  if (first === undefined) throw new Error('xds_servers: expected at least one server, got none');
  const node = readNode(file.node);
  return { target: first.target, nodeId: node.id, node, servers, authorities: file.authorities };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new Error(`expected a bootstrap file at ${JSON.stringify(file)}, got ${code}`, { cause });
  }
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? oneLine(cause.message) : String(cause);
    throw new Error(`expected JSON in ${where}, got: ${reason}`, { cause });
  }
}

function checkShape(json: unknown): BootstrapFile {
  const checked = bootstrapSchema.safeParse(json);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0];
  const path = formatPath(issue?.path ?? []);
  const got = formatGot(valueAt(json, issue?.path ?? []));
  throw new Error(`${path === '' ? 'the bootstrap' : path}: ${expectedOf(issue)}, got ${got}`);
}

function readServer(server: BootstrapFile['xds_servers'][number], index: number): BootstrapServer {
  const path = `xds_servers[${index}]`;
  const parsed = parseServerUri(server.server_uri);
  if (!parsed.ok) throw new Error(`${path}.server_uri: ${parsed.reason}`);
  const types = server.channel_creds.map(({ type }) => type);
  // "The first supported one wins" (gRFC A27).
  if (!types.includes('insecure')) {
    const told = types.map((type) =>
      knownCredentials.has(type)
        ? `${JSON.stringify(type)} (known, not supported yet)`
        : `${JSON.stringify(type)} (unknown)`,
    );
    throw new Error(`${path}.channel_creds: expected "insecure" among the types, got ${told.join(', ')}`);
  }
  return { target: parsed.target.text, credentials: 'insecure', features: server.server_features };
}

function readNode(node: BootstrapFile['node']): BootstrapNode {
  if (node === null || node === undefined) return { id: '', cluster: '', locality: null, metadata: {} };
  const { id, cluster, metadata, locality } = node;
  return {
    id,
    cluster,
    metadata,
    locality:
      locality === null || locality === undefined
        ? null
        : { region: locality.region, zone: locality.zone, subZone: locality.sub_zone },
  };
}

function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

function valueAt(json: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    json,
  );
}

function formatGot(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function expectedOf(issue: { readonly code?: string; readonly expected?: unknown } | undefined): string {
  if (issue?.code === 'too_small') return 'expected at least one';
  switch (issue?.expected) {
    case 'string':
      return 'expected text';
    case 'array':
      return 'expected a list';
    case 'object':
    case 'record':
      return 'expected an object';
    default:
      return 'expected another value';
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
