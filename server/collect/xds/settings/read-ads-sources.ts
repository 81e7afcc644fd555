import path from 'node:path';
import * as z from 'zod';
import { messageOf } from '@/lib/format/message-of';
import { type ProbeChoices, probeChoices } from '@/lib/views/sources/schema';
import { ConfigError } from '../../../config-error';
import {
  type Bootstrap,
  type BootstrapSource,
  readBootstrap,
  readBootstrapClient,
} from '../../../transport/bootstrap/read-bootstrap';
import { parseTarget } from '../../../transport/targets/target';
import { type AllCredentials, authentication, readSecurity } from '../../source-kind/named-credentials';
import { explainSetting } from '../../source-kind/setting-error';
import type { ConfiguredSource } from '../../source-kind/source-kind';
import { entryOf, text } from '../../source-kind/values';
import type { ProbeSettings } from '../probe/probe-settings';
import {
  assertNoTlsBeside,
  buildProbe,
  type ProbeSourceSetup,
  type StatedProbe,
  withTransport,
} from './build-probe';
import { crossCheckLabel, splitCrossCheck } from './cross-check';
import { readHeaders } from './read-headers';
import { readType } from './read-interest';

type ProbeSource = ConfiguredSource<ProbeSourceSetup>;
type Origin = ProbeSource['origin'];

const watchedFile = z.union([text, z.strictObject({ path: text, watchedDirectory: text.optional() })], {
  error: 'expected a path, or a mapping with path and watchedDirectory',
});

/** One entry of `ads`: the settings of the API, and those that only the config file has. */
export const adsEntry = entryOf(
  'target',
  {
    target: z.string().describe('`host:port` of the management server').optional(),
    label: z.string().describe('name on pages').optional(),
    bootstrap: text
      .describe(
        'bootstrap file of gRPC or Envoy, instead of `target`, `tls` and `fallbackServers`; beside a target, only its node and transport are used',
      )
      .optional(),
    ...probeChoices.shape,
    ...authentication,
    headers: z
      .record(z.string(), text)
      .describe('request metadata by name; `@PATH` sends the content of a file')
      .optional(),
    features: z.array(text).describe('`server_features`, as in `ignore_resource_deletion`').optional(),
    files: z
      .record(z.string(), watchedFile)
      .describe(
        'files with a DiscoveryResponse, by `LDS` or type URL, for the transport `file`: a path, or a mapping with `path` and `watchedDirectory`',
      )
      .optional(),
  },
  'host:port, or a mapping with target, label, transport and more',
);
type AdsEntry = z.infer<typeof adsEntry>;

/** The base directory of file names, and the settings of all probes. */
interface SourcesContext {
  readonly cwd: string;
  readonly credentials: AllCredentials;
  /** Targets as in clients. */
  readonly targets: readonly string[] | undefined;
  readonly serverListeners: readonly string[] | undefined;
  readonly settings: ProbeChoices;
  /** The flags --ads-server-name and --ads-header, which entries without settings of their own have. */
  readonly serverName: string | undefined;
  /** The flag --ads-node-bootstrap: the file of the bootstrap whose client entries with a target are. */
  readonly nodeBootstrap: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** One source, or two that cross-check each other. Throws ConfigError. */
export function readAdsSources(
  {
    target,
    label,
    bootstrap,
    tls,
    jwtTokenFile,
    credentials,
    headers,
    features,
    files,
    ...settings
  }: AdsEntry,
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
  const from = (file: string) => ({ file: path.resolve(cwd, file) });
  const ofClient = target === undefined ? undefined : (bootstrap ?? context.nodeBootstrap);
  const read =
    bootstrap === undefined || target !== undefined ? undefined : readFrom(from(bootstrap), where, cwd);
  const client =
    ofClient === undefined ? undefined : withPlace(() => readBootstrapClient(from(ofClient)), where);
  return explainSetting(where, () => {
    assertNoTlsBeside(read, tls, 'tls');
    const { serverName } = context;
    const isNamed =
      tls === undefined && credentials === undefined && read === undefined && serverName !== undefined;
    const own = { tls: isNamed ? { serverName } : tls, jwtTokenFile, credentials };
    const isStated = Object.values(own).some((each) => each !== undefined);
    const security = isStated ? readSecurity(own, context.credentials, cwd) : undefined;
    const stated = { target, bootstrap: read, client, settings, secure: () => security, features, headers };
    const sources = toSources({ ...stated, files: readFiles(files ?? {}, cwd) }, label, origin, context);
    return sources.map((source) => ({ ...source, credentials }));
  });
}

/** `where` is the flag or the variable that names it. Throws ConfigError. */
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
  { headers: own, ...stated }: Omit<StatedProbe, 'headers'> & Pick<AdsEntry, 'headers'>,
  label: string | undefined,
  origin: Origin,
  { cwd, targets, serverListeners, settings: forAll, headers: ofAll }: SourcesContext,
): ProbeSource[] {
  // Only sources with a bootstrap have a template for listener names.
  const headers = readHeaders({ ...ofAll, ...own }, 'headers', cwd);
  const listeners = stated.bootstrap === undefined ? undefined : serverListeners;
  const chosen = withTransport({ ...forAll, ...stated.settings }, stated.bootstrap ?? stated.client);
  return splitCrossCheck(chosen, '').map((settings, index) => {
    const built = buildProbe({ ...stated, settings, targets, serverListeners: listeners, headers }, '');
    const name = label ?? built.target;
    return { ...built, label: index === 0 ? name : crossCheckLabel(name, settings), origin };
  });
}

function readFrom(from: BootstrapSource, where: string, cwd: string): Bootstrap {
  return withPlace(() => readBootstrap(from, cwd), where);
}

function withPlace<T>(read: () => T, where: string): T {
  try {
    return read();
  } catch (cause) {
    throw new ConfigError(`${where}: ${messageOf(cause)}`);
  }
}

function readFiles(files: NonNullable<AdsEntry['files']>, cwd: string): ProbeSettings['files'] {
  return new Map(
    Object.entries(files).map(([type, entry]) => {
      const { path: file, watchedDirectory } = typeof entry === 'string' ? { path: entry } : { ...entry };
      const directory = watchedDirectory === undefined ? null : path.resolve(cwd, watchedDirectory);
      return [readType(type, 'files'), { path: path.resolve(cwd, file), watchedDirectory: directory }];
    }),
  );
}
