import { readFileSync } from 'node:fs';
import { defaultClientTemplate, type ListenerNameTemplates } from '@/lib/xds/listener-name';
import { assertJsonNesting, NestingError } from '../codec/document-nesting';
import type { AuthorityConfig, ServerConfig } from '../xds/stream/server-config';
import { BootstrapError, checkShape } from './bootstrap-error';
import type { BootstrapFiles } from './bootstrap-files';
import { type BootstrapFile, bootstrapSchema } from './bootstrap-schema';
import type { ProbeNode } from './probe-node';
import { readAuthorities } from './read-authorities';
import { type CertificateProviderConfig, readCertificateProviders } from './read-certificate-providers';
import { readServers } from './read-servers';

/** Where a bootstrap comes from: a file (`--bootstrap`, GRPC_XDS_BOOTSTRAP) or the JSON itself (GRPC_XDS_BOOTSTRAP_CONFIG). */
export type BootstrapSource = { readonly file: string } | { readonly json: string };

/** Everything that a bootstrap says, with its defaults. */
export interface Bootstrap {
  /** In the order of preference (gRFC A71); never empty. */
  readonly servers: readonly [ServerConfig, ...ServerConfig[]];
  /** Metadata is not redacted: the server is reported it as it is. */
  readonly node: ProbeNode;
  readonly authorities: ReadonlyMap<string, AuthorityConfig>;
  readonly certificateProviders: ReadonlyMap<string, CertificateProviderConfig>;
  readonly templates: ListenerNameTemplates;
  /** server_listener_resource_name_template; null: a server cannot ask for its listener. */
  readonly serverListenerTemplate: string | null;
  /** gRFC A102: the services that resources may have clients call, by target. Known, not called. */
  readonly allowedGrpcServices: ReadonlySet<string>;
}

/** Throws a BootstrapError of one line. Files that it names are found from `cwd`. */
export function readBootstrap(source: BootstrapSource, cwd: string): Bootstrap {
  const text = 'file' in source ? readText(source.file) : source.json;
  return checkBootstrap(parseJson(text, 'file' in source ? source.file : 'the bootstrap'), { cwd });
}

/** A bootstrap that was JSON already. Throws as readBootstrap. */
export function checkBootstrap(json: unknown, from: BootstrapFiles): Bootstrap {
  const file = checkShape(bootstrapSchema, json);
  const [first, ...others] = readServers(file.xds_servers, 'xds_servers', from);
  if (first === undefined)
    throw new BootstrapError('xds_servers', 'expected a server with a TCP address, got unix sockets alone');
  const servers = [first, ...others] as const;
  const authorities = readAuthorities(file.authorities ?? {}, servers, from);
  return {
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

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new BootstrapError('', `expected a bootstrap file at ${JSON.stringify(file)}, got ${code}`, {
      cause,
    });
  }
}

/** Throws a BootstrapError. */
export function parseJson(text: string, where: string): unknown {
  try {
    assertJsonNesting(text);
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof NestingError) throw new BootstrapError('', `${where}: ${cause.message}`);
    // The engine's error message may quote the text, with whatever secret is in it; where it breaks is enough.
    const reason = cause instanceof Error ? cause.message : String(cause);
    const position = /position \d+(?: \(line \d+ column \d+\))?/.exec(reason)?.[0] ?? 'its end';
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

function nonEmpty(text: string | null | undefined): string | null {
  return text === null || text === undefined || text === '' ? null : text;
}
