import * as z from 'zod';
import type { SourceKind } from '@/lib/observation/source-kinds';
import type { EpochMs } from '@/lib/xds/units';
import { type AllCredentials, credentialsEntries } from '../collect/source-kind/named-credentials';
import {
  listOption,
  type OptionGroup,
  option,
  type StartOption,
  type StartOptions,
  textSwitch,
} from '../collect/source-kind/option';
import type { ConfiguredSource } from '../collect/source-kind/source-kind';
import { interval, number, positive, positiveCount, text } from '../collect/source-kind/values';
import { parseWebhookUrl } from '../live/alerts/webhook-url';
import type { ClientLimits } from '../live/client-limits';
import { type LogFormat, type LogLevel, logFormats, logLevels } from '../logger';
import { kindOptionGroups, kindOptions, type SourceSetup } from '../sources/source-kinds';
import { parseHostPattern } from '../transport/targets/host-pattern';
import { accessToken } from './access-token-setting';

/** A source as flags, environment or config file state it. */
export interface SourceConfig extends ConfiguredSource<SourceSetup> {
  readonly id: string;
}

/** The validated configuration; see readConfig(). */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Host names (no port) under which browsers may reach this server, besides IP addresses and localhost. */
  readonly allowedHosts: readonly string[];
  /** The token that requests must contain; "generated" means one that is kept in the data directory. */
  readonly token: 'none' | 'generated' | { readonly value: string };
  /**
   * CIDRs and host names that callers of the API may let xdscope connect to. Empty: all that the dial policy allows.
   */
  readonly allowTargets: readonly string[];
  /** Receives alerts on issues; null: none. */
  readonly alertWebhook: string | null;
  readonly credentials: AllCredentials;
  readonly dataDir: string;
  /** True if the data directory is removed at the end. */
  readonly isTemporary: boolean;
  readonly lab: boolean;
  readonly backgroundFaults: boolean;
  /** The Envoy that the lab runs as a client: a path, "off", or empty, which means one that is found. */
  readonly envoy: string;
  /** The path of the Envoy that Check may ask; empty: none. */
  readonly checkEnvoy: string;
  /** Grouped by kind. */
  readonly sources: readonly SourceConfig[];
  /** The time between two polls of a source, by its kind. */
  readonly intervalsMs: Readonly<Partial<Record<SourceKind, number>>>;
  /** Absolute paths of recordings to open. */
  readonly files: readonly string[];
  /** A recording to serve; null: none. */
  readonly replay: {
    readonly file: string;
    readonly host: string;
    readonly port: number;
    /** Node id. null: the first client with streams or resources. */
    readonly nodeId: string | null;
    /** The moment whose resources are served. null: the streams are replayed. */
    readonly at: EpochMs | null;
  } | null;
  /** Milliseconds between two pings of a gRPC connection; undefined: no pings. */
  readonly keepaliveMs: number | undefined;
  /** The interval at which clients of the lab report load. */
  readonly labLoadIntervalMs: number;
  /** Absolute paths of FileDescriptorSets. */
  readonly descriptorSets: readonly string[];
  /** Clients of the gRPC interop tests beside those that xdscope finds. */
  readonly interopClients: readonly InteropClientConfig[];
  /** Clients of twins beside those that xdscope finds. */
  readonly twinClients: readonly TwinClientConfig[];
  /** Renames a damaged database at the start, and begins a new one. */
  readonly setAsideDamaged: boolean;
  /** The largest numbers of clients in the live state. */
  readonly clientLimits: ClientLimits;
  readonly maxPermalinks: number;
  /** The shared store, into which a collector copies its recording; null: this process has none. */
  readonly store: SharedStore | null;
  readonly retention: { readonly maxAgeMs: number; readonly maxBytes: number; readonly maxCount: number };
  /** Runs Next.js in development mode. */
  readonly dev: boolean;
  readonly log: { readonly level: LogLevel; readonly format: LogFormat };
}

export interface SharedStore {
  /** As in postgres://user:password@host:5432/database. A part that is missing is that of libpq's environment. */
  readonly url: string;
  readonly role: (typeof roles)[number];
}

