import { readFileSync } from 'node:fs';
import { messageOf } from '@/lib/format/message-of';
import {
  defaultAuthorityTemplate,
  defaultClientTemplate,
  type ListenerNameTemplates,
} from '@/lib/xds/listener-name';
import { encodeAuthority } from '@/lib/xds/resource-name';
import { assertJsonNesting, NestingError } from '../../codec/document-nesting';
import { parseYaml } from '../../codec/input/parse-notation';
import { isJsonObject } from '../../codec/json/json-object';
import { BootstrapError, checkShape, formatGot, formatPath } from './bootstrap-error';
import {
  type AuthorityEntry,
  type BootstrapFile,
  bootstrapClientSchema,
  bootstrapSchema,
  type CertificateProviderEntry,
  certificateFilesSchema,
} from './bootstrap-schema';
import {
  type BootstrapFiles,
  type CertificateFiles,
  readCertificateFiles,
  resolveFile,
} from './certificate-files';
import {
  type EnvoyTransport,
  isEnvoyBootstrap,
  nodeOfEnvoy,
  toGrpcBootstrap,
  transportOfEnvoy,
} from './envoy-bootstrap';
import type { ReadDocument } from './envoy-secrets';
import type { ProbeNode } from './probe-node';
import { readServers } from './read-servers';
import type { AuthorityConfig, ServerConfig } from './server-config';

/** A file (`--bootstrap`, GRPC_XDS_BOOTSTRAP) or its JSON (GRPC_XDS_BOOTSTRAP_CONFIG). */
export type BootstrapSource = { readonly file: string } | { readonly json: string };

/**
 * A provider that resources reference as `instance_name` (rule T6). xdscope opens no data-plane connections and loads
 * no plugin.
 */
interface CertificateProviderConfig {
  /** Such as "file_watcher". A bootstrap may name plugins that only some clients have. */
  readonly pluginName: string;
  /** Null unless the plugin is file_watcher. */
  readonly files: CertificateFiles | null;
}

/** The facts about the client itself that a bootstrap states. */
export interface BootstrapClient {
  /** Null for a bootstrap of gRPC, which does not state it. */
  readonly transport: EnvoyTransport | null;
  /** The metadata is not redacted, because it is sent to the server unchanged. */
  readonly node: ProbeNode;
}

/** A parsed bootstrap with defaults. */
export interface Bootstrap extends BootstrapClient {
  /** The order is that of preference (gRFC A71). */
  readonly servers: readonly [ServerConfig, ...ServerConfig[]];
  readonly authorities: ReadonlyMap<string, AuthorityConfig>;
  readonly certificateProviders: ReadonlyMap<string, CertificateProviderConfig>;
  readonly templates: ListenerNameTemplates;
  /** `server_listener_resource_name_template`; null if servers cannot request their listener. */
  readonly serverListenerTemplate: string | null;
  /** gRFC A102: the targets of services that resources may make clients call. xdscope does not call them. */
  readonly allowedGrpcServices: ReadonlySet<string>;
}

/** Throws a BootstrapError of one line. Relative file names are resolved against `cwd`. */
export function readBootstrap(source: BootstrapSource, cwd: string): Bootstrap {
  return checkBootstrap(readSource(source), { cwd });
}

/** The client of a bootstrap, whatever its servers are. Throws a BootstrapError. */
export function readBootstrapClient(source: BootstrapSource): BootstrapClient {
  return checkBootstrapClient(readSource(source));
}

export function checkBootstrapClient(json: unknown): BootstrapClient {
  const shape = isEnvoyBootstrap(json)
    ? { node: nodeOfEnvoy(json), xdscope_transport: transportOfEnvoy(json) }
    : json;
  const { node, xdscope_transport: transport } = checkShape(bootstrapClientSchema, shape);
  return { node: readNode(node), transport: transport ?? null };
}

function readSource(source: BootstrapSource): unknown {
  const text = 'file' in source ? readText(source.file) : source.json;
  return parseBootstrap(text, 'file' in source ? source.file : 'the bootstrap');
}

/** Reads a bootstrap of gRPC or Envoy that is parsed. Throws a BootstrapError. */
export function checkBootstrap(json: unknown, from: BootstrapFiles): Bootstrap {
  const grpc = isEnvoyBootstrap(json) ? toGrpcBootstrap(json, documentReader(from)) : json;
  const file = checkShape(bootstrapSchema, grpc);
  const [first, ...others] = readServers(file.xds_servers, 'xds_servers', from);
  if (first === undefined)
    throw new BootstrapError('xds_servers', 'expected a server with a TCP address, got unix sockets alone');
  const servers = [first, ...others] as const;
  const authorities = readAuthorities(file.authorities ?? {}, servers, from);
  return {
    transport: file.xdscope_transport ?? null,
    servers,
    node: readNode(file.node),
    authorities,
    certificateProviders: readCertificateProviders(file.certificate_providers ?? {}, from),
    templates: {
      clientDefault: nonEmpty(file.client_default_listener_resource_name_template) ?? defaultClientTemplate,
      authorities,
    },
    serverListenerTemplate: nonEmpty(file.server_listener_resource_name_template),
    allowedGrpcServices: new Set(Object.keys(file.allowed_grpc_services ?? {})),
  };
}

