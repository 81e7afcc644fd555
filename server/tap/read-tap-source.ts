import { ConfigError } from '../config-error';
import { parseTarget } from '../dial/target';
import { insecure } from '../grpc/credentials-config';
import { parseListen } from '../source-kind/parse-listen';
import { readTlsFiles } from '../source-kind/read-tls-files';
import { SettingError } from '../source-kind/setting-error';
import type { TapEntry } from '../source-kind/source-entries';
import type { ConfiguredSource } from '../source-kind/source-kind';
import type { TapSettings } from './tap-settings';

type TapSource = ConfiguredSource<{ readonly kind: 'tap'; readonly settings: TapSettings }>;

/** `where` is for errors, as in "taps.0". Throws ConfigError. */
export function readTapSource(
  { listen: listenText, upstream: upstreamText, label, listenTls, upstreamTls }: TapEntry,
  where: string,
  origin: TapSource['origin'],
  cwd: string,
): TapSource {
  const named = origin === 'config' ? where : '--tap';
  const listen = parseListen(named, listenText);
  const parsed = parseTarget(upstreamText);
  if (!parsed.ok) throw new ConfigError(`${named}: ${parsed.problem.message}`);
  const upstream = parsed.target;
  if (upstream.text === listen.text) {
    throw new ConfigError(`${named}: expected another server than the tap itself, got ${listen.text} twice`);
  }
  try {
    const settings = {
      listen,
      upstream,
      listenTls: listenTls === undefined ? insecure : readTlsFiles(listenTls, 'listenTls', cwd),
      upstreamTls: upstreamTls === undefined ? insecure : readTlsFiles(upstreamTls, 'upstreamTls', cwd),
    };
    if (settings.listenTls.kind === 'tls' && settings.listenTls.certificateFile === null) {
      throw new SettingError(
        'listenTls.certificateFile',
        'expected a certificate to listen with, got nothing',
      );
    }
    const target = `${listen.text}=${upstream.text}`;
    return {
      target,
      label: label ?? `tap of ${upstream.text}`,
      origin,
      setup: { kind: 'tap', settings },
    };
  } catch (error) {
    if (error instanceof SettingError) throw new ConfigError(`${where}.${error.message}`);
    throw error;
  }
}
