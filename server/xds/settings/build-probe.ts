import type { ProbeChoices } from '@/lib/api/schema';
import { type ListenerNameTemplates, noTemplates } from '@/lib/xds/listener-name';
import type { ProbeNode } from '../../bootstrap/probe-node';
import { probeNode } from '../../bootstrap/probe-node';
import type { Bootstrap } from '../../bootstrap/read-bootstrap';
import type { ServerConfig } from '../../bootstrap/server-config';
import { parseTarget, type Target } from '../../dial/target';
import { noSecurity, type SecurityConfig } from '../../grpc/channel-security';
import { SettingError } from '../../source-kind/setting-error';
import { defaultProbeSettings, type ProbeSettings } from '../probe/probe-settings';
import { readInterest, readServerListener, readTarget } from './read-interest';

/** The stated settings of one ADS source. Absent ones have defaults. */
export interface SaidProbe {
  /** host:port; with the transport `file` any name. Undefined where a bootstrap names the servers. */
  readonly target?: string | undefined;
  readonly bootstrap?: Bootstrap | undefined;
  readonly settings: ProbeChoices;
  /** Targets as in clients, which may be plain names. */
  readonly targets?: readonly string[];
  /** Addresses that servers listen on, besides those of the settings. */
  readonly serverListeners?: readonly string[];
  /**
   * Security towards these servers, all that the source may connect to. undefined: as the bootstrap states, else plain
   * text.
   */
  readonly secure?: (servers: readonly Target[]) => SecurityConfig | undefined;
  readonly features?: readonly string[];
  readonly files?: ProbeSettings['files'];
}

export interface BuiltProbe {
  /** The target of the preferred server. */
  readonly target: string;
  /** Distinguishes sources of one target, as in "?transport=delta-ads". Empty for ADS in v3. */
  readonly variant: string;
  readonly node: ProbeNode;
  /** The id of the node is made of target and variant, since none was stated. */
  readonly hasUsualNode: boolean;
  readonly settings: ProbeSettings;
}

/** `where` precedes the field names of `settings` in errors, as in "settings.". Throws SettingError. */
export function buildProbe(said: SaidProbe, where: string): BuiltProbe {
  const { bootstrap, settings } = said;
  if (bootstrap !== undefined && said.target !== undefined) {
    throw new SettingError(
      'target',
      'expected nothing beside a bootstrap, which names the servers, got a target',
    );
  }
  if (bootstrap !== undefined && settings.fallbackServers !== undefined) {
    throw new SettingError(`${where}fallbackServers`, besideBootstrap);
  }
  const named = bootstrap?.servers ?? readServers(said, where);
  const ofAuthorities = [...(bootstrap?.authorities ?? [])];
  const all = [...named, ...ofAuthorities.flatMap(([, authority]) => authority.servers)];
  const security = said.secure?.(all.map(({ target: each }) => each));
  const secured = (server: ServerConfig): ServerConfig => ({ ...server, ...security });
  const [first, ...others] = named;
  const servers = [secured(first), ...others.map(secured)] as const;
  const authorities = new Map(
    ofAuthorities.map(([name, authority]) => [
      name,
      { ...authority, servers: authority.servers.map(secured) },
    ]),
  );
  const transport = settings.transport ?? 'ads';
  const apiVersion = settings.apiVersion ?? 'v3';
  if (transport === 'file' && (said.files?.size ?? 0) === 0) {
    throw new SettingError(
      `${where}files`,
      'expected a file for each type of the transport "file", got nothing',
    );
  }
  const templates: ListenerNameTemplates = bootstrap?.templates ?? noTemplates;
  const targets = (said.targets ?? []).map((target) => readTarget(target, templates, 'targets'));
  const serverListener = (address: string, field: string): string =>
    readServerListener(address, bootstrap?.serverListenerTemplate, field);
  const ofServers = [
    ...(said.serverListeners ?? []).map((address) => serverListener(address, 'serverListeners')),
    ...(settings.serverListeners ?? []).map((address, index) =>
      serverListener(address, `${where}serverListeners.${index}`),
    ),
  ];
  const listeners = [...targets, ...ofServers, ...(settings.listeners ?? [])];
  const usual = defaultProbeSettings(servers[0]);
  const target = servers[0].target.text;
  const variant = variantOf(transport, apiVersion);
  const usualId = `xdscope-probe@${target}${variant}`;
  const node = nodeOf(settings.nodeId, bootstrap?.node, usualId);
  return {
    target,
    variant,
    node,
    hasUsualNode: node.id === usualId,
    settings: {
      transport,
      apiVersion,
      mode: settings.mode ?? usual.mode,
      profile: settings.profile ?? usual.profile,
      errorModel: settings.errorModel ?? usual.errorModel,
      interest: readInterest({ listeners, resources: settings.resources ?? {} }, templates, where),
      servers,
      authorities,
      certificateProviders: bootstrap === undefined ? null : new Set(bootstrap.certificateProviders.keys()),
      templates: bootstrap?.templates ?? null,
      maxMessageBytes:
        settings.maxMessageMegabytes === undefined
          ? usual.maxMessageBytes
          : Math.round(settings.maxMessageMegabytes * 2 ** 20),
      refreshDelayMs: (settings.refreshDelaySeconds ?? usual.refreshDelayMs / 1_000) * 1_000,
      files: said.files ?? new Map(),
    },
  };
}

function readServers(said: SaidProbe, where: string): [ServerConfig, ...ServerConfig[]] {
  const { settings, features = [] } = said;
  const first =
    settings.transport === 'file' ? namedTarget(said.target ?? 'files') : checkTarget(said.target, 'target');
  const server = (target: Target): ServerConfig => ({ target, ...noSecurity, features: new Set(features) });
  const others = (settings.fallbackServers ?? []).map((text, index) =>
    checkTarget(text, `${where}fallbackServers.${index}`),
  );
  return [server(first), ...others.map(server)];
}

/** Files have no server: the name distinguishes them. */
function namedTarget(name: string): Target {
  return { host: name, port: 0, text: name };
}

function checkTarget(text: string | undefined, field: string): Target {
  const parsed = parseTarget(text ?? '');
  if (!parsed.ok) throw new SettingError(field, parsed.problem.message);
  return parsed.target;
}

const besideBootstrap = 'expected nothing beside a bootstrap, which says that itself';

/** `field` is the name of `tls` in errors. Throws SettingError. */
export function assertNoTlsBeside(
  bootstrap: Bootstrap | undefined,
  tls: object | undefined,
  field: string,
): void {
  if (bootstrap !== undefined && tls !== undefined) throw new SettingError(field, besideBootstrap);
}

function variantOf(transport: string, apiVersion: string): string {
  const unusual = [
    ...(transport === 'ads' ? [] : [`transport=${transport}`]),
    ...(apiVersion === 'v3' ? [] : [`api=${apiVersion}`]),
  ];
  return unusual.length === 0 ? '' : `?${unusual.join('&')}`;
}

/** A node id for each server and transport, because sources with one node id would report one client differently. */
function nodeOf(said: string | undefined, bootstrap: ProbeNode | undefined, usualId: string): ProbeNode {
  const node = bootstrap ?? probeNode(usualId);
  return said === undefined ? node : { ...node, id: said };
}
