import { z } from 'zod';
import { expected, serverName, someText } from '@/lib/api/sources';

/** gRFC A65 in our words: files of the machine that xdscope runs on. */
export const tlsFiles = z.strictObject({
  /** The system's authorities where it is left out. */
  caCertificateFile: someText.optional(),
  /** For mTLS, together with its key. */
  certificateFile: someText.optional(),
  privateKeyFile: someText.optional(),
  /** How often the files are read anew: 600 where it is left out. */
  refreshIntervalSeconds: z
    .number(expected('a number of seconds'))
    .positive(expected('a number above 0'))
    .optional(),
});

/** The same of what we connect to. */
export const channelTlsFiles = tlsFiles.extend({
  /** The target's host where left out. */
  serverName: serverName.optional(),
});

export type TlsFiles = z.infer<typeof channelTlsFiles>;
