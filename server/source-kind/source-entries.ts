import { z } from 'zod';
import { probeChoices } from '@/lib/api/schema';
import { parseTargetPattern } from '../dial/host-pattern';
import { channelTlsFiles, tlsFiles } from './tls-files';
import { text } from './values';

/** "host:port" alone is the target. */
export function entryOf<T extends z.ZodType>(entry: T) {
  return z.preprocess((said) => (typeof said === 'string' ? { target: said } : said), entry);
}

export function mappingWith(what: string) {
  return {
    error: ({ code }: { readonly code?: string }) =>
      code === 'invalid_type' ? `expected host:port, or a mapping with ${what}` : undefined,
  };
}

/** How a source authenticates: files of its own, or an entry of `credentials` by name. */
export const authentication = {
  tls: channelTlsFiles.optional(),
  /** gRFC A97: a token in a file, sent with every call. */
  jwtTokenFile: text.optional(),
  credentials: text.optional(),
};

/** One entry of `credentials`. */
export const credentialsEntry = z.strictObject({
  tls: channelTlsFiles.optional(),
  jwtTokenFile: text.optional(),
  /** Targets with which callers of the API may use it. By default those of the sources of the file that use it. */
  targets: z
    .array(
      text.refine(
        (said) => parseTargetPattern(said) !== undefined,
        'expected HOST:PORT, as in *.mesh.svc:15012',
      ),
    )
    .optional(),
});
export type CredentialsEntry = z.infer<typeof credentialsEntry>;

/** One entry of `taps`; "LISTEN=UPSTREAM" alone is enough. */
export const tapEntry = z.preprocess(
  (said) => {
    const match = typeof said === 'string' ? /^([^=]*)=([^=]*)$/.exec(said) : null;
    return match === null ? said : { listen: match[1], upstream: match[2] };
  },
  z.strictObject(
    {
      listen: z.string(),
      upstream: z.string(),
      label: z.string().optional(),
      /** Our certificate and key. With authorities, clients must present a certificate of one of them. */
      listenTls: tlsFiles.optional(),
      upstreamTls: tlsFiles.optional(),
    },
    {
      error: ({ code }) =>
        code === 'invalid_type'
          ? 'expected LISTEN=UPSTREAM, or a mapping with listen and upstream'
          : undefined,
    },
  ),
);
export type TapEntry = z.infer<typeof tapEntry>;

const watchedFile = z.union([text, z.strictObject({ path: text, watchedDirectory: text.optional() })], {
  error: 'expected a path, or a mapping with path and watchedDirectory',
});

/** One entry of `ads`: the settings of the API, and those that only the config file has. */
export const adsEntry = entryOf(
  z.strictObject(
    {
      target: z.string().optional(),
      label: z.string().optional(),
      /** A bootstrap file instead of target, tls and fallbackServers. */
      bootstrap: text.optional(),
      ...probeChoices.shape,
      ...authentication,
      /** server_features, as in "ignore_resource_deletion". */
      features: z.array(text).optional(),
      /** With the transport `file`: "LDS" or a type URL -> the file of its DiscoveryResponse. */
      files: z.record(z.string(), watchedFile).optional(),
    },
    mappingWith('target, label, transport and more'),
  ),
);
export type AdsEntry = z.infer<typeof adsEntry>;
