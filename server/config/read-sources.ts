import path from 'node:path';
import type { ProbeChoices } from '@/lib/api/schema';
import { type Bootstrap, type BootstrapSource, readBootstrap } from '../bootstrap/read-bootstrap';
import { ConfigError } from '../config-error';
import { parseTarget } from '../dial/target';
import type { SecurityConfig } from '../grpc/channel-security';
import { usualNodeId } from '../istiod/debug-question';
import type { ProbeSettings } from '../xds/probe/probe-settings';
import { assertNoTlsBeside, type BuiltProbe, buildProbe, type SaidProbe } from './build-probe';
import type { ConfigFile } from './config';
import { crossCheckLabel, splitCrossCheck } from './cross-check';
import { type AllCredentials, readSecurity, type SaidSecurity } from './named-credentials';
import { readType } from './read-interest';
import { SettingError } from './setting-error';
import type { SourceConfig } from './source-config';
import type { AdsEntry, CsdsEntry, CsdsFileEntry, EnvoyAdminEntry, IstiodEntry } from './source-entries';
import { sourceIdOf } from './source-id';
import type { TargetListPlace } from './source-setup';

type Origin = SourceConfig['origin'];

/** What holds for every source: where files are named from, and the settings for all of them. */
export interface SourcesContext {
  readonly cwd: string;
  readonly merged: ConfigFile;
  readonly credentials: AllCredentials;
}

/** `where` is for errors, as in "csds.0". Throws ConfigError, as the others here do. */
export function readCsdsSource(
  { target: text, label, ...said }: CsdsEntry,
  where: string,
  origin: Origin,
  context: SourcesContext,
): SourceConfig {
  const parsed = parseTarget(text);
  if (!parsed.ok) throw new ConfigError(`--csds: ${parsed.problem.message}`);
  const target = parsed.target.text;
  const setup = { kind: 'csds', security: securityOf(said, where, context) } as const;
  const { credentials } = said;
  return { id: sourceIdOf('csds', target), target, label: label ?? target, origin, setup, credentials };
}

export function readIstiodSource(
  { target: text, label, nodeId = usualNodeId, ...said }: IstiodEntry,
  where: string,
  origin: Origin,
  context: SourcesContext,
): SourceConfig {
  const parsed = parseTarget(text);
  if (!parsed.ok) throw new ConfigError(`--istiod: ${parsed.problem.message}`);
  const target = parsed.target.text;
  const setup = { kind: 'istiod', security: securityOf(said, where, context), nodeId } as const;
  const { credentials } = said;
  return { id: sourceIdOf('istiod', target), target, label: label ?? target, origin, setup, credentials };
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
  { target: text, label, ...said }: CsdsEntry,
  where: string,
  origin: Origin,
  context: SourcesContext,
): SourceConfig {
  const parsed = parseTarget(text);
  if (!parsed.ok) throw new ConfigError(`--csds-dns: ${parsed.problem.message}`);
  const from = { kind: 'dns', target: parsed.target } as const;
  const security = securityOf(said, where, context);
  return {
    ...listSource({ from, security, target: parsed.target.text, label, origin }),
    credentials: said.credentials,
  };
}

/** Every target of a file. */
export function readCsdsFileSource(
  { path: name, label, ...said }: CsdsFileEntry,
  where: string,
  origin: Origin,
  context: SourcesContext,
): SourceConfig {
  const file = path.resolve(context.cwd, name);
  const security = securityOf(said, where, context);
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

function securityOf(said: SaidSecurity, where: string, { credentials, cwd }: SourcesContext): SecurityConfig {
  return explained(where, () => readSecurity(said, credentials, cwd));
}

/** One, or two of which each checks the other. */
export function readAdsSources(
  { target, label, bootstrap, tls, jwtTokenFile, credentials, features, files, ...settings }: AdsEntry,
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
  return explained(where, () => {
    assertNoTlsBeside(read, tls, 'tls');
    const isSaid = [tls, jwtTokenFile, credentials].some((each) => each !== undefined);
    const security = isSaid
      ? readSecurity({ tls, jwtTokenFile, credentials }, context.credentials, cwd)
      : undefined;
    const said = { target, bootstrap: read, settings, secure: () => security, features: features ?? [] };
    const sources = toSources({ ...said, files: readFiles(files ?? {}, cwd) }, label, origin, context);
    return sources.map((source) => ({ ...source, credentials }));
  });
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
  { merged }: SourcesContext,
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
  }: BuiltProbe = buildProbe({ ...said, settings, targets, serverListeners }, '');
  const setup = { kind: 'ads', node, settings: built } as const;
  return { id: sourceIdOf('ads', target, variant), target, label: label ?? target, origin, setup };
}

function settingsForAll(merged: ConfigFile): ProbeChoices {
  return {
    transport: merged.adsTransport,
    crossCheck: merged.adsCrossCheck,
    mode: merged.adsMode,
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
