import path from 'node:path';
import * as z from 'zod';
import type { PolledKind } from '@/lib/observation/source-kinds';
import type { NewSource } from '@/lib/views/sources/schema';
import { ConfigError } from '../../config-error';
import { noSecurity, type SecurityConfig } from '../../transport/grpc/channel-security';
import { parseTarget, type Target } from '../../transport/targets/target';
import { type AllCredentials, authentication, readSecurity, requestedSecurity } from './named-credentials';
import { listOption, option, type StartOption, type StartOptions } from './option';
import { explainSetting, SettingError } from './setting-error';
import {
  type ConfiguredSource,
  polledHealth,
  type ReadContext,
  type SetupShown,
  type StartParts,
  securityOf,
} from './source-kind';
import { entryOf, interval as intervalSchema, text } from './values';

/** The setup of a polled source. */
export interface PolledSetup {
  readonly kind: PolledKind;
  readonly security?: SecurityConfig;
  /** The name that the certificate must have. Absent: the host of the target. */
  readonly serverName?: string;
}

/** The setup of a list of targets, in a file or behind a DNS name. */
export interface TargetListSetup<Member extends PolledSetup = PolledSetup> {
  readonly kind: `${Member['kind']}-list`;
  readonly from:
    | { readonly kind: 'file'; readonly path: string }
    | { readonly kind: 'dns'; readonly target: Target };
  /** The setup of each source that the list finds. */
  readonly member: Member;
}

/** `own`: settings of an entry of the config file besides its target and label. */
interface PolledOptionParts<Name extends string, Own extends z.ZodRawShape> {
  /** The key of the option of targets; the others are this and `Dns`, `Files` and `Interval`. */
  readonly name: Name;
  readonly flag: string;
  readonly own: Own;
  readonly help: Readonly<Record<'targets' | 'dns' | 'files' | 'interval', string>>;
  readonly usualInterval: string;
  /** Reads the targets of the options. Absent: parseTarget(), for host:port. */
  readonly parse?: typeof parseTarget;
  /** The form of a target in the help. Absent: host:port. */
  readonly targetForm?: string;
}

/** The options of a polled kind: targets, DNS names of targets, files of targets, and the time between two polls. */
export function polledOptions<const Name extends string, const Own extends z.ZodRawShape>({
  name,
  flag,
  own,
  help,
  usualInterval: usual,
  parse = parseTarget,
  targetForm = 'host:port',
}: PolledOptionParts<Name, Own>) {
  const common = { label: z.string().describe('name on pages').optional(), ...own };
  const target = { target: z.string().describe(`\`${targetForm}\``), ...common };
  const targets = z.array(entryOf('target', target, `${targetForm}, or a mapping with target and label`));
  const file = { path: text.describe('path of the file'), ...common };
  const files = z.array(entryOf('path', file, 'a path, or a mapping with path and label'));
  const named = { namesServers: true } as const;
  const options = {
    [name]: listOption(`${flag} <${targetForm}>`, help.targets, targets, named),
    [`${name}Dns`]: listOption(`${flag}-dns <host:port>`, help.dns, targets, named),
    [`${name}Files`]: listOption(`${flag}-file <file>`, help.files, files, named),
    [`${name}Interval`]: option(
      `${flag}-interval <time>`,
      `${help.interval} (default: ${usual})`,
      intervalSchema,
    ),
  } as Record<Name | `${Name}Dns`, StartOption<typeof targets>> &
    Record<`${Name}Files`, StartOption<typeof files>> &
    Record<`${Name}Interval`, StartOption<typeof intervalSchema>>;
  return {
    name,
    flag,
    options,
    parse,
    interval: { key: `${name}Interval` as const, flag: `${flag}-interval`, usual },
  };
}

interface Entry {
  readonly label?: string | undefined;
  readonly credentials?: string | undefined;
}

interface PolledEntries<Target, File> {
  readonly targets?: readonly (Target & Entry & { readonly target: string })[] | undefined;
  readonly dns?: readonly (Target & Entry & { readonly target: string })[] | undefined;
  readonly files?: readonly (File & Entry & { readonly path: string })[] | undefined;
}

