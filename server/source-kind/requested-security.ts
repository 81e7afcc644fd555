import type { NewProbeSettings } from '@/lib/api/schema';
import type { Target } from '../dial/target';
import type { SecurityConfig } from '../grpc/channel-security';
import { defaultTls } from '../grpc/credentials-config';
import { type AllCredentials, chooseCredentials } from './named-credentials';
import { SettingError } from './setting-error';

/**
 * How a source that a caller of the API requests authenticates. The caller chooses the servers, so files, sockets and
 * variables of this machine have no place in the request; credentials are those of the config file, by name (decision
 * 0037). Undefined: the request does not state it. Throws SettingError.
 */
export function requestedSecurity(
  { tls, credentials }: Pick<NewProbeSettings, 'tls' | 'credentials'>,
  servers: readonly Target[],
  all: AllCredentials,
): SecurityConfig | undefined {
  if (credentials !== undefined) {
    if (tls !== undefined)
      throw new SettingError('settings.tls', 'expected nothing beside credentials, got it');
    return chooseCredentials(credentials, servers, all, 'settings.credentials');
  }
  if (tls === undefined) return undefined;
  const { serverName } = tls;
  const named = serverName === undefined ? {} : { serverName };
  return { credentials: { ...defaultTls, ...named }, callCredentials: [] };
}
