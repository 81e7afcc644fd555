import path from 'node:path';
import * as z from 'zod';
import type { NewProbeSettings } from '@/lib/views/sources/schema';
import type { SecurityConfig } from '../../transport/grpc/channel-security';
import { defaultTls, insecure } from '../../transport/grpc/credentials-config';
import { parseTargetPattern } from '../../transport/targets/host-pattern';
import type { Target } from '../../transport/targets/target';
import { explainSetting, SettingError } from './setting-error';
import { channelTlsFiles, readTlsFiles } from './tls-files';
import { text } from './values';

const ownCredentials = {
  tls: channelTlsFiles.describe('connect with TLS').optional(),
  jwtTokenFile: text.describe('JWT that is sent with every call, from a file (gRFC A97)').optional(),
};

/** Settings by which a source authenticates: files of its own, or the name of an entry of `credentials`. */
export const authentication = {
  ...ownCredentials,
  credentials: text.describe('name of an entry of `credentials`').optional(),
};
type Authentication = z.infer<z.ZodObject<typeof authentication>>;

/** One entry of `credentials`. */
const credentialsEntry = z.strictObject({
  ...ownCredentials,
  targets: z
    .array(
      text.refine(
        (target) => parseTargetPattern(target) !== undefined,
        'expected HOST:PORT, as in *.mesh.svc:15012',
      ),
    )
    .describe(
      'targets with which callers of the API may use them, as in `*.mesh.svc:15012` (default: the targets of the sources that use them)',
    )
    .optional(),
});

/** The setting `credentials` of the config file. */
export const credentialsEntries = z.record(
  z.string().regex(/^\w[\w.-]{0,99}$/, 'expected a name of letters, digits, "_", "-" and "."'),
  credentialsEntry,
);
type CredentialsEntries = z.infer<typeof credentialsEntries>;

/** Credentials of the config file, which its sources and callers of the API choose by name. */
interface NamedCredentials {
  readonly security: SecurityConfig;
  /** Targets with which callers of the API may use them; see parseTargetPattern(). Empty: none. */
  readonly targets: readonly string[];
}

export type AllCredentials = ReadonlyMap<string, NamedCredentials>;

/**
 * Entries of the config file. Those that name no targets have none until bindCredentials() adds them. Throws ConfigError.
 */
export function readCredentials(entries: CredentialsEntries, cwd: string): AllCredentials {
  return new Map(
    Object.entries(entries).map(([name, { targets = [], ...own }]) => {
      const security = explainSetting(`credentials.${name}`, () => readSecurity(own, new Map(), cwd));
      return [name, { security, targets }];
    }),
  );
}

/** Entries that name no targets may be used with those of the sources that use them. */
export function bindCredentials(
  entries: CredentialsEntries,
  all: AllCredentials,
  sources: readonly { readonly credentials?: string | undefined; readonly servers: readonly string[] }[],
): AllCredentials {
  return new Map(
    [...all].map(([name, found]) => {
      if (entries[name]?.targets !== undefined) return [name, found];
      const users = sources.filter(({ credentials }) => credentials === name);
      return [name, { ...found, targets: [...new Set(users.flatMap(({ servers }) => servers))] }];
    }),
  );
}

/** Resolves file names against `cwd`. Throws SettingError. */
export function readSecurity(
  { tls, jwtTokenFile, credentials: name }: Authentication,
  all: AllCredentials,
  cwd: string,
): SecurityConfig {
  if (name !== undefined) {
    const beside = tls !== undefined ? 'tls' : jwtTokenFile !== undefined ? 'jwtTokenFile' : undefined;
    if (beside !== undefined) throw new SettingError(beside, besideCredentials);
    return findCredentials(name, all, 'credentials').security;
  }
  const credentials = tls === undefined ? insecure : readTlsFiles(tls, 'tls', cwd);
  if (jwtTokenFile === undefined) return { credentials, callCredentials: [] };
  if (credentials.kind === 'insecure') {
    throw new SettingError('tls', 'expected TLS to send the token over, got nothing');
  }
  const file = path.resolve(cwd, jwtTokenFile);
  return { credentials, callCredentials: [{ kind: 'jwt_token_file', file }] };
}

const besideCredentials = 'expected nothing beside credentials, got it';

/**
 * Returns how a source that a caller of the API requests authenticates. The caller chooses the servers, so files,
 * sockets and variables of this machine have no place in the request. Credentials are chosen by name, and are used
 * only with the targets that the config file allows, because xdscope would otherwise authenticate itself to any
 * server (decision 0037). Returns undefined if the request does not state it. Throws SettingError.
 */
export function requestedSecurity(
  { tls, credentials: name }: Pick<NewProbeSettings, 'tls' | 'credentials'>,
  servers: readonly Target[],
  all: AllCredentials,
): SecurityConfig | undefined {
  if (name === undefined) {
    if (tls === undefined) return undefined;
    const { serverName } = tls;
    const credentials = { ...defaultTls, ...(serverName !== undefined && { serverName }) };
    return { credentials, callCredentials: [] };
  }
  if (tls !== undefined) throw new SettingError('settings.tls', besideCredentials);
  const field = 'settings.credentials';
  const { security, targets } = findCredentials(name, all, field);
  const patterns = targets.map(parseTargetPattern);
  const other = servers.find((server) => !patterns.some((pattern) => pattern?.matches(server)));
  if (other === undefined) return security;
  const expected = targets.length === 0 ? 'no target: the config file binds it to none' : targets.join(', ');
  throw new SettingError(field, `${JSON.stringify(name)} may be used with ${expected}; got ${other.text}`);
}

function findCredentials(name: string, all: AllCredentials, field: string): NamedCredentials {
  const found = all.get(name);
  if (found !== undefined) return found;
  const known =
    all.size === 0 ? 'no name, since the config file has no credentials' : [...all.keys()].join(', ');
  throw new SettingError(field, `expected ${known}, got ${JSON.stringify(name)}`);
}
