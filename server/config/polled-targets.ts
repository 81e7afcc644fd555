import path from 'node:path';
import { z } from 'zod';
import type { NewSource } from '@/lib/api/schema';
import { ConfigError } from '../config-error';
import { parseTarget } from '../dial/target';
import { noSecurity, type SecurityConfig } from '../grpc/channel-security';
import { explainSetting } from './explain-setting';
import type { AllCredentials } from './named-credentials';
import type { StartOptions } from './option';
import { requestedSecurity } from './requested-security';
import { SettingError } from './setting-error';
import { entryOf, mappingWith } from './source-entries';
import type { ConfiguredSource, ReadContext, RequestedSource } from './source-kind';
import type { PolledSetup, TargetListSetup } from './target-list-setup';
import { text } from './values';

/** Entries of a polled kind in the config file: targets, DNS names, and files of targets. `own`: its other settings. */
export function polledEntries<const Own extends z.ZodRawShape>(own: Own) {
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
  return { targets: z.array(target), files: z.array(file) };
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

/** The keys of the options that have those entries, and the flag of the first. */
export interface PolledKeys<Key> {
  readonly flag: string;
  readonly targets: Key;
  readonly dns: Key;
  readonly files: Key;
}

/** The sources and lists that the options of a polled kind state. `toSetup`: throws SettingError. */
export function readPolled<Options extends StartOptions, Target, File, Setup extends PolledSetup>(
  entries: PolledEntries<Target, File>,
  keys: PolledKeys<keyof Options & string>,
  context: ReadContext<Options>,
  toSetup: (entry: Target | File) => Setup,
): ConfiguredSource<Setup | TargetListSetup<Setup>>[] {
  const sourceOf = <S extends Setup | TargetListSetup<Setup>>(
    { label, credentials }: Entry,
    target: string,
    key: keyof Options & string,
    setup: S,
  ): ConfiguredSource<S> => {
    return { target, label: label ?? target, origin: context.originOf(key), setup, credentials };
  };
  const readTarget = (said: string, flag: string) => {
    const parsed = parseTarget(said);
    if (!parsed.ok) throw new ConfigError(`${flag}: ${parsed.problem.message}`);
    return parsed.target;
  };
  const listOf = (from: TargetListSetup['from'], member: Setup): TargetListSetup<Setup> => {
    return { kind: `${member.kind}-list` as TargetListSetup<Setup>['kind'], from, member };
  };
  return [
    ...(entries.targets ?? []).map((entry, index) => {
      const target = readTarget(entry.target, keys.flag);
      return sourceOf(
        entry,
        target.text,
        keys.targets,
        explainSetting(`${keys.targets}.${index}`, () => toSetup(entry)),
      );
    }),
    ...(entries.dns ?? []).map((entry, index) => {
      const target = readTarget(entry.target, `${keys.flag}-dns`);
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

/** How the texts of a rejected request call a kind, and which of its settings it may have. */
export interface RequestRules {
  readonly name: string;
  /** In words, as in "tls or credentials alone"; undefined: none. */
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
