import { type CallCredentials, credentials, Metadata, status } from '@grpc/grpc-js';
import { log as writeLog } from '../logger';
import type { Clock } from '../observe';
import { CredentialFileError, readCredentialFile } from './read-credential-file';

interface Token {
  readonly text: string;
  readonly expiresAt: number;
}

/** A call that cannot be made for want of a token: it ends with this code. Never repeats the token. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  constructor(
    readonly code: status,
    message: string,
  ) {
    super(message);
  }
}

/** gRFC A97: one that ends so soon is not sent any more. */
const leewayMs = 30_000;

/** gRFC A97: `authorization: Bearer TOKEN` with every call. */
export function tokenFileCredentials(file: string, clock: Clock): CallCredentials {
  const readToken = createTokenReader(file, clock);
  return credentials.createFromMetadataGenerator((_options, callback) => {
    readToken().then(
      (token) => {
        const metadata = new Metadata();
        metadata.set('authorization', `Bearer ${token}`);
        callback(null, metadata);
      },
      (cause: unknown) => {
        const message = cause instanceof Error ? cause.message : String(cause);
        callback(cause instanceof TokenError ? cause : new TokenError(status.UNAVAILABLE, message));
      },
    );
  });
}

/**
 * The token for the next call; rejects with an Error that does not repeat it. The file is read at each call (calls are rare: streams last),
 * so that a new token is used at once; where it cannot be read, the last one is used until it expires.
 */
export function createTokenReader(file: string, clock: Clock): () => Promise<string> {
  let latest: Token | undefined;
  let logged = '';
  const log = (details: string): void => {
    if (details !== logged && details !== '') writeLog('warn', 'grpc', `token file ${details}`);
    logged = details;
  };
  return async () => {
    try {
      latest = parseToken((await readCredentialFile(file, 'token')).toString('latin1'));
      log('');
    } catch (cause) {
      log(
        cause instanceof CredentialFileError ? cause.details : `${JSON.stringify(file)}: no JSON Web Token`,
      );
      const isUsable = latest !== undefined && latest.expiresAt - leewayMs > clock.now();
      if (latest === undefined || !isUsable) throw cause;
    }
    if (latest.expiresAt <= clock.now()) {
      const when = new Date(latest.expiresAt).toISOString();
      throw new TokenError(
        status.UNAUTHENTICATED,
        `expected a token that is valid in the token file, got one that expired at ${when}`,
      );
    }
    return latest.text;
  };
}

/** RFC 7519: three parts, the middle one JSON; `exp` is in seconds. The signature is the server's business. */
function parseToken(content: string): Token {
  const text = content.trim();
  const payload = /^[\w-]+\.([\w-]+)\.[\w-]*$/.exec(text)?.[1];
  const expiresAtS = payload === undefined ? undefined : expiryOf(payload);
  if (expiresAtS === undefined) {
    throw new TokenError(
      status.UNAUTHENTICATED,
      'expected a JSON Web Token with an expiry in the token file, got something else',
    );
  }
  return { text, expiresAt: expiresAtS * 1_000 };
}

function expiryOf(payload: string): number | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    const exp = typeof claims === 'object' && claims !== null ? Reflect.get(claims, 'exp') : undefined;
    return typeof exp === 'number' && exp < 1e11 ? exp : undefined;
  } catch {
    return undefined;
  }
}
