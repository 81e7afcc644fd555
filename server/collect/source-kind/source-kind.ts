import type { ClientReport, ClientState } from '@/lib/observation/client-state';
import type { SourceKind } from '@/lib/observation/source-kinds';
import type { NewSource, ProbeSettingsShown, Security } from '@/lib/views/sources/schema';
import type { Clock, Observe } from '../../observe';
import type { RunningSource, SourceStatus } from '../../source-status';
import type { ChannelCredentialsConfig } from '../../transport/grpc/credentials-config';
import type { AllCredentials } from './named-credentials';
import type { StartOptions, ValuesOf } from './option';

interface AnySetup {
  readonly kind: SourceKind;
}

/** A source as flags, environment or config file state it. */
export interface ConfiguredSource<Setup extends AnySetup> {
  readonly target: string;
  /** Distinguishes sources of one target, as in "?transport=delta-ads". */
  readonly variant?: string;
  readonly label: string;
  readonly origin: 'flag' | 'environment' | 'config';
  readonly setup: Setup;
  /** The entry of `credentials` that it uses. */
  readonly credentials?: string | undefined;
}

/** A source as a caller of the API requests it. */
interface RequestedSource<Setup extends AnySetup> {
  readonly target: string;
  readonly variant?: string;
  readonly setup: Setup;
  /** Fields of its bootstrap that name files or unix sockets, and are ignored. */
  readonly ignored?: readonly string[];
}

export interface ReadContext<Options extends StartOptions> {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly credentials: AllCredentials;
  readonly originOf: (key: keyof Options) => ConfiguredSource<AnySetup>['origin'];
  /** `stated` has the values of flags and environment, `inFile` those of the config file. */
  readonly stated: ValuesOf<Options>;
  readonly inFile: ValuesOf<Options>;
  /** An option of any kind names servers to observe. */
  readonly namesServers: boolean;
}

/** Yields what a source reported last of each client, also before a restart. */
export type ReportsOf = (
  sourceId: string,
) => Iterable<{ readonly client: ClientState; readonly report: ClientReport }>;

/** The parts that every source is started with. */
export interface StartParts {
  readonly sourceId: string;
  readonly observe: Observe;
  readonly clock: Clock;
  readonly onStatus: (status: SourceStatus) => void;
  /** Whoever starts xdscope named the target: the dial policy does not apply. */
  readonly isNamed: boolean;
  /** Milliseconds between two polls; 0 for kinds that do not poll. */
  readonly intervalMs: number;
  /** Milliseconds between two pings of a gRPC connection; undefined: no pings. */
  readonly keepaliveMs: number | undefined;
  /** Limit of the clients of one source. */
  readonly maxClients: number;
  /** The version of xdscope. */
  readonly version: string;
  /** The next report of the source is complete again. */
  readonly onForgotten: () => void;
}

/** `ListSetup`: the setup of lists of targets of the kind. */
export interface SourceKindValue<
  Options extends StartOptions,
  Setup extends AnySetup,
  Parts,
  ListSetup extends AnySetup = Setup,
> {
  readonly kind: Setup['kind'];
  readonly options: Options;
  /** The heading of the options in the help. Absent: that of polled sources. */
  readonly optionsTitle?: string;
  readonly health: HealthTexts;
  /** The option of the time between two polls. Absent if the kind does not poll. */
  readonly interval?: { readonly key: keyof Options; readonly flag: string; readonly usual: string };
  /** Throws ConfigError. */
  readonly read?: (
    values: ValuesOf<Options>,
    context: ReadContext<Options>,
  ) => readonly ConfiguredSource<Setup | ListSetup>[];
  /** Throws SettingError with the field of the request. Absent if callers of the API cannot add such a source. */
  readonly setUp?: (input: NewSource, credentials: AllCredentials) => RequestedSource<Setup>;
  /** Returns what pages show of the setup, without names of files and tokens. */
  readonly show: (setup: Setup) => SetupShown;
  /** Every server that a source connects to. Absent: its target. */
  readonly serversOf?: (setup: Setup) => readonly string[];
  /** See DeclaredSource. */
  readonly serverOf?: (source: { readonly target: string; readonly setup: Setup }) => string;
  /** Marks the servers of the setup as named by the command line, environment or config file. */
  readonly nameServers?: (setup: Setup) => Setup;
  /** Addresses that other processes connect to. */
  readonly listeners?: (
    setup: Setup,
  ) => readonly { readonly flag: string; readonly host: string; readonly risk: string }[];
  readonly start: (
    source: { readonly target: string; readonly setup: Setup },
    parts: StartParts & Parts,
  ) => RunningSource;
}

/** The meaning of each state for sources of the kind, as the predicate of a sentence whose subject is the source. */
export type HealthTexts = Readonly<Record<SourceStatus['state'], string>>;

export const polledHealth: HealthTexts = {
  connecting: 'has not answered yet',
  up: 'answers',
  down: 'does not answer',
  paused: 'is paused',
};

export interface SetupShown {
  readonly security: Security;
  readonly settings?: ProbeSettingsShown | undefined;
}

/** Returns the security of a port that clients connect to: mTLS if they need a certificate. */
export function listenSecurityOf(credentials: ChannelCredentialsConfig): Security {
  if (credentials.kind === 'insecure') return 'plain';
  return credentials.caCertificateFile === null ? 'tls' : 'mtls';
}

export function securityOf(credentials: ChannelCredentialsConfig): Security {
  if (credentials.kind === 'insecure') return 'plain';
  return credentials.certificateFile === null && credentials.identity === undefined ? 'tls' : 'mtls';
}

/** The id of a source, stable over restarts. `variant` distinguishes sources of one target, as in "?transport=delta-ads". */
export function sourceIdOf(kind: SourceKind, target: string, variant = ''): string {
  return `${kind}:${target}${variant}`;
}

/** Checks the types of a kind, and infers those of its options. */
export function defineSourceKind<Setup extends AnySetup, Parts, ListSetup extends AnySetup = Setup>() {
  return <const Options extends StartOptions>(
    kind: SourceKindValue<Options, Setup, Parts, ListSetup>,
  ): SourceKindValue<Options, Setup, Parts, ListSetup> => kind;
}