/** A program that runs of the interop tests start. A request names it, and states neither command nor arguments. */
const interopClient = z.strictObject({
  name: text.describe('name in requests and in the matrix, as in `grpc-cpp`'),
  version: text.describe('version of the library that the program uses'),
  command: z
    .array(text)
    .min(1)
    .describe('the program and its first arguments; the flags of the gRPC test description follow'),
});

export type InteropClientConfig = z.infer<typeof interopClient>;

/** A program that gets the config of a client to prove a request. A request names it, as above. */
const twinClient = z.strictObject({
  name: text.describe('name in requests, as in `grpc-cpp`'),
  version: text.describe('version of the library that the program uses'),
  command: z
    .array(text)
    .min(1)
    .describe('the program and its arguments; it reads RPCs from its standard input (docs/views.md)'),
});

export type TwinClientConfig = z.infer<typeof twinClient>;

/** A text that is parsed where it is used. */
const hostPattern = text.refine(
  (pattern) => parseHostPattern(pattern) !== undefined,
  'expected a CIDR or a host name',
);

const replayOptions = {
  replay: option(
    '--replay <file[@listen]>',
    'serve an .xdscope file as a management server, at recorded speed (default: any free port of 127.0.0.1)',
    text,
  ),
  replayClient: option(
    '--replay-client <node id>',
    'the client of the file to replay (default: the first that has streams)',
    text,
  ),
  replayAt: option(
    '--replay-at <time>',
    'serve what the client had at a time, as in 2026-11-21T11:04:07Z (default: replay its streams)',
    text,
  ),
};

const serverOptions = {
  host: option('--host <address>', 'address to serve the pages on (default: 127.0.0.1)', text),
  port: option(
    '--port <number>',
    'port to serve the pages on, 0 for any free one (default: 3000)',
    number(
      'a whole number of 0 to 65535',
      (value) => Number.isInteger(value) && value >= 0 && value <= 65_535,
    ),
  ),
  insecureNoAuth: option(
    '--insecure-no-auth',
    'allow a --host that other machines reach without a token',
    z.boolean(),
  ),
  token: textSwitch(
    '--no-token',
    'serve pages and API to everyone who reaches the port; the variable sets the token instead (default: a token that is generated, kept in the data directory and printed with the URL)',
    accessToken,
  ),
  checkEnvoy: option(
    '--check-envoy <path>',
    'the Envoy that the page Check may ask, with --mode validate, about resources that users enter (default: none)',
    text,
  ),
  allowedHosts: listOption(
    '--allowed-host <name>',
    'host name under which browsers may reach this server (repeatable)',
    z.array(text),
  ),
  allowTargets: listOption(
    '--allow-target <cidr or host>',
    'targets that sources of the browser or the API may connect to, as in 10.0.0.0/8 or *.svc.cluster.local (repeatable; default: everything but link-local, metadata, multicast, unspecified and broadcast addresses)',
    z.array(hostPattern),
  ),
  alertWebhook: option(
    '--alert-webhook <url>',
    "URL that receives an alert when an issue opens, changes or is resolved, in the format of Alertmanager's webhooks",
    text.refine((url) => parseWebhookUrl(url).ok, 'expected a URL as in http://127.0.0.1:9095/hook'),
  ),
  keepalive: option(
    '--keepalive <time>',
    'time between two pings of a gRPC connection, as in 5m; servers close connections that ping more often than they permit, every 5 minutes by default (default: no pings)',
    interval,
  ),
};

const roles = ['collector', 'web'] as const;

function isPostgresUrl(url: string): boolean {
  return URL.canParse(url) && ['postgres:', 'postgresql:'].includes(new URL(url).protocol);
}

