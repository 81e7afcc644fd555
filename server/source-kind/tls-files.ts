import { z } from 'zod';
import { expected, serverName, someText } from '@/lib/api/sources';

/** Files of the machine that xdscope runs on, as in gRFC A65. */
export const tlsFiles = z.strictObject({
  /** Absent: the authorities of the system. */
  caCertificateFile: someText.optional(),
  /** For mTLS, together with its key. */
  certificateFile: someText.optional(),
  privateKeyFile: someText.optional(),
  /** Seconds between two reads of the files. Absent: 600. */
  refreshIntervalSeconds: z
    .number(expected('a number of seconds'))
    .positive(expected('a number above 0'))
    .optional(),
});

/** TLS towards a server. */
export const channelTlsFiles = tlsFiles.extend({
  /** Absent: the host of the target. */
  serverName: serverName.optional(),
});

export type TlsFiles = z.infer<typeof channelTlsFiles>;
