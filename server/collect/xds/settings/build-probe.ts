import type { ProbeChoices } from '@/lib/views/sources/schema';
import { probeNodePrefix } from '@/lib/xds/client-scope';
import { type ListenerNameTemplates, noTemplates } from '@/lib/xds/listener-name';
import { type ProbeNode, probeNode } from '../../../transport/bootstrap/probe-node';
import type { Bootstrap, BootstrapClient } from '../../../transport/bootstrap/read-bootstrap';
import type { ServerConfig } from '../../../transport/bootstrap/server-config';
import { noSecurity, type SecurityConfig } from '../../../transport/grpc/channel-security';
import type { HeaderConfig } from '../../../transport/grpc/credentials-config';
import { parseTarget, type Target } from '../../../transport/targets/target';
import { SettingError } from '../../source-kind/setting-error';
import { defaultProbeSettings, type ProbeSettings } from '../probe/probe-settings';
import { readInterest, readServerListener, readTarget } from './read-interest';
import { readNode } from './read-node';

/** The stated settings of one ADS source. Absent ones have defaults. */
export interface StatedProbe {
  /** host:port; with the transport `file` any name. undefined if a bootstrap names the servers. */
  readonly target?: string | undefined;
  readonly bootstrap?: Bootstrap | undefined;
  /** The client of a bootstrap whose servers are not used. */
  readonly client?: BootstrapClient | undefined;
  readonly settings: ProbeChoices;
  /** The flag --target: targets as in clients, which may be plain names. */
  readonly targets?: readonly string[] | undefined;
  /** The flag --server-listener: addresses that servers listen on, besides those of the settings. */
  readonly serverListeners?: readonly string[] | undefined;
  /**
   * Security towards these servers, which are all that the source may connect to. undefined: as the bootstrap states,
   * else plain text.
   */
  readonly secure?: (servers: readonly Target[]) => SecurityConfig | undefined;
  readonly features?: readonly string[] | undefined;
  readonly files?: ProbeSettings['files'];
  /** Sent with every call to these servers. */
  readonly headers?: readonly HeaderConfig[] | undefined;
}

export interface ProbeSourceSetup {
  readonly kind: 'ads';
  readonly node: ProbeNode;
  /** The id of the node is made of target and variant, because none was stated. */
  readonly hasUsualNode: boolean;
  readonly settings: ProbeSettings;
}

interface BuiltProbe {
  /** The target of the preferred server. */
  readonly target: string;
  /** Distinguishes sources of one target, as in "?transport=delta-ads". Empty for ADS in v3. */
  readonly variant: string;
  readonly setup: ProbeSourceSetup;
}

/** `where` precedes the field names of `settings` in errors, as in "settings.". Throws SettingError. */
export function buildProbe(stated: StatedProbe, where: string): BuiltProbe {
  const { bootstrap, settings, files = new Map(), headers = [] } = stated;
  if (bootstrap !== undefined && settings.fallbackServers !== undefined) {
    throw new SettingError(`${where}fallbackServers`, besideBootstrap);
  }
  const { transport = bootstrap?.transport ?? 'ads', apiVersion = 'v3' } = settings;
  if (transport === 'file' && files.size === 0) {
    throw new SettingError(
      `${where}files`,
      'expected a file for each type of the transport "file", got nothing',
    );
  }
  const [first, ...others] = bootstrap?.servers ?? readServers(stated, where);
  const topLevel = [first, ...others] as const;
  const authorities = [...(bootstrap?.authorities ?? [])];
  const all = [...topLevel, ...authorities.flatMap(([, authority]) => authority.servers)];
  const security = stated.secure?.(all.map(({ target }) => target));
  const secured = (server: ServerConfig): ServerConfig => {
    const { callCredentials, ...own } = { ...server, ...security };
    return { ...own, callCredentials: [...callCredentials, ...headers] };
  };
  const templates: ListenerNameTemplates = bootstrap?.templates ?? noTemplates;
  const listenerOf = (address: string, field: string): string =>
    readServerListener(address, bootstrap?.serverListenerTemplate, field);
  const listeners = [
    ...(stated.targets ?? []).map((target) => readTarget(target, templates, '--target')),
    ...(stated.serverListeners ?? []).map((address) => listenerOf(address, '--server-listener')),
    ...(settings.serverListeners ?? []).map((address, index) =>
      listenerOf(address, `${where}serverListeners.${index}`),
    ),
    ...(settings.listeners ?? []),
  ];
  const usual = defaultProbeSettings(secured(first));
  const { maxMessageMegabytes, refreshDelaySeconds } = settings;
  const target = first.target.text;
  const variant = variantOf(transport, apiVersion);
  /** One for each server and transport, because sources with one node id would report one client differently. */
  const usualId = `${probeNodePrefix}@${target}${variant}`;
  const own = bootstrap?.node ?? stated.client?.node ?? probeNode(usualId);
  const isNameless = own.id === '' && bootstrap?.transport !== null;
  const node = readNode(settings, isNameless ? { ...own, id: usualId } : own, where);
  return {
    target,
    variant,
    setup: {
      kind: 'ads',
      node,
      hasUsualNode: node.id === usualId,
      settings: {
        transport,
        apiVersion,
        mode: settings.mode ?? usual.mode,
        profile: settings.profile ?? usual.profile,
        errorModel: settings.errorModel ?? usual.errorModel,
        interest: readInterest({ listeners, resources: settings.resources ?? {} }, templates, where),
        servers: topLevel.map(secured),
        authorities: new Map(
          authorities.map(([name, authority]) => [
            name,
            { ...authority, servers: authority.servers.map(secured) },
          ]),
        ),
        certificateProviders: bootstrap === undefined ? null : new Set(bootstrap.certificateProviders.keys()),
        templates: bootstrap?.templates ?? null,
        maxMessageBytes:
          maxMessageMegabytes === undefined
            ? usual.maxMessageBytes
            : Math.round(maxMessageMegabytes * 2 ** 20),
        refreshDelayMs:
          refreshDelaySeconds === undefined ? usual.refreshDelayMs : refreshDelaySeconds * 1_000,
        files,
      },
    },
  };
}

function readServers(
  { target, settings, features = [] }: StatedProbe,
  where: string,
): [ServerConfig, ...ServerConfig[]] {
  const first =
    settings.transport === 'file' ? namedTarget(target ?? 'files') : checkTarget(target ?? '', 'target');
  const toServer = (parsed: Target): ServerConfig => {
    return { target: parsed, ...noSecurity, features: new Set(features) };
  };
  const others = (settings.fallbackServers ?? []).map((text, index) =>
    checkTarget(text, `${where}fallbackServers.${index}`),
  );
  return [toServer(first), ...others.map(toServer)];
}

/** Files have no server: the name distinguishes them. */
function namedTarget(name: string): Target {
  return { host: name, port: 0, text: name };
}

function checkTarget(text: string, field: string): Target {
  const parsed = parseTarget(text);
  if (!parsed.ok) throw new SettingError(field, parsed.problem.message);
  return parsed.target;
}

const besideBootstrap = 'expected nothing beside a bootstrap, which states that itself';

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

/** Settings without a transport take that of the bootstrap. */
export function withTransport<T extends ProbeChoices>(settings: T, of: BootstrapClient | undefined): T {
  const { transport = of?.transport ?? undefined } = settings;
  return transport === undefined ? settings : { ...settings, transport };
}
