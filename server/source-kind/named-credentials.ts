import path from 'node:path';
import { parseTargetPattern } from '../dial/host-pattern';
import type { Target } from '../dial/target';
import type { SecurityConfig } from '../grpc/channel-security';
import { insecure } from '../grpc/credentials-config';
import { readTlsFiles } from './read-tls-files';
import { SettingError } from './setting-error';
import type { CredentialsEntry } from './source-entries';

/** Credentials of the config file, which its sources and callers of the API choose by name. */
export interface NamedCredentials {
  readonly security: SecurityConfig;
  /** Targets with which callers of the API may use them; see parseTargetPattern(). Empty: none. */
  readonly targets: readonly string[];
}

export type AllCredentials = ReadonlyMap<string, NamedCredentials>;

/** Entries of the config file, without the targets of those that name none; see bindCredentials(). Throws SettingError. */
export function readCredentials(
  entries: Readonly<Record<string, CredentialsEntry>>,
  cwd: string,
): AllCredentials {
  return new Map(
    Object.entries(entries).map(([name, { targets = [], ...said }]) => {
      try {
        return [name, { security: readSecurity(said, new Map(), cwd), targets }];
      } catch (error) {
        if (!(error instanceof SettingError)) throw error;
        throw new SettingError(`credentials.${name}.${error.field}`, error.expectedAndGot);
      }
    }),
  );
}

/** Entries that name no targets may be used with those of the sources that use them. */
export function bindCredentials(
  entries: Readonly<Record<string, CredentialsEntry>>,
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

/** The settings of an entry by which a source authenticates. */
export interface SaidSecurity extends Omit<CredentialsEntry, 'targets'> {
  /** An entry of `credentials`. */
  readonly credentials?: string | undefined;
}

/** Files from `cwd`. Throws SettingError. */
export function readSecurity(
  { tls, jwtTokenFile, credentials: name }: SaidSecurity,
  all: AllCredentials,
  cwd: string,
): SecurityConfig {
  if (name !== undefined) {
    const beside = tls !== undefined ? 'tls' : jwtTokenFile !== undefined ? 'jwtTokenFile' : undefined;
    if (beside !== undefined) throw new SettingError(beside, 'expected nothing beside credentials, got it');
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

/**
 * Credentials that a caller of the API chooses by name. The caller chooses the servers, too, so credentials are used
 * only with the targets that the config file allows: xdscope would otherwise authenticate itself to any server. Throws
 * SettingError with the field.
 */
export function chooseCredentials(
  name: string,
  servers: readonly Target[],
  all: AllCredentials,
  field: string,
): SecurityConfig {
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
