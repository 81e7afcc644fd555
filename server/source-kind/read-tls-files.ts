import path from 'node:path';
import { boundRefreshIntervalMs } from '../bootstrap/certificate-files';
import type { ChannelCredentialsConfig } from '../grpc/credentials-config';
import { SettingError } from './setting-error';
import type { TlsFiles } from './tls-files';

/** Files from `cwd`. Throws SettingError with a field that begins with `where`. */
export function readTlsFiles(tls: TlsFiles, where: string, cwd: string): ChannelCredentialsConfig {
  const fileOf = (key: 'caCertificateFile' | 'certificateFile' | 'privateKeyFile'): string | null => {
    const said = tls[key];
    return said === undefined ? null : path.resolve(cwd, said);
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
