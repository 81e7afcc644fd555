import path from 'node:path';
import type { z } from 'zod';
import { ConfigError } from '../config-error';
import { type Config, type ConfigFile, configFile } from './config';
import { findDistinct } from './distinct-source';
import { isLoopback } from './is-loopback';
import { bindCredentials, readCredentials } from './named-credentials';
import { parseListen } from './parse-listen';
import { parseReplay } from './parse-replay';
import { readCommand, temporaryDataDir } from './read-command';
import { readConfigFile } from './read-config-file';
import type { ReadConfigOptions } from './read-config-options';
import { readEnvironment } from './read-environment';
import { readFlags } from './read-flags';
import {
  readAdsSources,
  readBootstrapSources,
  readCsdsDnsSource,
  readCsdsFileSource,
  readCsdsSource,
  readEnvoyAdminSource,
  readIstiodSource,
  type SourcesContext,
} from './read-sources';
import { readTapSource } from './read-tap-source';
import { SettingError } from './setting-error';
import type { SourceConfig } from './source-config';

type Origin = SourceConfig['origin'];

/**
 * Flags, then environment, then file, then defaults; taps alone add up with those of the file. The embedded lab runs when no source is named at all, or when
 * it is asked for. Throws ConfigError (one line) or HelpWanted.
 */
export function readConfig(asked: ReadConfigOptions): Config {
  const { options, files } = readCommand(asked);
  const { config: flagFile, dev, ...flags } = readFlags(options.argv, options.version);
  const { config: envFile, ...environment } = readEnvironment(options.env);
  const file = flagFile ?? envFile;
  const fromFlags = check('flags', flags);
  const fromEnvironment = check('environment', environment);
  const fromFile =
    file === undefined ? {} : check(`config file ${file}`, readConfigFile(path.resolve(options.cwd, file)));
  const merged: ConfigFile = { ...fromFile, ...fromEnvironment, ...fromFlags };
  const originOf = (key: keyof ConfigFile): Origin =>
    key in fromFlags ? 'flag' : key in fromEnvironment ? 'environment' : 'config';

  const host = merged.host ?? '127.0.0.1';
  if (!isLoopback(host) && merged.insecureNoAuth !== true) {
    throw new ConfigError(
      `--host: expected a loopback address, or --insecure-no-auth beside it because there is no sign-in yet, got ${JSON.stringify(host)}`,
    );
  }
  const entries = merged.credentials ?? {};
  const unbound = credentialsOf(() => readCredentials(entries, options.cwd));
  const context = { cwd: options.cwd, merged, credentials: unbound };
  const csds = (merged.csds ?? []).map((entry, index) =>
    readCsdsSource(entry, `csds.${index}`, originOf('csds'), context),
  );
  const csdsLists = [
    ...(merged.csdsDns ?? []).map((entry, index) =>
      readCsdsDnsSource(entry, `csdsDns.${index}`, originOf('csdsDns'), context),
    ),
    ...(merged.csdsFiles ?? []).map((entry, index) =>
      readCsdsFileSource(entry, `csdsFiles.${index}`, originOf('csdsFiles'), context),
    ),
  ];
  const envoyAdmin = (merged.envoyAdmin ?? []).map((entry) =>
    readEnvoyAdminSource(entry, originOf('envoyAdmin')),
  );
  const istiod = (merged.istiod ?? []).map((entry, index) =>
    readIstiodSource(entry, `istiod.${index}`, originOf('istiod'), context),
  );
  const ads = distinct([
    ...(merged.ads ?? []).flatMap((entry, index) =>
      readAdsSources(entry, `ads.${index}`, originOf('ads'), context),
    ),
    ...readNamedBootstrap(options, context, originOf('bootstrap')),
  ]);
  if (merged.targets !== undefined && ads.length === 0) {
    throw new ConfigError('--target: expected --ads or --bootstrap beside it, got neither');
  }
  const hasBootstrap = ads.some(({ setup }) => setup.kind === 'ads' && setup.settings.templates !== null);
  if (merged.serverListeners !== undefined && !hasBootstrap) {
    throw new ConfigError('--server-listener: expected --bootstrap beside it, got none');
  }
  const lrsListen = merged.lrsListen === undefined ? null : parseListen('--lrs-listen', merged.lrsListen);
  // The file has the mesh's own, with their certificates; those of the command line stand beside them.
  const namedTaps = fromFlags.taps ?? fromEnvironment.taps;
  const taps = [
    ...(namedTaps ?? []).map((entry) => readTapSource(entry, '--tap', originOf('taps'), context.cwd)),
    ...(fromFile.taps ?? []).map((entry, index) =>
      readTapSource(entry, `taps.${index}`, 'config', context.cwd),
    ),
  ];
  const replay = parseReplay(merged, options.cwd);
  const temporary = files.length === 0 ? undefined : temporaryDataDir();
  const namesSource =
    [csds, csdsLists, envoyAdmin, istiod, ads, taps].some(({ length }) => length > 0) || lrsListen !== null;
  assertDistinct('csds', csds);
  assertDistinct('csds-list', csdsLists);
  assertDistinct('envoy-admin', envoyAdmin);
  assertDistinct('istiod', istiod);
  assertDistinct('ads', ads);
  assertDistinct('tap', taps);
  return {
    host,
    port: merged.port ?? 3000,
    allowedHosts: merged.allowedHosts ?? [],
    allowTargets: merged.allowTargets ?? [],
    credentials: bindCredentials(entries, unbound, [...csds, ...csdsLists, ...istiod, ...ads]),
    dataDir: path.resolve(options.cwd, merged.dataDir ?? temporary ?? 'data'),
    isTemporary: merged.dataDir === undefined && temporary !== undefined,
    setAsideDamaged: merged.setAsideDamaged ?? false,
    lab: merged.lab ?? (!namesSource && files.length === 0 && replay === null),
    weather: merged.weather ?? true,
    csds,
    csdsLists,
    csdsIntervalMs: parseIntervalMs(merged.csdsInterval ?? '1s'),
    envoyAdmin,
    envoyAdminIntervalMs: parseIntervalMs(merged.envoyAdminInterval ?? '15s', '--envoy-admin-interval'),
    istiod,
    istiodIntervalMs: parseIntervalMs(merged.istiodInterval ?? '10s', '--istiod-interval'),
    ads,
    taps,
    lrsListen,
    lrsRequest: {
      intervalMs: parseIntervalMs(merged.lrsInterval ?? '5s', '--lrs-interval'),
      clusters: merged.lrsClusters ?? null,
      endpoints: merged.lrsEndpoints ?? false,
    },
    replay,
    files: files.map((file) => path.resolve(options.cwd, file)),
    descriptorSets: (merged.descriptorSets ?? []).map((file) => path.resolve(options.cwd, file)),
    clientLimits: {
      total: merged.maxClients ?? 100_000,
      perSource: merged.maxClientsPerSource ?? 50_000,
    },
    retention: {
      maxAgeMs: (merged.retentionDays ?? 7) * 24 * 3_600_000,
      maxBytes: (merged.retentionMegabytes ?? 2048) * 1_000_000,
      maxCount: merged.retentionCount ?? Number.MAX_SAFE_INTEGER,
    },
    dev: dev ?? false,
    log: { level: merged.logLevel ?? 'info', format: merged.logFormat ?? 'text' },
  };
}

