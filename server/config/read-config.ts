import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type * as z from 'zod';
import { messageOf } from '@/lib/format/message-of';
import { isoTime } from '@/lib/views/fields/query-fields';
import { parseYamlDocuments } from '../codec/parse-yaml-documents';
import { bindCredentials, readCredentials } from '../collect/source-kind/named-credentials';
import { type StartOption, type StartOptions, variableOf } from '../collect/source-kind/option';
import { type ConfiguredSource, sourceIdOf } from '../collect/source-kind/source-kind';
import { parseIntervalMs, parseListen } from '../collect/source-kind/values';
import { ConfigError } from '../config-error';
import { channelzOf } from '../sources/channelz-sources';
import { findDistinct } from '../sources/distinct-source';
import { type AnySourceKind, findKind, type SourceSetup, sourceKinds } from '../sources/source-kinds';
import { isLoopback } from '../transport/targets/is-loopback';
import type { Config, ConfigFile, SourceConfig } from './config';
import { configFile, startOptionGroups, startOptions } from './config';
import { readFlags } from './read-flags';

/**
 * Flags take precedence over the environment, then the file, then defaults; taps of flags are added to those of the
 * file. The embedded lab runs if no source is named, or if it is requested. Throws ConfigError (one line) or
 * HelpRequested.
 */
export function readConfig(given: ReadConfigOptions): Config {
  const { options, files } = readCommand(given);
  const { values: ofFlags, dev } = readFlags(startOptionGroups, options.argv, options.version);
  const { config: flagFile, ...flags } = ofFlags;
  const { config: envFile, ...environment } = readEnvironment(startOptions, options.env);
  const file = flagFile ?? envFile;
  const fromFlags = check('flags', flags);
  const fromEnvironment = check('environment', environment);
  const fromFile =
    typeof file !== 'string'
      ? {}
      : check(`config file ${file}`, readConfigFile(path.resolve(options.cwd, file)));
  const merged: ConfigFile = { ...fromFile, ...fromEnvironment, ...fromFlags };
  const originOf = (key: string): SourceConfig['origin'] =>
    key in fromFlags ? 'flag' : key in fromEnvironment ? 'environment' : 'config';

  const host = merged.host ?? '127.0.0.1';
  if (!isLoopback(host) && merged.insecureNoAuth !== true && typeof merged.token !== 'string') {
    throw new ConfigError(
      `--host: expected a loopback address, or XDSCOPE_TOKEN or --insecure-no-auth beside it because other machines can reach it, got ${JSON.stringify(host)}`,
    );
  }
  const entries = merged.credentials ?? {};
  const unbound = readCredentials(entries, options.cwd);
  const stated = { ...fromEnvironment, ...fromFlags };
  const namesServers = Object.entries(startOptions).some(
    ([key, option]) => option.namesServers === true && Reflect.get(merged, key) !== undefined,
  );
  const context = {
    ...{ cwd: options.cwd, env: options.env, credentials: unbound, originOf },
    ...{ stated, inFile: fromFile, namesServers },
  };
  const sources = sourceKinds.flatMap(({ kind, read }) => {
    const stated = read?.(merged, context) ?? [];
    const beside = kind === 'csds' && merged.csdsChannelz === true ? channelzOf(stated) : [];
    return [...withIds(stated), ...withIds(beside)];
  });
  const replay = parseReplay(merged, options.cwd);
  const temporary = files.length === 0 ? undefined : temporaryDataDir();
  return {
    host,
    port: merged.port ?? 3000,
    allowedHosts: merged.allowedHosts ?? [],
    token: tokenOf(merged),
    allowTargets: merged.allowTargets ?? [],
    alertWebhook: merged.alertWebhook ?? null,
    credentials: bindCredentials(
      entries,
      unbound,
      sources.map(({ credentials, setup, target }) => {
        return { credentials, servers: findKind(setup.kind).serversOf?.(setup) ?? [target] };
      }),
    ),
    dataDir: path.resolve(options.cwd, merged.dataDir ?? temporary ?? 'data'),
    isTemporary: merged.dataDir === undefined && temporary !== undefined,
    setAsideDamaged: merged.setAsideDamaged ?? false,
    lab:
      merged.lab ??
      (sources.length === 0 && files.length === 0 && replay === null && merged.store === undefined),
    backgroundFaults: merged.backgroundFaults ?? true,
    envoy: merged.envoy ?? '',
    checkEnvoy: merged.checkEnvoy ?? '',
    sources,
    intervalsMs: Object.fromEntries(sourceKinds.flatMap((kind) => intervalOf(kind, merged))),
    keepaliveMs:
      merged.keepalive === undefined ? undefined : parseIntervalMs(merged.keepalive, '--keepalive'),
    labLoadIntervalMs: parseIntervalMs(merged.lrsInterval ?? '5s', '--lrs-interval'),
    replay,
    files: files.map((file) => path.resolve(options.cwd, file)),
    interopClients: merged.interopClients ?? [],
    twinClients: merged.twinClients ?? [],
    descriptorSets: (merged.descriptorSets ?? []).map((file) => path.resolve(options.cwd, file)),
    clientLimits: {
      total: merged.maxClients ?? 100_000,
      perSource: merged.maxClientsPerSource ?? 50_000,
    },
    maxPermalinks: merged.maxPermalinks ?? 10_000,
    store: storeOf(merged),
    retention: {
      maxAgeMs: (merged.retentionDays ?? 7) * 24 * 3_600_000,
      maxBytes: (merged.retentionMegabytes ?? 2048) * 1_000_000,
      maxCount: merged.retentionCount ?? Number.MAX_SAFE_INTEGER,
    },
    dev,
    log: { level: merged.logLevel ?? 'info', format: merged.logFormat ?? 'text' },
  };
}

