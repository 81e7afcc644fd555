import type { Clock } from '../../observe';
import { CertificateWatcher, type TlsMaterial } from './certificate-watcher';
import type { CallCredentialsConfig, ChannelCredentialsConfig, HeaderConfig } from './credentials-config';
import { readCredentialFile } from './read-credential-file';
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
   * Resolves to the headers of the next call. A token is sent over TLS alone (gRFC A97). Rejects if there is no valid token,
   * or a file cannot be read.
   */
  readHeaders(): Promise<Readonly<Record<string, string>>>;
  close(): void;
}

/** `onProblems` is called whenever the problems of the credential files change. */
export function openChannelSecurity(
  { credentials, callCredentials }: SecurityConfig,
  clock: Clock,
  onProblems: (problems: readonly string[]) => void = () => {},
): ChannelSecurity {
  const isTls = credentials.kind === 'tls';
  const readers = callCredentials.flatMap((each): (() => Promise<readonly [string, string]>)[] => {
    if (each.kind === 'header') return [async () => [each.name, await readHeader(each)]];
    if (!isTls) return [];
    const readToken = createTokenReader(each.file, clock);
    return [async () => ['authorization', `Bearer ${await readToken()}`]];
  });
  const readHeaders = async () => Object.fromEntries(await Promise.all(readers.map((read) => read())));
  if (credentials.kind === 'insecure') {
    return { whenRead: async () => {}, readHeaders, close() {} };
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
  return {
    whenRead: () => watcher.whenRead(),
    readHeaders,
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

/** Printable ASCII and tabs: a line break would begin another header. */
const headerValue = /^[\t\x20-\x7e]{1,16384}$/;

/** The value, which the message of an error does not contain. The file is read for each call, as that of a token. */
async function readHeader(header: HeaderConfig): Promise<string> {
  const value =
    'value' in header
      ? header.value
      : (await readCredentialFile(header.file, 'header')).toString('latin1').trim();
  if (headerValue.test(value)) return value;
  throw new Error(
    `header "${header.name}": expected 1 to 16,384 printable ASCII characters, got ${value.length} characters`,
  );
}
