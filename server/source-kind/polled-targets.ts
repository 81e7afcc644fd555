import path from 'node:path';
import { z } from 'zod';
import type { NewSource } from '@/lib/api/schema';
import { ConfigError } from '../config-error';
import { parseTarget } from '../dial/target';
import { noSecurity, type SecurityConfig } from '../grpc/channel-security';
import { explainSetting } from './explain-setting';
import type { AllCredentials } from './named-credentials';
import { listOption, option, type StartOption, type StartOptions } from './option';
import { requestedSecurity } from './requested-security';
import { SettingError } from './setting-error';
import { entryOf, mappingWith } from './source-entries';
import type { ConfiguredSource, ReadContext, RequestedSource } from './source-kind';
import type { PolledSetup, TargetListSetup } from './target-list-setup';
import { interval as intervalSchema, text } from './values';

/** `own`: settings of an entry of the config file besides its target and label. */
interface PolledOptionParts<Name extends string, Own extends z.ZodRawShape> {
  /** The key of the option of targets; the others are this and `Dns`, `Files` and `Interval`. */
  readonly name: Name;
  readonly flag: string;
  readonly own: Own;
  readonly help: Readonly<Record<'targets' | 'dns' | 'files' | 'interval', string>>;
  readonly usualInterval: string;
}

/** The options of a polled kind: targets, DNS names of targets, files of targets, and the time between two polls. */
export function polledOptions<const Name extends string, const Own extends z.ZodRawShape>({
  name,
  flag,
  own,
  help,
  usualInterval: usual,
}: PolledOptionParts<Name, Own>) {
  const common = { label: z.string().optional(), ...own };
  const target = entryOf(z.strictObject({ target: z.string(), ...common }, mappingWith('target and label')));
  const file = z.preprocess(
    (said) => (typeof said === 'string' ? { path: said } : said),
    z.strictObject(
      { path: text, ...common },
      {
        error: ({ code }) =>
          code === 'invalid_type' ? 'expected a path, or a mapping with path and label' : undefined,
      },
    ),
  );
  const [targets, files] = [z.array(target), z.array(file)];
  const named = { namesServers: true } as const;
  const options = {
    [name]: listOption(`${flag} <host:port>`, help.targets, targets, named),
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

/** The sources and lists that the options of a polled kind state. `toSetup`: throws SettingError. */
export function readPolled<Options extends StartOptions, Target, File, Setup extends PolledSetup>(
  entries: PolledEntries<Target, File>,
  { name, flag }: { readonly name: keyof Options & string; readonly flag: string },
  context: ReadContext<Options>,
  toSetup: (entry: Target | File) => Setup,
): ConfiguredSource<Setup | TargetListSetup<Setup>>[] {
  const keys = { targets: name, dns: `${name}Dns`, files: `${name}Files` };
  const sourceOf = <S extends Setup | TargetListSetup<Setup>>(
    { label, credentials }: Entry,
    target: string,
    key: string,
    setup: S,
  ): ConfiguredSource<S> => {
    return { target, label: label ?? target, origin: context.originOf(key), setup, credentials };
  };
  const readTarget = (said: string, at: string) => {
    const parsed = parseTarget(said);
    if (!parsed.ok) throw new ConfigError(`${at}: ${parsed.problem.message}`);
    return parsed.target;
  };
  const listOf = (from: TargetListSetup['from'], member: Setup): TargetListSetup<Setup> => {
    return { kind: `${member.kind}-list` as TargetListSetup<Setup>['kind'], from, member };
  };
  return [
    ...(entries.targets ?? []).map((entry, index) => {
      const target = readTarget(entry.target, flag);
      return sourceOf(
        entry,
        target.text,
        keys.targets,
        explainSetting(`${keys.targets}.${index}`, () => toSetup(entry)),
      );
    }),
    ...(entries.dns ?? []).map((entry, index) => {
      const target = readTarget(entry.target, `${flag}-dns`);
      const setup = explainSetting(`${keys.dns}.${index}`, () => toSetup(entry));
      // Certificates name the host, not its addresses.
      const named =
        setup.security?.credentials.kind === 'tls' ? { ...setup, serverName: target.host } : setup;
      return sourceOf(entry, target.text, keys.dns, listOf({ kind: 'dns', target }, named));
    }),
    ...(entries.files ?? []).map((entry, index) => {
      const file = path.resolve(context.cwd, entry.path);
      const setup = explainSetting(`${keys.files}.${index}`, () => toSetup(entry));
      return sourceOf(entry, file, keys.files, listOf({ kind: 'file', path: file }, setup));
    }),
  ];
}

/** The name of a kind in error messages, and its allowed settings. */
export interface RequestRules {
  readonly name: string;
  /** A description of the allowed settings, as in "tls or credentials alone". undefined: none. */
  readonly settings?: string;
  readonly known: readonly string[];
}

/**
 * The target of a request for a source of a polled kind, and how the source authenticates. Throws SettingError with the
 * field of the request.
 */
export function requestPolled(
  { target: said, bootstrap, settings = {} }: NewSource,
  { name, settings: expected, known }: RequestRules,
  all: AllCredentials,
): Pick<RequestedSource<PolledSetup>, 'target'> & { readonly security: SecurityConfig } {
  if (bootstrap !== undefined) throw new SettingError('bootstrap', `expected none for ${name}, got one`);
  const other = Object.keys(settings).find((key) => !known.includes(key));
  if (other !== undefined) {
    const reason =
      expected === undefined
        ? `expected no settings for ${name}, got this`
        : `expected ${expected} for ${name}, got this beside it`;
    throw new SettingError(`settings.${other}`, reason);
  }
  const parsed = parseTarget(said ?? '');
  if (!parsed.ok) throw new SettingError('target', parsed.problem.message);
  const security = requestedSecurity(settings, [parsed.target], all) ?? noSecurity;
  return { target: parsed.target.text, security };
}