function storeOf({ store, role }: ConfigFile): Config['store'] {
  if (store === undefined && role === undefined) return null;
  if (store === undefined) throw new ConfigError(`--role ${role}: expected --store beside it, got none`);
  if (role === undefined)
    throw new ConfigError('--store: expected --role collector or --role web beside it, got none');
  return { url: store, role };
}

function tokenOf({ token, insecureNoAuth }: ConfigFile): Config['token'] {
  if (typeof token === 'string') return { value: token };
  return token === false || insecureNoAuth === true ? 'none' : 'generated';
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

function intervalOf({ kind, interval }: AnySourceKind, values: ConfigFile): [string, number][] {
  if (interval === undefined) return [];
  const stated: string | number | undefined = Reflect.get(values, interval.key);
  return [[kind, parseIntervalMs(stated ?? interval.usual, interval.flag)]];
}

/**
 * The sources of one kind, and of lists of it, under their ids. One target may be observed in several ways. Throws
 * ConfigError if two sources are identical.
 */
function withIds(sources: readonly ConfiguredSource<SourceSetup>[]): SourceConfig[] {
  const setups = new Map<string, SourceSetup>();
  return sources.map((source) => {
    const { target, variant, origin } = source;
    const { kind } = source.setup;
    const found = findDistinct({ ...source, id: sourceIdOf(kind, target, variant) }, (id) => setups.get(id));
    if (found === undefined) {
      const where = origin === 'config' ? kind : `--${kind}`;
      const ways = kind === 'ads' ? ' by one transport, API version, mode and node' : '';
      throw new ConfigError(`${where}: expected each target once${ways}, got ${target} twice`);
    }
    setups.set(found.source.id, found.source.setup);
    return found.source;
  });
}

/**
 * `replay` is "FILE" or "FILE@HOST:PORT"; a file whose name contains "@" needs the address behind it. null: nothing is
 * replayed. Throws ConfigError.
 */
function parseReplay(
  { replay, replayClient, replayAt }: Pick<ConfigFile, 'replay' | 'replayClient' | 'replayAt'>,
  cwd: string,
): Config['replay'] {
  if (replay === undefined) {
    const alone = replayClient === undefined ? 'at' : 'client';
    if (replayClient === undefined && replayAt === undefined) return null;
    throw new ConfigError(`--replay-${alone}: expected --replay beside it, got none`);
  }
  const time = isoTime.optional().safeParse(replayAt);
  if (!time.success) {
    const got = JSON.stringify(replayAt);
    throw new ConfigError(`--replay-at: expected a time as in 2026-11-21T11:04:07Z, got ${got}`);
  }
  const which = { nodeId: replayClient ?? null, at: time.data ?? null };
  const at = replay.lastIndexOf('@');
  if (at <= 0) return { file: path.resolve(cwd, replay), host: '127.0.0.1', port: 0, ...which };
  const { host, port } = parseListen('--replay', replay.slice(at + 1));
  return { file: path.resolve(cwd, replay.slice(0, at)), host, port, ...which };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** XDSCOPE_* variables as values of options. Empty variables are ignored. */
function readEnvironment(options: StartOptions, env: Environment): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [key, option] of Object.entries(options)) {
    const name = `XDSCOPE_${variableOf(option)}`;
    const text = env[name]?.trim() ?? '';
    if (text !== '') values[key] = readVariable(name, text, option);
  }
  return values;
}

