import path from 'node:path';
import * as z from 'zod';
import { expected, serverName, someText } from '@/lib/views/sources/schema';
import { boundRefreshIntervalMs } from '../../transport/bootstrap/certificate-files';
import type { ChannelCredentialsConfig } from '../../transport/grpc/credentials-config';
import { SettingError } from './setting-error';

/** Files of the machine that xdscope runs on, as in gRFC A65. */
export const tlsFiles = z.strictObject({
  caCertificateFile: someText
    .describe('certificates of trusted authorities (default: those of the system)')
    .optional(),
  certificateFile: someText.describe('certificate to present, for mTLS or a listener').optional(),
  privateKeyFile: someText.describe('private key of `certificateFile`').optional(),
  refreshIntervalSeconds: z
    .number(expected('a number of seconds'))
    .positive(expected('a number above 0'))
    .describe('seconds between two reads of the files (default: 600)')
    .optional(),
});

/** TLS towards a server. */
export const channelTlsFiles = tlsFiles.extend({
  serverName: serverName
    .describe('name expected in the certificate of the server (default: the host of the target)')
    .optional(),
});

/** Resolves file names against `cwd`. Throws SettingError with a field that begins with `where`. */
export function readTlsFiles(
  { serverName: name, refreshIntervalSeconds = 600, ...files }: z.infer<typeof channelTlsFiles>,
  where: string,
  cwd: string,
): ChannelCredentialsConfig {
  const { certificateFile, privateKeyFile } = files;
  if ((certificateFile === undefined) !== (privateKeyFile === undefined)) {
    const names = ['certificateFile', 'privateKeyFile'] as const;
    const [missing, present] = certificateFile === undefined ? names : names.toReversed();
    throw new SettingError(`${where}.${missing}`, `expected a file beside ${present}, got nothing`);
  }
  const resolve = (file: string | undefined) => (file === undefined ? null : path.resolve(cwd, file));
  return {
    kind: 'tls',
    caCertificateFile: resolve(files.caCertificateFile),
    certificateFile: resolve(certificateFile),
    privateKeyFile: resolve(privateKeyFile),
    ...(name !== undefined && { serverName: name }),
    refreshIntervalMs: boundRefreshIntervalMs(refreshIntervalSeconds * 1_000),
  };
}
