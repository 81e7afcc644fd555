import * as z from 'zod';
import { ConfigError } from '../../config-error';
import { insecure } from '../../transport/grpc/credentials-config';
import { parseTarget } from '../../transport/targets/target';
import { explainSetting } from '../source-kind/setting-error';
import type { ConfiguredSource } from '../source-kind/source-kind';
import { channelTlsFiles, readTlsFiles, tlsFiles } from '../source-kind/tls-files';
import { parseListen } from '../source-kind/values';
import type { TapSettings } from './tap-settings';

export interface TapSourceSetup {
  readonly kind: 'tap';
  readonly settings: TapSettings;
}

/** One entry of `taps`; "LISTEN=UPSTREAM" alone is enough. */
export const tapEntry = z.preprocess(
  (stated) => {
    const match = typeof stated === 'string' ? /^([^=]*)=([^=]*)$/.exec(stated) : null;
    return match === null ? stated : { listen: match[1], upstream: match[2] };
  },
  z.strictObject(
    {
      listen: z.string().describe('`host:port` to listen on'),
      upstream: z.string().describe('`host:port` of the management server'),
      label: z.string().describe('name on pages').optional(),
      listenTls: tlsFiles
        .describe(
          'certificate and key of the tap; with `caCertificateFile`, clients must present a certificate of these authorities',
        )
        .optional(),
      upstreamTls: channelTlsFiles.describe('connect to the management server with TLS').optional(),
    },
    {
      error: ({ code }) =>
        code === 'invalid_type'
          ? 'expected LISTEN=UPSTREAM, or a mapping with listen and upstream'
          : undefined,
    },
  ),
);

/** `where` is for errors, as in "taps.0". Throws ConfigError. */
export function readTapSource(
  { listen: listenText, upstream: upstreamText, label, ...tls }: z.infer<typeof tapEntry>,
  where: string,
  origin: ConfiguredSource<TapSourceSetup>['origin'],
  cwd: string,
): ConfiguredSource<TapSourceSetup> {
  const named = origin === 'config' ? where : '--tap';
  const listen = parseListen(named, listenText);
  const parsed = parseTarget(upstreamText);
  if (!parsed.ok) throw new ConfigError(`${named}: ${parsed.problem.message}`);
  const upstream = parsed.target;
  if (upstream.text === listen.text) {
    throw new ConfigError(`${named}: expected another server than the tap itself, got ${listen.text} twice`);
  }
  const readTls = (key: 'listenTls' | 'upstreamTls') => {
    const files = tls[key];
    return files === undefined ? insecure : explainSetting(where, () => readTlsFiles(files, key, cwd));
  };
  const [listenTls, upstreamTls] = [readTls('listenTls'), readTls('upstreamTls')];
  if (listenTls.kind === 'tls' && listenTls.certificateFile === null) {
    throw new ConfigError(
      `${where}.listenTls.certificateFile: expected a certificate to listen with, got nothing`,
    );
  }
  return {
    target: `${listen.text}=${upstream.text}`,
    label: label ?? `tap of ${upstream.text}`,
    origin,
    setup: { kind: 'tap', settings: { listen, upstream, listenTls, upstreamTls } },
  };
}