/** The schema of the option converts numbers. */
function readVariable(name: string, text: string, option: StartOption): unknown {
  if (option.isList) {
    const items = text.split(',').map((item) => item.trim());
    return items.filter((item) => item !== '');
  }
  if (option.flags.includes('<') || option.isText) {
    if (option.choices === undefined || option.choices.includes(text)) return text;
    throw new ConfigError(`${name}: expected ${option.choices.join(', ')}, got ${JSON.stringify(text)}`);
  }
  const value = text.toLowerCase();
  if (['1', 'true', 'yes', 'on'].includes(value)) return true;
  if (['0', 'false', 'no', 'off'].includes(value)) return false;
  throw new ConfigError(`${name}: expected 1 or 0, got ${JSON.stringify(text)}`);
}

interface ReadConfigOptions {
  /** The arguments after `node` and the script. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly version: string;
}

export type MaintenanceCommand =
  | { readonly command: 'backup' | 'restore'; readonly file: string; readonly dataDir: string }
  | { readonly command: 'copy'; readonly from: string; readonly url: string };

/** `backup FILE [flags]`, `restore FILE [flags]` and `copy --from DIR [flags]`; undefined for any other command line. Throws as readConfig() does. */
export function readMaintenance(given: ReadConfigOptions): MaintenanceCommand | undefined {
  const [command, file, ...argv] = given.argv;
  if (command === 'copy') return readCopy(given);
  if (command !== 'backup' && command !== 'restore') return undefined;
  const isNamed = file !== undefined && !file.startsWith('-');
  const { dataDir } = readConfig({ ...given, argv: isNamed ? argv : given.argv.slice(1) });
  if (!isNamed) throw new ConfigError(`${command}: expected the file of the backup, got none`);
  return { command, file: path.resolve(given.cwd, file), dataDir };
}

function readCopy(given: ReadConfigOptions): MaintenanceCommand {
  const words = given.argv.slice(1);
  const at = words.indexOf('--from');
  const from = at < 0 ? undefined : words[at + 1];
  const others = at < 0 ? words : words.toSpliced(at, 2);
  // The recording is copied as that of a collector.
  const { store } = readConfig({ ...given, argv: [...others, '--role', 'collector'] });
  if (from === undefined) throw new ConfigError('copy: expected --from with a data directory, got none');
  if (store === null) throw new ConfigError('copy: expected --store with a URL, got none');
  return { command: 'copy', from: path.resolve(given.cwd, from), url: store.url };
}

/** Options that apply to `open`, which ignores sources of the environment. */
const keptVariables = /^XDSCOPE_(?:HOST|PORT|TOKEN|ALLOWED_HOST|DATA_DIR|DESCRIPTOR_SET)$/;

/** `open FILE... [flags]`: the files, and the remaining command line and environment. Throws ConfigError. */
function readCommand(options: ReadConfigOptions): {
  readonly options: ReadConfigOptions;
  readonly files: readonly string[];
} {
  const [command, ...words] = options.argv;
  if (command !== 'open') return { options, files: [] };
  const firstFlag = words.findIndex((word) => word.startsWith('-'));
  const files = firstFlag === -1 ? words : words.slice(0, firstFlag);
  if (files.length === 0 && !words.includes('--help'))
    throw new ConfigError('open: expected a file to open, got none');
  const env = Object.fromEntries(Object.entries(options.env).filter(([name]) => keptVariables.test(name)));
  return { options: { ...options, argv: words.slice(files.length), env }, files };
}

/** The directory is created later. */
function temporaryDataDir(): string {
  return path.join(os.tmpdir(), `xdscope-open-${randomBytes(6).toString('hex')}`);
}

/** The content of the file, not validated. The YAML parser reads JSON, too. */
function readConfigFile(file: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(
      `--config: expected a readable file, got ${JSON.stringify(file)} (${firstLineOf(cause)})`,
    );
  }
  let documents: readonly unknown[];
  try {
    documents = parseYamlDocuments(text);
  } catch (cause) {
    const reason = firstLineOf(cause);
    const isLimit = reason.startsWith('expected ');
    throw new ConfigError(`--config ${file}: ${isLimit ? reason : `expected YAML or JSON (${reason})`}`);
  }
  if (documents.length > 1) {
    throw new ConfigError(`--config ${file}: expected one document of YAML, got ${documents.length}`);
  }
  const content = documents[0] ?? null;
  if (content === null) return {};
  if (typeof content !== 'object' || Array.isArray(content)) {
    const got = Array.isArray(content) ? 'a list' : `a ${typeof content}`;
    throw new ConfigError(`--config ${file}: expected a mapping of settings, got ${got}`);
  }
  return { ...content };
}

function firstLineOf(cause: unknown): string {
  const message = messageOf(cause);
  return message.split('\n')[0] ?? message;
}