/** Reads the files of secrets. */
function documentReader(from: BootstrapFiles): ReadDocument {
  return (name, where) => {
    const file = resolveFile(name, where, from);
    if (file === null) return undefined;
    const json = parseBootstrap(readText(file, 'a file with the secret'), file);
    if (isJsonObject(json)) return json;
    throw new BootstrapError(where, `expected a DiscoveryResponse in ${file}, got ${formatGot(json)}`);
  };
}

function readText(file: string, what = 'a bootstrap file'): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new BootstrapError('', `expected ${what} at ${JSON.stringify(file)}, got ${code}`, {
      cause,
    });
  }
}

/** Reads JSON, or the YAML of Envoy. Throws a BootstrapError. */
export function parseBootstrap(text: string, where: string): unknown {
  if (/^\s*(?:[{["]|$)/.test(text)) return parseJson(text, where);
  const parsed = parseYaml(text);
  if (!parsed.ok) throw new BootstrapError('', `expected JSON or YAML in ${where}, got ${parsed.reason}`);
  const [json, ...more] = parsed.documents;
  if (more.length > 0)
    throw new BootstrapError('', `expected one document in ${where}, got ${more.length + 1}`);
  // Metadata is a google.protobuf.Struct, whose numbers are doubles.
  return JSON.parse(
    JSON.stringify(json ?? null, (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
  );
}

function parseJson(text: string, where: string): unknown {
  try {
    assertJsonNesting(text);
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof NestingError) throw new BootstrapError('', `${where}: ${cause.message}`);
    // The engine's message may quote the text with its secrets, so that only the position is reported.
    const position = /position \d+(?: \(line \d+ column \d+\))?/.exec(messageOf(cause))?.[0] ?? 'its end';
    throw new BootstrapError('', `expected JSON in ${where}, got something else at ${position}`);
  }
}

function readNode(node: BootstrapFile['node']): ProbeNode {
  const { id, cluster, metadata, locality } = node ?? {};
  return {
    id: id ?? '',
    cluster: cluster ?? '',
    metadata: metadata ?? {},
    locality:
      locality === null || locality === undefined
        ? null
        : { region: locality.region ?? '', zone: locality.zone ?? '', subZone: locality.sub_zone ?? '' },
  };
}

/**
 * Reads `authorities` (gRFC A47). An authority without servers has the top-level ones; an authority whose servers are all
 * ignored is omitted.
 */
function readAuthorities(
  entries: Readonly<Record<string, AuthorityEntry>>,
  topLevel: readonly ServerConfig[],
  from: BootstrapFiles,
): Map<string, AuthorityConfig> {
  return new Map(
    Object.entries(entries).flatMap(([name, entry]): [string, AuthorityConfig][] => {
      const where = formatPath('authorities', [name]);
      const entries = entry.xds_servers ?? [];
      const servers = readServers(entries, `${where}.xds_servers`, from);
      if (entries.length > 0 && servers.length === 0) return [];
      const config: AuthorityConfig = {
        servers: servers.length === 0 ? topLevel : servers,
        clientListenerResourceNameTemplate: readTemplate(name, entry, where),
        fallbackOnReachabilityOnly: entry.fallback_on_reachability_only ?? false,
      };
      return [[name, config]];
    }),
  );
}

/** gRFC A47: a bootstrap whose template does not begin with `xdstp://AUTHORITY/` is rejected. */
function readTemplate(name: string, entry: AuthorityEntry, where: string): string {
  const template = nonEmpty(entry.client_listener_resource_name_template);
  if (template === null) return defaultAuthorityTemplate(name);
  const beginnings = [`xdstp://${name}/`, `xdstp://${encodeAuthority(name)}/`];
  if (beginnings.some((beginning) => template.startsWith(beginning))) return template;
  throw new BootstrapError(
    `${where}.client_listener_resource_name_template`,
    `expected a template that begins with ${JSON.stringify(beginnings[0])}, got ${JSON.stringify(template)}`,
  );
}

/** Reads `certificate_providers` (gRFC A29). */
function readCertificateProviders(
  entries: Readonly<Record<string, CertificateProviderEntry>>,
  from: BootstrapFiles,
): Map<string, CertificateProviderConfig> {
  return new Map(
    Object.entries(entries).map(([name, { plugin_name: pluginName, config }]) => {
      const where = `${formatPath('certificate_providers', [name])}.config`;
      const files = pluginName === 'file_watcher' ? readFileWatcher(config, where, from) : null;
      return [name, { pluginName, files }];
    }),
  );
}

function readFileWatcher(config: unknown, where: string, from: BootstrapFiles): CertificateFiles {
  const files = readCertificateFiles(checkShape(certificateFilesSchema, config ?? {}, where), where, from);
  const hasAny = files.certificateFile ?? files.caCertificateFile ?? files.spiffeTrustBundleMapFile;
  if (hasAny === null && 'cwd' in from) {
    throw new BootstrapError(
      where,
      'expected certificate_file with private_key_file, ca_certificate_file or spiffe_trust_bundle_map_file, got none',
    );
  }
  return files;
}

function nonEmpty(text: string | null | undefined): string | null {
  return text === null || text === undefined || text === '' ? null : text;
}
