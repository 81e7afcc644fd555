import path from 'node:path';
import type { ProbeChoices } from '@/lib/api/schema';
import type { ProbeNode } from '../../bootstrap/probe-node';
import { type Bootstrap, type BootstrapSource, readBootstrap } from '../../bootstrap/read-bootstrap';
import { ConfigError } from '../../config-error';
import { parseTarget } from '../../dial/target';
import { explainSetting } from '../../source-kind/explain-setting';
import { type AllCredentials, readSecurity } from '../../source-kind/named-credentials';
import type { AdsEntry } from '../../source-kind/source-entries';
import type { ConfiguredSource } from '../../source-kind/source-kind';
import type { ProbeSettings } from '../probe/probe-settings';
import { assertNoTlsBeside, type BuiltProbe, buildProbe, type SaidProbe } from './build-probe';
import { crossCheckLabel, splitCrossCheck } from './cross-check';
import { readType } from './read-interest';

type ProbeSource = ConfiguredSource<{
  readonly kind: 'ads';
  readonly node: ProbeNode;
  readonly hasUsualNode: boolean;
  readonly settings: ProbeSettings;
}>;
type Origin = ProbeSource['origin'];

/** The base directory of file names, and the settings of all probes. */
export interface SourcesContext {
  readonly cwd: string;
  readonly credentials: AllCredentials;
  /** Targets as in clients. */
  readonly targets: readonly string[] | undefined;
  readonly serverListeners: readonly string[] | undefined;
  readonly settings: ProbeChoices;
}

/** One source, or two that cross-check each other. */
export function readAdsSources(
  { target, label, bootstrap, tls, jwtTokenFile, credentials, features, files, ...settings }: AdsEntry,
  where: string,
  origin: Origin,
  context: SourcesContext,
): ProbeSource[] {
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
  return explainSetting(where, () => {
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
): ProbeSource[] {
  const bootstrap = readFrom(from, where, context.cwd);
  return explainSetting(where, () => toSources({ bootstrap, settings: {} }, undefined, origin, context));
}

function toSources(
  said: SaidProbe,
  label: string | undefined,
  origin: Origin,
  context: SourcesContext,
): ProbeSource[] {
  const all = splitCrossCheck({ ...context.settings, ...said.settings }, '');
  return all.map((settings, index) => {
    const source = toSource({ ...said, settings }, label, origin, context);
    return index === 0 ? source : { ...source, label: crossCheckLabel(source.label, settings) };
  });
}

function toSource(
  said: SaidProbe,
  label: string | undefined,
  origin: Origin,
  context: SourcesContext,
): ProbeSource {
  const { settings } = said;
  const targets = context.targets ?? [];
  // Only sources with a bootstrap have a template for listener names.
  const serverListeners = said.bootstrap === undefined ? [] : (context.serverListeners ?? []);
  const built: BuiltProbe = buildProbe({ ...said, settings, targets, serverListeners }, '');
  const { target, variant, ...probe } = built;
  const setup = { kind: 'ads', ...probe } as const;
  return { target, variant, label: label ?? target, origin, setup };
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
