import type { NewProbeSettings } from '@/lib/api/schema';
import { type ListenerNameTemplates, noTemplates } from '@/lib/xds/listener-name';
import type { Bootstrap } from '../bootstrap/read-bootstrap';
import { type CallCredentialsConfig, insecure } from '../grpc/credentials-config';
import { parseTarget, type Target } from '../grpc/target';
import { defaultProbeSettings, type ProbeSettings } from '../xds/probe-settings';
import type { ServerConfig } from '../xds/server-config';
import { type ProbeNode, probeNode } from './config';
import { readInterest, readServerListener, readTarget } from './read-interest';
import { readTlsFiles } from './read-tls-files';
import { SettingError } from './setting-error';

/** What was said of one ADS source; what is left out has a default. */
export interface SaidProbe {
  /** host:port; with the transport `file` any name. Undefined where a bootstrap names the servers. */
  readonly target?: string | undefined;
  readonly bootstrap?: Bootstrap | undefined;
  readonly settings: NewProbeSettings;
  /** Targets as clients have them, plain names included. */
  readonly targets?: readonly string[];
  /** Addresses that servers listen on, besides those of the settings. */
  readonly serverListeners?: readonly string[];
  readonly callCredentials?: readonly CallCredentialsConfig[];
  readonly features?: readonly string[];
  readonly files?: ProbeSettings['files'];
}

export interface BuiltProbe {
  /** Of the server that is preferred. */
  readonly target: string;
  /** Tells sources of one target apart, as in "?transport=delta-ads"; empty for ADS in v3. */
  readonly variant: string;
  readonly node: ProbeNode;
  readonly settings: ProbeSettings;
}

export interface BuildContext {
  /** Before the field names of `settings` in errors, as in "settings."; empty: they stand at the top. */
  readonly where: string;
  /** From where files are named; null: they must be absolute. */
  readonly cwd: string | null;
}

/** Throws SettingError. */
export function buildProbe(said: SaidProbe, { where, cwd }: BuildContext): BuiltProbe {
  const { bootstrap, settings } = said;
  if (bootstrap !== undefined && said.target !== undefined) {
    throw new SettingError(
      'target',
      'expected nothing beside a bootstrap, which names the servers, got a target',
    );
  }
  const servers = bootstrap?.servers ?? readServers(said, where, cwd);
  if (bootstrap !== undefined) assertNoneBeside(settings, where);
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
  return {
    target,
    variant,
    node: nodeOf(settings.nodeId, bootstrap?.node, `xdscope-probe@${target}${variant}`),
    settings: {
      transport,
      apiVersion,
      manner: settings.manner ?? usual.manner,
      profile: settings.profile ?? usual.profile,
      errorModel: settings.errorModel ?? usual.errorModel,
      interest: readInterest({ listeners, resources: settings.resources ?? {} }, templates, where),
      servers,
      authorities: bootstrap?.authorities ?? new Map(),
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

function readServers(said: SaidProbe, where: string, cwd: string | null): [ServerConfig, ...ServerConfig[]] {
  const { settings, callCredentials = [], features = [] } = said;
  const first =
    settings.transport === 'file' ? namedTarget(said.target ?? 'files') : checkTarget(said.target, 'target');
  const credentials = settings.tls === undefined ? insecure : readTlsFiles(settings.tls, `${where}tls`, cwd);
  if (credentials.kind === 'insecure' && callCredentials.length > 0) {
    throw new SettingError(`${where}tls`, 'expected TLS to send the token over, got nothing');
  }
  const server = (target: Target): ServerConfig => ({
    target,
    credentials,
    callCredentials,
    features: new Set(features),
  });
  const others = (settings.fallbackServers ?? []).map((text, index) =>
    checkTarget(text, `${where}fallbackServers.${index}`),
  );
  return [server(first), ...others.map(server)];
}

/** Files have no server; the name tells them apart. */
function namedTarget(name: string): Target {
  return { host: name, port: 0, text: name };
}

function checkTarget(text: string | undefined, field: string): Target {
  const parsed = parseTarget(text ?? '');
  if (!parsed.ok) throw new SettingError(field, parsed.problem.message);
  return parsed.target;
}

function assertNoneBeside(settings: NewProbeSettings, where: string): void {
  for (const field of ['tls', 'fallbackServers'] as const) {
    if (settings[field] === undefined) continue;
    throw new SettingError(`${where}${field}`, 'expected nothing beside a bootstrap, which says that itself');
  }
}

function variantOf(transport: string, apiVersion: string): string {
  const unusual = [
    ...(transport === 'ads' ? [] : [`transport=${transport}`]),
    ...(apiVersion === 'v3' ? [] : [`api=${apiVersion}`]),
  ];
  return unusual.length === 0 ? '' : `?${unusual.join('&')}`;
}

/** A node id for each server and transport: the same one twice would be one client with two opinions. */
function nodeOf(said: string | undefined, bootstrap: ProbeNode | undefined, usualId: string): ProbeNode {
  const node = bootstrap ?? probeNode(usualId);
  return said === undefined ? node : { ...node, id: said };
}