function credentialsOf<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SettingError) throw new ConfigError(error.message);
    throw error;
  }
}

function check(where: string, values: object): ConfigFile {
  const checked = configFile.safeParse(values);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0];
  throw new ConfigError(`${where}: ${issue === undefined ? 'not understood' : describeIssue(issue, values)}`);
}

function describeIssue(issue: z.core.$ZodIssue, values: object): string {
  const where = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const got = issue.keys.map((key) => JSON.stringify(key)).join(', ');
    if (where !== '') return `${where}: expected settings that are known, got ${got}`;
    return `expected one of ${Object.keys(configFile.shape).join(', ')}, got ${got}`;
  }
  if (issue.message.includes(', got ')) return `${where}: ${issue.message}`;
  let got: unknown = values;
  for (const key of issue.path)
    got = typeof got === 'object' && got !== null ? Reflect.get(got, key) : undefined;
  return `${where}: ${issue.message}, got ${JSON.stringify(got)}`;
}

/** A named bootstrap file; else, when no ADS, CSDS, Envoy or istiod source is named, the two variables that gRPC clients read. */
function readNamedBootstrap(
  { env, cwd }: ReadConfigOptions,
  context: SourcesContext,
  origin: Origin,
): SourceConfig[] {
  const { merged } = context;
  if (merged.bootstrap !== undefined) {
    const file = path.resolve(cwd, merged.bootstrap);
    return readBootstrapSources({ file }, '--bootstrap', origin, context);
  }
  const { ads, csds, csdsDns, csdsFiles, envoyAdmin, istiod } = merged;
  if ([ads, csds, csdsDns, csdsFiles, envoyAdmin, istiod].some((named) => named !== undefined)) return [];
  const { GRPC_XDS_BOOTSTRAP: named = '', GRPC_XDS_BOOTSTRAP_CONFIG: json = '' } = env;
  if (named !== '') {
    const file = path.resolve(cwd, named);
    return readBootstrapSources({ file }, 'GRPC_XDS_BOOTSTRAP', 'environment', context);
  }
  return json === ''
    ? []
    : readBootstrapSources({ json }, 'GRPC_XDS_BOOTSTRAP_CONFIG', 'environment', context);
}

/** One target may be there several times when it is asked in several ways: in the order in which they are named. */
function distinct(sources: readonly SourceConfig[]): SourceConfig[] {
  const taken = new Map<string, SourceConfig>();
  return sources.map((asked) => {
    // The very same twice is reported below.
    const { source } = findDistinct(asked, (id) => taken.get(id)?.setup) ?? { source: asked };
    taken.set(source.id, source);
    return source;
  });
}

function assertDistinct(what: string, sources: readonly SourceConfig[]): void {
  const seen = new Set<string>();
  for (const { id, target, origin } of sources) {
    if (seen.has(id)) {
      const where = origin === 'config' ? what : `--${what}`;
      const ways = what === 'ads' ? ' by one transport, API version, mode and node' : '';
      throw new ConfigError(`${where}: expected each target once${ways}, got ${target} twice`);
    }
    seen.add(id);
  }
}

/** "1s", "500ms", "2m" or a number of milliseconds. */
export function parseIntervalMs(said: string | number, flag = '--csds-interval'): number {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m)?$/.exec(String(said).trim());
  const unitMs = { ms: 1, s: 1000, m: 60_000 }[match?.[2] ?? 'ms'] ?? 1;
  const intervalMs = Number(match?.[1]) * unitMs;
  if (!(intervalMs >= 100 && intervalMs <= 3_600_000)) {
    throw new ConfigError(`${flag}: expected 100ms to 60m, got ${JSON.stringify(said)}`);
  }
  return intervalMs;
}
