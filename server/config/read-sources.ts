import path from 'node:path';
import type { NewProbeSettings } from '@/lib/api/schema';
import { type Bootstrap, type BootstrapSource, readBootstrap } from '../bootstrap/read-bootstrap';
import type { SecurityConfig } from '../grpc/channel-security';
import type { CallCredentialsConfig } from '../grpc/credentials-config';
import { insecure } from '../grpc/credentials-config';
import { parseTarget } from '../grpc/target';
import { usualNodeId } from '../istiod/debug-question';
import { sourceIdOf } from '../sources/source-id';
import type { ProbeSettings } from '../xds/probe-settings';
import { type BuiltProbe, buildProbe, type SaidProbe } from './build-probe';
import { ConfigError, type ConfigFile, type SourceConfig } from './config';
import { crossCheckLabel, splitCrossCheck } from './cross-check';
import { readType } from './read-interest';
import { readTlsFiles } from './read-tls-files';
import { SettingError } from './setting-error';
import type { AdsEntry, CsdsEntry, CsdsFileEntry, EnvoyAdminEntry, IstiodEntry } from './source-entries';
import type { TargetListPlace } from './source-setup';

type Origin = SourceConfig['origin'];

/** What holds for every source: where files are named from, and the settings for all of them. */
export interface SourcesContext {
  readonly cwd: string;
  readonly merged: ConfigFile;
}

/** `where` is for errors, as in "csds.0". Throws ConfigError, as the others here do. */
export function readCsdsSource(
  { target: text, label, tls, jwtTokenFile }: CsdsEntry,
  where: string,
  origin: Origin,
  { cwd }: SourcesContext,
): SourceConfig {
  const parsed = parseTarget(text);
  if (!parsed.ok) throw new ConfigError(`--csds: ${parsed.problem.message}`);
  const target = parsed.target.text;
  const setup = { kind: 'csds', security: readSecurity({ tls, jwtTokenFile }, where, cwd) } as const;
  return { id: sourceIdOf('csds', target), target, label: label ?? target, origin, setup };
}

export function readIstiodSource(
  { target: text, label, nodeId = usualNodeId, tls, jwtTokenFile }: IstiodEntry,
  where: string,
  origin: Origin,
  { cwd }: SourcesContext,
): SourceConfig {
  const parsed = parseTarget(text);
  if (!parsed.ok) throw new ConfigError(`--istiod: ${parsed.problem.message}`);
  const target = parsed.target.text;
  const security = readSecurity({ tls, jwtTokenFile }, where, cwd);
  const setup = { kind: 'istiod', security, nodeId } as const;
  return { id: sourceIdOf('istiod', target), target, label: label ?? target, origin, setup };
}

export function readEnvoyAdminSource({ target: text, label }: EnvoyAdminEntry, origin: Origin): SourceConfig {
  const parsed = parseTarget(text);
  if (!parsed.ok) throw new ConfigError(`--envoy-admin: ${parsed.problem.message}`);
  const target = parsed.target.text;
  const setup = { kind: 'envoy-admin' } as const;
  return { id: sourceIdOf('envoy-admin', target), target, label: label ?? target, origin, setup };
}

/** Every address of a name. */
export function readCsdsDnsSource(
  { target: text, label, tls, jwtTokenFile }: CsdsEntry,
  where: string,
  origin: Origin,
  { cwd }: SourcesContext,
): SourceConfig {
  const parsed = parseTarget(text);
  if (!parsed.ok) throw new ConfigError(`--csds-dns: ${parsed.problem.message}`);
  const from = { kind: 'dns', target: parsed.target } as const;
  const security = readSecurity({ tls, jwtTokenFile }, where, cwd);
  return listSource({ from, security, target: parsed.target.text, label, origin });
}

/** Every target of a file. */
export function readCsdsFileSource(
  { path: said, label, tls, jwtTokenFile }: CsdsFileEntry,
  where: string,
  origin: Origin,
  { cwd }: SourcesContext,
): SourceConfig {
  const file = path.resolve(cwd, said);
  const security = readSecurity({ tls, jwtTokenFile }, where, cwd);
  return listSource({ from: { kind: 'file', path: file }, security, target: file, label, origin });
}

function listSource({
  from,
  security,
  target,
  label,
  origin,
}: Omit<SourceConfig, 'id' | 'setup' | 'label'> & {
  readonly label: string | undefined;
  readonly from: TargetListPlace;
  readonly security: SecurityConfig;
}): SourceConfig {
  const setup = { kind: 'csds-list', from, security } as const;
  return { id: sourceIdOf('csds-list', target), target, label: label ?? target, origin, setup };
}

