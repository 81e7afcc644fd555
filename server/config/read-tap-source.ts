import { ConfigError } from '../config-error';
import { parseTarget } from '../dial/target';
import { insecure } from '../grpc/credentials-config';
import { parseListen } from './parse-listen';
import { readTlsFiles } from './read-tls-files';
import { SettingError } from './setting-error';
import type { SourceConfig } from './source-config';
import type { TapEntry } from './source-entries';
import { sourceIdOf } from './source-id';

/** `where` is for errors, as in "taps.0". Throws ConfigError. */
export function readTapSource(
  { listen: listenText, upstream: upstreamText, label, listenTls, upstreamTls }: TapEntry,
  where: string,
  origin: SourceConfig['origin'],
  cwd: string,
): SourceConfig {
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
    const id = sourceIdOf('tap', target);
    return {
      id,
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
