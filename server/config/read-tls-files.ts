import path from 'node:path';
import type { TlsFiles } from '@/lib/api/schema';
import { boundRefreshIntervalMs } from '../bootstrap/certificate-files';
import type { ChannelCredentialsConfig } from '../grpc/credentials-config';
import { SettingError } from './setting-error';

/**
 * Files from `cwd`; null: they must be absolute, since whoever names them does not know where xdscope runs. Throws
 * SettingError with a field that begins with `where`.
 */
export function readTlsFiles(tls: TlsFiles, where: string, cwd: string | null): ChannelCredentialsConfig {
  const fileOf = (key: 'caCertificateFile' | 'certificateFile' | 'privateKeyFile'): string | null => {
    const said = tls[key];
    if (said === undefined) return null;
    if (cwd !== null) return path.resolve(cwd, said);
    if (path.isAbsolute(said)) return said;
    throw new SettingError(`${where}.${key}`, `expected an absolute path, got ${JSON.stringify(said)}`);
  };
  const certificateFile = fileOf('certificateFile');
  const privateKeyFile = fileOf('privateKeyFile');
  if ((certificateFile === null) !== (privateKeyFile === null)) {
    const [missing, given] =
      certificateFile === null
        ? ['certificateFile', 'privateKeyFile']
        : ['privateKeyFile', 'certificateFile'];
    throw new SettingError(`${where}.${missing}`, `expected a file beside ${given}, got nothing`);
  }
  return {
    kind: 'tls',
    caCertificateFile: fileOf('caCertificateFile'),
    certificateFile,
    privateKeyFile,
    ...(tls.serverName !== undefined && { serverName: tls.serverName }),
    refreshIntervalMs: boundRefreshIntervalMs((tls.refreshIntervalSeconds ?? 600) * 1_000),
  };
}
