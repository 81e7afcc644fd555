import { status } from '@grpc/grpc-js';
import { log as writeLog } from '../../logger';
import type { Clock } from '../../observe';
import { CredentialFileError, readCredentialFile } from './read-credential-file';

interface Token {
  readonly text: string;
  readonly expiresAt: number;
}

/** There is no valid token. The call ends with `code`; the message never contains the token. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  constructor(
    readonly code: status,
    message: string,
  ) {
    super(message);
  }
}

/** A token that was read earlier is used only while it is valid for at least this long (gRFC A97). */
const leewayMs = 30_000;

/**
 * The returned function resolves to the token of the next call and rejects with an error that does not contain it. It reads
 * the file for each call, so that a new token is used at once; calls are rare, because streams are long. While the file is
 * unreadable, the last token is used until it expires.
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

/** RFC 7519: three parts, of which the second is JSON with `exp` in seconds. The server checks the signature. */
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