/** The sources and lists that the options of a polled kind state. `toSetup` throws SettingError. Throws ConfigError. */
export function readPolled<Options extends StartOptions, Target, File, Setup extends PolledSetup>(
  { targets = [], dns = [], files = [] }: PolledEntries<Target, File>,
  {
    name,
    flag,
    parse,
  }: {
    readonly name: keyof Options & string;
    readonly flag: string;
    readonly parse: typeof parseTarget;
  },
  context: ReadContext<Options>,
  toSetup: (entry: Target | File) => Setup,
): ConfiguredSource<Setup | TargetListSetup<Setup>>[] {
  const readAll = <E extends (Target | File) & Entry>(
    entries: readonly E[],
    key: string,
    toSource: (
      entry: E,
      member: Setup,
    ) => { readonly target: string; readonly setup: Setup | TargetListSetup<Setup> },
  ) =>
    entries.map((entry, index) => {
      const member = explainSetting(`${key}.${index}`, () => toSetup(entry));
      const { target, setup } = toSource(entry, member);
      const { label = target, credentials } = entry;
      return { target, label, origin: context.originOf(key), setup, credentials };
    });
  const listOf = (from: TargetListSetup['from'], member: Setup): TargetListSetup<Setup> => {
    return { kind: `${member.kind}-list` as TargetListSetup<Setup>['kind'], from, member };
  };
  return [
    ...readAll(targets, name, (entry, setup) => {
      return { target: readTarget(entry.target, flag, parse).text, setup };
    }),
    ...readAll(dns, `${name}Dns`, (entry, member) => {
      const target = readTarget(entry.target, `${flag}-dns`);
      // Certificates name the host, not its addresses.
      const isTls = member.security?.credentials.kind === 'tls';
      const named = isTls ? { ...member, serverName: target.host } : member;
      return { target: target.text, setup: listOf({ kind: 'dns', target }, named) };
    }),
    ...readAll(files, `${name}Files`, (entry, member) => {
      const file = path.resolve(context.cwd, entry.path);
      return { target: file, setup: listOf({ kind: 'file', path: file }, member) };
    }),
  ];
}

function readTarget(target: string, flag: string, parse = parseTarget): Target {
  const parsed = parse(target);
  if (!parsed.ok) throw new ConfigError(`${flag}: ${parsed.problem.message}`);
  return parsed.target;
}

interface RequestRules {
  /** The name of the kind in error messages. */
  readonly name: string;
  /** A description of the allowed settings, as in "tls or credentials alone". Absent: there are none. */
  readonly settings?: string;
  readonly known: readonly string[];
}

/**
 * The target of a request for a source of a polled kind, and how the source authenticates. Throws SettingError with the
 * field of the request.
 */
export function requestPolled(
  { target = '', bootstrap, settings = {} }: NewSource,
  { name, settings: expected, known }: RequestRules,
  all: AllCredentials,
): { readonly target: string; readonly security: SecurityConfig } {
  if (bootstrap !== undefined) throw new SettingError('bootstrap', `expected none for ${name}, got one`);
  const other = Object.keys(settings).find((key) => !known.includes(key));
  if (other !== undefined) {
    const reason =
      expected === undefined
        ? `expected no settings for ${name}, got this`
        : `expected ${expected} for ${name}, got this beside it`;
    throw new SettingError(`settings.${other}`, reason);
  }
  const parsed = parseTarget(target);
  if (!parsed.ok) throw new SettingError('target', parsed.problem.message);
  const security = requestedSecurity(settings, [parsed.target], all) ?? noSecurity;
  return { target: parsed.target.text, security };
}

/** The setup of a source that has no settings but how it authenticates. */
export interface AuthenticatedSetup<Kind extends PolledKind> extends PolledSetup {
  readonly kind: Kind;
  readonly security: SecurityConfig;
}

/**
 * Returns the parts that are the same for polled kinds whose sources have no settings but how they authenticate. The
 * options have the name of the kind. For `name`, see RequestRules.
 */
export function authenticatedKind<const Kind extends PolledKind>(
  kind: Kind,
  name: string,
  help: PolledOptionParts<Kind, typeof authentication>['help'],
) {
  type Setup = AuthenticatedSetup<Kind>;
  type Authentication = Parameters<typeof readSecurity>[0];
  const polled = polledOptions({
    ...{ name: kind, flag: `--${kind}`, own: authentication, help, usualInterval: '1s' },
  });
  return {
    kind,
    options: polled.options,
    health: polledHealth,
    interval: polled.interval,
    readTargets: <Target extends Authentication, File extends Authentication>(
      entries: PolledEntries<Target, File>,
      context: ReadContext<typeof polled.options>,
    ) =>
      readPolled(
        entries,
        polled,
        context,
        (entry): Setup => ({
          kind,
          security: readSecurity(entry, context.credentials, context.cwd),
        }),
      ),
    setUp(input: NewSource, credentials: AllCredentials): { readonly target: string; readonly setup: Setup } {
      const known = ['tls', 'credentials'];
      const rules = { name, settings: 'tls or credentials alone', known };
      const { target, security } = requestPolled(input, rules, credentials);
      return { target, setup: { kind, security } };
    },
    show: ({ security }: Setup): SetupShown => ({
      security: securityOf(security.credentials),
    }),
    /** Returns the source as the thread of the pollers opens it. */
    opened<Parts extends StartParts>(
      { target, setup: { security, serverName } }: { readonly target: string; readonly setup: Setup },
      { isNamed, intervalMs, keepaliveMs, maxClients, ...parts }: Parts,
    ) {
      const setup = { target, isNamed, security, serverName, keepaliveMs, intervalMs, maxClients };
      return { ...parts, vantage: kind, setup };
    },
  };
}