const storageOptions = {
  dataDir: option(
    '--data-dir <dir>',
    'directory of the recording and its permalinks (default: ./data)',
    text,
  ),
  setAsideDamaged: option(
    '--set-aside-damaged',
    'rename a damaged recording and start a new one (default: exit with the reason)',
    z.boolean(),
  ),
  store: option(
    '--store <url>',
    'PostgreSQL that several processes share, as in postgres://xdscope@db.internal/xdscope; XDSCOPE_STORE or PGPASSWORD keep the password out of the list of processes (default: none)',
    text.refine(isPostgresUrl, 'expected a URL as in postgres://xdscope@db.internal:5432/xdscope'),
  ),
  role: option(
    '--role <role>',
    'what this process does with the shared store: collector (observes its sources, and copies its recording there) or web (serves pages on what all collectors observe)',
    z.enum(roles),
    { choices: roles },
  ),
  retentionDays: option('--retention-days <days>', 'maximum age of observations (default: 7)', positive),
  retentionMegabytes: option(
    '--retention-megabytes <MB>',
    'maximum size of the recording (default: 2048)',
    positive,
  ),
  retentionCount: option(
    '--retention-count <observations>',
    'maximum number of observations (default: unlimited)',
    positive,
  ),
  maxPermalinks: option(
    '--max-permalinks <number>',
    'maximum number of permalinks, which are never deleted (default: 10000)',
    positiveCount,
  ),
  maxClients: option(
    '--max-clients <number>',
    'maximum number of observed clients (default: 100000)',
    positiveCount,
  ),
  maxClientsPerSource: option(
    '--max-clients-per-source <number>',
    'maximum number of observed clients per source (default: 50000)',
    positiveCount,
  ),
  descriptorSets: listOption(
    '--descriptor-set <file>',
    'additional protobuf types: a FileDescriptorSet of protoc or buf (repeatable)',
    z.array(text),
  ),
};

const labOptions = {
  lab: option('--lab', 'run the embedded lab beside the named sources', z.boolean(), {
    negation: { flags: '--no-lab', help: 'do not start the embedded lab; the page "Lab" can start it' },
  }),
  backgroundFaults: option('--no-background-faults', 'start the lab without background faults', z.boolean()),
  envoy: option(
    '--envoy <path or "off">',
    'the Envoy that the lab runs as one of its clients, and that proves requests (default: envoy of the PATH, or that of npm run test:peers)',
    text,
  ),
};

const logOptions = {
  logLevel: option(
    '--log-level <level>',
    'minimum level of the messages on stderr (default: info)',
    z.enum(logLevels),
    { choices: logLevels },
  ),
  logFormat: option(
    '--log-format <format>',
    'format of the messages: text, or one JSON object per line (default: text)',
    z.enum(logFormats),
    { choices: logFormats },
  ),
};

/** The options that flags, environment and config file have in common. Absent ones have defaults. */
const fileOptions = {
  ...kindOptions,
  ...replayOptions,
  ...serverOptions,
  ...storageOptions,
  ...labOptions,
  ...logOptions,
};

/** Options of flags and environment alone. */
const commandOptions = {
  config: option('--config <file>', 'YAML or JSON file that sets any of these options', text),
};

/** The options of flags and environment: those of the config file, and its path. */
export const startOptions: StartOptions = { ...fileOptions, ...commandOptions };

/** All of `startOptions`, in the order of the help. */
export const startOptionGroups: readonly OptionGroup[] = [
  ...kindOptionGroups,
  { title: 'Replay', options: replayOptions },
  { title: 'Server and network', options: serverOptions },
  { title: 'Recording and limits', options: storageOptions },
  { title: 'Lab', options: labOptions },
  { title: 'Log', options: logOptions },
  { title: 'Config file', options: commandOptions },
];

/** The settings of the config file, under whose keys flags and environment are read, too. */
export const configFile = z.strictObject({
  ...schemasOf(fileOptions),
  credentials: credentialsEntries.optional(),
  interopClients: z.array(interopClient).optional(),
  twinClients: z.array(twinClient).optional(),
});

export type ConfigFile = z.infer<typeof configFile>;

type SchemasOf<Options extends StartOptions> = {
  readonly [Key in keyof Options]: z.ZodOptional<Options[Key]['schema']>;
};

function schemasOf<Options extends StartOptions>(options: Options): SchemasOf<Options> {
  const schemas = Object.entries<StartOption>(options).map(([key, { schema }]) => [key, schema.optional()]);
  return Object.fromEntries(schemas);
}