function readSecurity(
  { tls, jwtTokenFile }: Pick<CsdsEntry, 'tls' | 'jwtTokenFile'>,
  where: string,
  cwd: string,
): SecurityConfig {
  return explained(where, () => {
    const credentials = tls === undefined ? insecure : readTlsFiles(tls, 'tls', cwd);
    const callCredentials = readTokenFile(jwtTokenFile, cwd);
    if (credentials.kind === 'insecure' && callCredentials.length > 0) {
      throw new SettingError('tls', 'expected TLS to send the token over, got nothing');
    }
    return { credentials, callCredentials };
  });
}

/** One, or two of which each checks the other. */
export function readAdsSources(
  { target, label, bootstrap, jwtTokenFile, features, files, ...settings }: AdsEntry,
  where: string,
  origin: Origin,
  context: SourcesContext,
): SourceConfig[] {
  const { cwd } = context;
  if (target === undefined && bootstrap === undefined && settings.transport !== 'file') {
    throw new ConfigError(`${where}: expected a target, or a bootstrap that names servers, got neither`);
  }
  if (target !== undefined && settings.transport !== 'file') {
    const parsed = parseTarget(target);
    if (!parsed.ok) throw new ConfigError(`--ads: ${parsed.problem.message}`);
  }
  const read =
    bootstrap === undefined ? undefined : readFrom({ file: path.resolve(cwd, bootstrap) }, where, cwd);
  const said = {
    target,
    bootstrap: read,
    settings,
    callCredentials: readTokenFile(jwtTokenFile, cwd),
    features: features ?? [],
  };
  return explained(where, () =>
    toSources({ ...said, files: readFiles(files ?? {}, cwd) }, label, origin, context),
  );
}

/** `where` is the flag or the variable that names it. */
export function readBootstrapSources(
  from: BootstrapSource,
  where: string,
  origin: Origin,
  context: SourcesContext,
): SourceConfig[] {
  const bootstrap = readFrom(from, where, context.cwd);
  return explained(where, () => toSources({ bootstrap, settings: {} }, undefined, origin, context));
}

function toSources(
  said: SaidProbe,
  label: string | undefined,
  origin: Origin,
  context: SourcesContext,
): SourceConfig[] {
  const all = splitCrossCheck({ ...settingsForAll(context.merged), ...said.settings }, '');
  return all.map((settings, index) => {
    const source = toSource({ ...said, settings }, label, origin, context);
    return index === 0 ? source : { ...source, label: crossCheckLabel(source.label, settings) };
  });
}

function toSource(
  said: SaidProbe,
  label: string | undefined,
  origin: Origin,
  { cwd, merged }: SourcesContext,
): SourceConfig {
  const { settings } = said;
  const targets = merged.targets ?? [];
  // Of several sources those with a bootstrap can make names of addresses.
  const serverListeners = said.bootstrap === undefined ? [] : (merged.serverListeners ?? []);
  const {
    target,
    variant,
    node,
    settings: built,
  }: BuiltProbe = buildProbe({ ...said, settings, targets, serverListeners }, { where: '', cwd });
  const setup = { kind: 'ads', node, settings: built } as const;
  return { id: sourceIdOf('ads', target, variant), target, label: label ?? target, origin, setup };
}

function settingsForAll(merged: ConfigFile): NewProbeSettings {
  return {
    transport: merged.adsTransport,
    crossCheck: merged.adsCrossCheck,
    manner: merged.adsManner,
    profile: merged.adsProfile,
    errorModel: merged.errorModel,
    maxMessageMegabytes: merged.maxMessageMegabytes,
  };
}

function readFrom(from: BootstrapSource, where: string, cwd: string): Bootstrap {
  try {
    return readBootstrap(from, cwd);
  } catch (cause) {
    throw new ConfigError(`${where}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

function readTokenFile(file: string | undefined, cwd: string): CallCredentialsConfig[] {
  return file === undefined ? [] : [{ kind: 'jwt_token_file', file: path.resolve(cwd, file) }];
}

function readFiles(files: NonNullable<AdsEntry['files']>, cwd: string): ProbeSettings['files'] {
  return new Map(
    Object.entries(files).map(([type, said]) => {
      const { path: file, watchedDirectory } = typeof said === 'string' ? { path: said } : { ...said };
      const directory = watchedDirectory === undefined ? null : path.resolve(cwd, watchedDirectory);
      return [readType(type, 'files'), { path: path.resolve(cwd, file), watchedDirectory: directory }];
    }),
  );
}

/** What is said once for all sources. */
const flagsOfFields = new Map([
  ['targets', 'target'],
  ['serverListeners', 'server-listener'],
]);

/** A setting that is no good, with where it stands. */
function explained<T>(where: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    const flag = flagsOfFields.get(error.field);
    throw new ConfigError(
      flag === undefined ? `${where}.${error.message}` : `--${flag}: ${error.expectedAndGot}`,
    );
  }
}
