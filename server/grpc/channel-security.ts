import type { Clock } from '../observe';
import { CertificateWatcher, type TlsMaterial } from './certificate-watcher';
import type { CallCredentialsConfig, ChannelCredentialsConfig } from './credentials-config';
import { createTokenReader } from './token-file';

export interface SecurityConfig {
  readonly credentials: ChannelCredentialsConfig;
  readonly callCredentials: readonly CallCredentialsConfig[];
}

export const noSecurity: SecurityConfig = { credentials: { kind: 'insecure' }, callCredentials: [] };

export interface ChannelTls {
  /** The current problems of the credential files, one sentence each. */
  readonly problems: readonly string[];
  /** The material of the next connection. Undefined until all files have been usable. */
  readonly material: TlsMaterial | undefined;
  /** The name that the server's certificate must contain, if it is not the target's host. */
  readonly serverName?: string | undefined;
}

/** The credentials of one channel. TLS files are watched until it is closed. */
export interface ChannelSecurity {
  /** Absent for plain text. */
  readonly tls?: ChannelTls;
  /** Resolves when the files have been read once, usable or not. */
  whenRead(): Promise<void>;
  /**
   * Resolves to the `authorization` header of the next call; undefined without call credentials and always in plain text
   * (gRFC A97). Rejects if there is no valid token.
   */
  readAuthorization(): Promise<string | undefined>;
  close(): void;
}

/** `onProblems` is called whenever the problems of the credential files change. */
export function openChannelSecurity(
  { credentials, callCredentials }: SecurityConfig,
  clock: Clock,
  onProblems: (problems: readonly string[]) => void = () => {},
): ChannelSecurity {
  if (credentials.kind === 'insecure') {
    return { whenRead: async () => {}, readAuthorization: async () => undefined, close() {} };
  }
  let problems: readonly string[] = [];
  const watcher = new CertificateWatcher({
    config: credentials,
    clock,
    onProblems: (now) => {
      problems = now;
      onProblems(now);
    },
  });
  const [call] = callCredentials;
  const readToken = call && createTokenReader(call.file, clock);
  return {
    whenRead: () => watcher.whenRead(),
    readAuthorization: async () => (readToken === undefined ? undefined : `Bearer ${await readToken()}`),
    tls: {
      serverName: credentials.serverName,
      get problems() {
        return problems;
      },
      get material() {
        return watcher.material;
      },
    },
    close: () => watcher.close(),
  };
}
